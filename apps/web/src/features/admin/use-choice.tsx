import { type ReactNode, useState } from 'react'
import { Segmented } from '../../ui/segmented.tsx'

/**
 * Returns the selected view of a panel, and the control that selects it. Initially, the first view
 * is selected.
 * @param label accessible name of the control
 * @param choices label of each view
 */
export function useChoice<Value extends string>(
  label: string,
  choices: Readonly<Record<Value, string>>,
): [chosen: Value, control: ReactNode] {
  const values = Object.keys(choices) as Value[]
  const [chosenValue, setChosenValue] = useState(values[0] as Value)
  return [
    chosenValue,
    <Segmented
      key={label}
      label={label}
      value={chosenValue}
      onChange={setChosenValue}
      choices={values.map((value) => ({ value, label: choices[value] }))}
    />,
  ]
}

/** Lets the user choose between the chart of a panel and its table. */
export const useChartOrTable = (label: string) => useChoice(label, { chart: 'Chart', table: 'Table' })
