import type { QuietHours } from '@tocsin/protocol'
import { Chip } from '../../ui/chip.tsx'
import { getMinuteOfDay } from '../../ui/format-time.ts'
import { resolveTimeZone } from '../../ui/known-zone.ts'
import { useNow } from '../../ui/now.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { formatDays, formatMinuteOfDay, formatSpan, parseMinuteOfDay, weekdays } from './rule-texts.ts'

const DAY_MINUTES = 1_440

interface QuietHoursFieldsProps {
  id: string
  value: QuietHours | null
  /** True if the destination gets its alerts as a digest. */
  hasDigest: boolean
  onChange: (value: QuietHours | null) => void
}

/** Fields for the days, hours and time zone in which alerts are held back. */
export function QuietHoursFields({ id, value, hasDigest, onChange }: QuietHoursFieldsProps) {
  const timeZone = resolveTimeZone(useTimeStyle().timeZone)
  const labelId = `${id}-quiet`
  const defaultQuietHours: QuietHours = {
    days: [1, 2, 3, 4, 5, 6, 7],
    from: 1_320,
    to: 420,
    timeZone,
    criticalPasses: true,
  }
  const toggle = (isOn: boolean) => onChange(isOn ? defaultQuietHours : null)
  return (
    <fieldset aria-labelledby={labelId} className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Switch labelledBy={labelId} isOn={value !== null} onChange={toggle} />
        <span id={labelId} className="text-base font-medium">
          Quiet hours
        </span>
        {value !== null && (
          <span className="ml-auto text-hint text-2">
            {value.timeZone}, {formatDays(value.days)}
          </span>
        )}
      </div>
      {value !== null && (
        <Fields id={id} value={value} hasDigest={hasDigest} zones={listZones(timeZone, value)} onChange={onChange} />
      )}
    </fieldset>
  )
}

interface FieldsProps {
  id: string
  value: QuietHours
  hasDigest: boolean
  zones: readonly string[]
  onChange: (value: QuietHours) => void
}

function Fields({ id, value, hasDigest, zones, onChange }: FieldsProps) {
  const { days, from, to, timeZone, criticalPasses } = value
  const labelId = `${id}-critical`
  const setTime = (name: 'from' | 'to', text: string) => {
    const minute = parseMinuteOfDay(text)
    if (minute !== null) onChange({ ...value, [name]: minute })
  }
  const toggleDay = (day: number) => {
    const chosenDays = days.includes(day) ? days.filter((each) => each !== day) : [...days, day].sort()
    // At least one day stays selected, because quiet hours without a day would have no effect.
    if (chosenDays.length > 0) onChange({ ...value, days: chosenDays })
  }
  return (
    <>
      <QuietBar value={value} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          id={`${id}-from`}
          label="From"
          type="time"
          value={formatMinuteOfDay(from)}
          onChange={({ target }) => setTime('from', target.value)}
        />
        <TextField
          id={`${id}-to`}
          label="To"
          type="time"
          value={formatMinuteOfDay(to)}
          error={from === to ? 'Choose a time other than From' : undefined}
          onChange={({ target }) => setTime('to', target.value)}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        {weekdays.map((name, index) => (
          <Chip key={name} pressed={days.includes(index + 1)} onClick={() => toggleDay(index + 1)}>
            {name}
          </Chip>
        ))}
      </div>
      <SelectField
        id={`${id}-zone`}
        label="Time zone"
        value={timeZone}
        onChange={({ target }) => onChange({ ...value, timeZone: target.value })}
      >
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </SelectField>
      {hasDigest ? (
        <p className="text-base text-2">Critical alerts go into the digest, too.</p>
      ) : (
        <div className="flex items-center gap-3">
          <Switch
            labelledBy={labelId}
            isOn={criticalPasses}
            onChange={(isOn) => onChange({ ...value, criticalPasses: isOn })}
          />
          <span id={labelId} className="text-base">
            Send critical alerts at once, the others as one digest at {formatMinuteOfDay(to)}
          </span>
        </div>
      )}
    </>
  )
}

/** Bar of the day from 00:00 to 24:00, with hatched quiet hours and a mark for the current time. */
function QuietBar({ value }: { value: QuietHours }) {
  const { from, to, timeZone } = value
  const barSpans =
    from < to
      ? [[from, to]]
      : [
          [0, to],
          [from, DAY_MINUTES],
        ]
  const currentMinute = useNow((nowMs) => getMinuteOfDay(nowMs, { timeZone, hourCycle: '24' }))
  const formatPercent = (minute: number) => `${(minute / DAY_MINUTES) * 100}%`
  return (
    <div role="img" aria-label={`Quiet ${formatSpan(value)}`}>
      <div className="relative h-4 border border-line-1 bg-ink-0">
        {barSpans.map(([start = 0, end = 0]) => (
          <span
            key={start}
            className="absolute inset-y-0 bg-[repeating-linear-gradient(135deg,var(--color-line-2)_0_2px,transparent_2px_5px)]"
            style={{ left: formatPercent(start), width: formatPercent(end - start) }}
          />
        ))}
        <span className="absolute -inset-y-0.5 w-0.5 bg-text-1" style={{ left: formatPercent(currentMinute) }} />
      </div>
      <div className="mt-1 flex justify-between text-data text-hint text-2">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{formatMinuteOfDay(hour * 60)}</span>
        ))}
      </div>
    </div>
  )
}

/**
 * Returns the time zones to choose from: the stored zone, those of the page and the device, and
 * UTC.
 */
function listZones(pageZone: string, { timeZone }: QuietHours): string[] {
  return [...new Set([timeZone, pageZone, resolveTimeZone('browser'), 'UTC'])]
}
