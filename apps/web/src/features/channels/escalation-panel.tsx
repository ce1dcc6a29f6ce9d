import type { Destination } from '@tocsin/protocol'
import { ArrowUp, X } from 'lucide-react'
import { useRef } from 'react'
import { call } from '../../api/api.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { kindNames, needsConfirmation } from './channel-texts.ts'
import { useDestinationChange } from './use-destination-change.ts'

const STEP_MINUTES = 5

/**
 * Settings of the escalation: the order in which destinations receive a critical alert until it is
 * acknowledged.
 */
export function EscalationPanel({ destinations }: { destinations: readonly Destination[] }) {
  const save = useDestinationChange((ids: string[]) => call('setEscalation', { body: { ids } }))
  const list = useRef<HTMLOListElement>(null)
  const savedSteps = destinations
    .filter(({ escalationStep }) => escalationStep !== null)
    .sort((a, b) => (a.escalationStep ?? 0) - (b.escalationStep ?? 0))
  const steps = save.isPending
    ? save.variables.flatMap((id) => destinations.find((destination) => destination.id === id) ?? [])
    : savedSteps
  const ids = steps.map(({ id }) => id)
  // Only destinations without a digest count for the delays, because the server skips destinations
  // with a digest immediately.
  const timedIds = steps.flatMap(({ id, digest }) => (digest === null ? [id] : []))
  const otherDestinations = destinations.filter(
    (destination) => !ids.includes(destination.id) && !needsConfirmation(destination),
  )
  if (destinations.filter((destination) => !needsConfirmation(destination)).length < 2 && steps.length === 0)
    return null
  // The controls are not disabled while a change is saved: they would lose the keyboard focus.
  const moveUp = (stepIndex: number) =>
    !save.isPending &&
    save.mutate([
      ...ids.slice(0, stepIndex - 1),
      ...ids.slice(stepIndex, stepIndex + 1),
      ...ids.slice(stepIndex - 1, stepIndex),
      ...ids.slice(stepIndex + 1),
    ])
  return (
    <Panel title="Escalation of unacknowledged critical alerts" flush>
      <ol
        ref={list}
        tabIndex={-1}
        aria-label="Escalation"
        aria-busy={save.isPending}
        className="divide-y divide-line-1 outline-none"
      >
        {steps.map(({ id, kind, name }, index) => (
          <li key={id} className="flex min-h-11 items-center gap-3 px-5 py-1 text-base phone:px-4">
            <span className="w-16 shrink-0 text-data">{formatStep(timedIds.indexOf(id))}</span>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {kindNames[kind]}, {name}
            </span>
            {/* In the first row too, because a destination that moves to it keeps the focus. */}
            <IconButton
              icon={ArrowUp}
              label={`Move ${name} up`}
              aria-disabled={index === 0}
              className="aria-disabled:cursor-not-allowed aria-disabled:bg-transparent aria-disabled:text-3"
              onClick={() => index > 0 && moveUp(index)}
            />
            <IconButton
              icon={X}
              label={`Remove ${name} from the escalation`}
              onClick={({ currentTarget }) => {
                if (save.isPending) return
                const row = currentTarget.closest('li')
                const neighbor = row?.nextElementSibling ?? row?.previousElementSibling
                const nextFocus = neighbor?.querySelector<HTMLElement>('button:last-of-type') ?? list.current
                nextFocus?.focus()
                save.mutate(ids.filter((each) => each !== id))
              }}
            />
          </li>
        ))}
      </ol>
      <div className="grid gap-2 border-t border-line-1 px-5 py-3 first:border-t-0 phone:px-4">
        <p className="text-base text-2">
          {timedIds.length < 2
            ? 'A critical alert that is not acknowledged goes to the next destination after 5 minutes. Choose at least two destinations without a digest.'
            : 'Each destination gets the alert once. Acknowledging it on any device ends the escalation.'}
        </p>
        {otherDestinations.length > 0 && (
          <SelectField
            id="escalation-next"
            label="Add a destination to the escalation"
            hideLabel
            size="sm"
            value=""
            onChange={({ target }) => {
              if (target.value === '' || save.isPending) return
              // The field is removed with its last option.
              if (otherDestinations.length === 1) list.current?.focus()
              save.mutate([...ids, target.value])
            }}
            className="w-60 max-w-full"
          >
            <option value="">Add a destination…</option>
            {otherDestinations.map(({ id, kind, name }) => (
              <option key={id} value={id}>
                {kindNames[kind]}, {name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Panel>
  )
}

/**
 * @param stepIndex the position among the destinations without a digest; -1 for one with a digest
 */
function formatStep(stepIndex: number): string {
  if (stepIndex < 0) return 'digest'
  return stepIndex === 0 ? 'at once' : `${stepIndex * STEP_MINUTES} min`
}
