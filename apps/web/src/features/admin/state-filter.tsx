import { Segmented } from '../../ui/segmented.tsx'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
] as const

type State = (typeof states)[number]['value']

/** Chooses between the open and the resolved items of a list. */
export function StateFilter({ value, onChange }: { value: State; onChange: (next: State) => void }) {
  return <Segmented label="Filter by status" value={value} onChange={onChange} choices={states} />
}
