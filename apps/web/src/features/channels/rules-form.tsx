import { useQuery } from '@tanstack/react-query'
import { type DeliveryRules, type Destination, type Priority, priorities } from '@tocsin/protocol'
import { Star } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { formatCountOf } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { DigestField } from './digest-field.tsx'
import { NameChips } from './name-chips.tsx'
import { QuietHoursFields } from './quiet-hours-fields.tsx'
import { type DeliverySettings, formatMinutes, omitSavedSettings } from './rule-texts.ts'
import { RulesPreview } from './rules-preview.tsx'
import { useDestinationChange } from './use-destination-change.ts'

const confidences = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
const coolDowns = [0, 5, 10, 15, 30, 60, 240, 1_440]
const hourlyLimits = [1, 2, 3, 6, 12, 30, 60]

/**
 * Form for which alerts a destination receives, and when. Edits have no effect until they are
 * saved.
 */
export function RulesForm({ destination }: { destination: Destination }) {
  const { id } = destination
  const [draft, setDraft] = useState<Partial<DeliverySettings>>({})
  const { rules, quietHours, digest } = { ...destination, ...draft }
  const isEmptyPeriod = quietHours !== null && quietHours.from === quietHours.to
  const changeCount = countChanges(destination, { rules, quietHours, digest })
  const save = useDestinationChange(
    (changedSettings: Partial<DeliverySettings>) =>
      call('changeDestination', { params: { id }, body: changedSettings }),
    (_answer, savedSettings, reload) => {
      // Wait for the reload. Otherwise, the form would show the previous rule for a moment.
      void reload.then(() => setDraft((currentDraft) => omitSavedSettings(currentDraft, savedSettings)))
      toast({ title: 'Rule saved', description: 'It applies to new alerts.', variant: 'success' })
    },
  )
  const change = (part: Partial<DeliveryRules>) => setDraft({ ...draft, rules: { ...rules, ...part } })
  return (
    <section aria-label="Rule" className="grid gap-5 border-t border-line-1 p-5 phone:p-4">
      <Names rules={rules} id={id} onChange={change} />
      <div>
        <p className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3 text-base font-medium">
          Lowest priority <span className="text-hint font-normal text-2">and everything above it</span>
        </p>
        <Segmented<Priority>
          label="Lowest priority"
          size="lg"
          value={rules.lowestPriority}
          onChange={(lowestPriority) => change({ lowestPriority })}
          choices={priorities.map((value) => ({
            value,
            label: <PriorityGlyph priority={value} word size={10} className="gap-1.5 max-[374px]:[&_svg]:hidden" />,
          }))}
        />
      </div>
      <Limits rules={rules} id={id} onChange={change} />
      <RulesPreview rules={rules} />
      <QuietHoursFields
        id={id}
        value={quietHours}
        hasDigest={digest !== null}
        onChange={(value) => setDraft({ ...draft, quietHours: value })}
      />
      <DigestField id={id} value={digest} onChange={(value) => setDraft({ ...draft, digest: value })} />
      <div className="-mx-5 -mb-5 flex flex-wrap items-center gap-3 border-t border-line-1 px-5 py-3 phone:-mx-4 phone:-mb-4 phone:px-4">
        <Button disabled={changeCount === 0 || isEmptyPeriod} busy={save.isPending} onClick={() => save.mutate(draft)}>
          {save.isPending ? 'Saving…' : 'Save rule'}
        </Button>
        <Button variant="ghost" disabled={changeCount === 0} onClick={() => setDraft({})}>
          Discard
        </Button>
        <span aria-live="polite" className="ml-auto text-hint text-2">
          {changeCount === 0 ? '' : formatCountOf(changeCount, 'unsaved change')}
        </span>
      </div>
    </section>
  )
}

interface PartProps {
  rules: DeliveryRules
  id: string
  onChange: (part: Partial<DeliveryRules>) => void
}

function Names({ rules, id, onChange }: PartProps) {
  const { data: facets } = useQuery(alertQueries.facets)
  const { assets, types, regimes, watchlist } = rules
  return (
    <>
      <NameChips
        id={`${id}-asset`}
        label="Assets"
        one="asset"
        all={watchlist ? '' : 'All'}
        names={assets}
        suggestions={facets?.assets ?? []}
        onChange={(names) => onChange({ assets: names })}
      >
        <Chip pressed={watchlist} onClick={() => onChange({ watchlist: !watchlist })}>
          <Star aria-hidden size={14} strokeWidth={2.25} />
          Watchlist
        </Chip>
      </NameChips>
      <div className="grid grid-cols-2 gap-3">
        <NameChips
          id={`${id}-type`}
          label="Types"
          one="type"
          all="All"
          names={types}
          suggestions={facets?.types ?? []}
          onChange={(names) => onChange({ types: names })}
        />
        <NameChips
          id={`${id}-regime`}
          label="Regimes"
          one="regime"
          all="All"
          names={regimes}
          suggestions={[]}
          onChange={(names) => onChange({ regimes: names })}
        />
      </div>
    </>
  )
}

function Limits({ rules, id, onChange }: PartProps) {
  const { lowestConfidence, coolDownMinutes, mostPerHour } = rules
  return (
    <div className="grid grid-cols-3 gap-3 max-[479px]:grid-cols-2 max-[374px]:grid-cols-1">
      <NumberSelect
        id={`${id}-confidence`}
        label="Confidence"
        value={lowestConfidence}
        choices={confidences}
        format={(percent) => (percent === 0 ? 'Any' : `From ${percent}%`)}
        onChange={(percent) => onChange({ lowestConfidence: percent })}
      />
      <NumberSelect
        id={`${id}-cool-down`}
        label="Cool-down"
        value={coolDownMinutes}
        choices={coolDowns}
        format={(minutes) => (minutes === 0 ? 'None' : formatMinutes(minutes))}
        onChange={(minutes) => onChange({ coolDownMinutes: minutes })}
      />
      <NumberSelect
        id={`${id}-limit`}
        label="At most"
        value={mostPerHour ?? 0}
        choices={[0, ...hourlyLimits]}
        format={(count) => (count === 0 ? 'Any' : `${count} an hour`)}
        onChange={(count) => onChange({ mostPerHour: count === 0 ? null : count })}
      />
    </div>
  )
}

interface NumberSelectProps {
  id: string
  label: ReactNode
  value: number
  choices: readonly number[]
  format: (value: number) => string
  onChange: (value: number) => void
}

/** Field to choose a number. The choices include the stored value, which a program may have set. */
function NumberSelect({ id, label, value, choices, format, onChange }: NumberSelectProps) {
  const allChoices = [...new Set([...choices, value])].sort((a, b) => a - b)
  return (
    <SelectField id={id} label={label} value={value} onChange={({ target }) => onChange(Number(target.value))}>
      {allChoices.map((each) => (
        <option key={each} value={each}>
          {format(each)}
        </option>
      ))}
    </SelectField>
  )
}

/** Counts the changed settings. Each field of the rules counts as one setting. */
function countChanges(savedSettings: DeliverySettings, editedSettings: DeliverySettings): number {
  const isChanged = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)
  const names = Object.keys(editedSettings.rules).filter((name) => {
    const key = name as keyof DeliveryRules
    return isChanged(savedSettings.rules[key], editedSettings.rules[key])
  })
  const otherChanges = (['quietHours', 'digest'] as const).filter((name) =>
    isChanged(savedSettings[name], editedSettings[name]),
  )
  return names.length + otherChanges.length
}
