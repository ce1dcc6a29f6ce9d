import { type Destination, type OptionalEvent, optionalEvents } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { useDestinationChange } from './use-destination-change.ts'

const eventLabels: Record<OptionalEvent, string> = {
  anchored: 'When an alert is anchored',
  outcome: 'Outcomes of predictions',
}

/** Checkboxes for the events that a destination receives besides new alerts. */
export function EventChoice({ destination: { id, kind, events } }: { destination: Destination }) {
  // The event "anchored" is offered for webhooks only, because only programs need the proof.
  const offeredEvents = optionalEvents.filter((event) => event !== 'anchored' || kind === 'webhook')
  const save = useDestinationChange((chosenEvents: OptionalEvent[]) =>
    call('changeDestination', { params: { id }, body: { events: chosenEvents } }),
  )
  const shownEvents = save.isPending ? save.variables : events
  return (
    // Not disabled while the change is saved: a disabled checkbox would lose the keyboard focus.
    <fieldset aria-busy={save.isPending} className="grid gap-1 border-t border-line-1 px-5 py-3 phone:px-4">
      <legend className="sr-only">Additional events</legend>
      <p aria-hidden className="text-hint text-2">
        Additional events
      </p>
      {offeredEvents.map((event) => (
        <Checkbox
          key={event}
          label={eventLabels[event]}
          checked={shownEvents.includes(event)}
          onChange={({ target }) =>
            !save.isPending &&
            save.mutate(optionalEvents.filter((each) => (each === event ? target.checked : shownEvents.includes(each))))
          }
        />
      ))}
    </fieldset>
  )
}
