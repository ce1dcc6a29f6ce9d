import type { DigestTimes } from '@tocsin/protocol'
import { resolveTimeZone } from '../../ui/known-zone.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { formatMinuteOfDay } from './rule-texts.ts'

const USUAL_HOUR = 20

interface DigestFieldProps {
  id: string
  value: DigestTimes | null
  onChange: (value: DigestTimes | null) => void
}

/** Field to choose whether alerts are sent immediately, or as an hourly or daily digest. */
export function DigestField({ id, value, onChange }: DigestFieldProps) {
  const timeZone = resolveTimeZone(useTimeStyle().timeZone)
  const choose = (every: string) => {
    if (every === 'hour') onChange({ every })
    else onChange(every === 'day' ? { every, hour: USUAL_HOUR, timeZone } : null)
  }
  return (
    <div className="grid grid-cols-2 gap-3">
      <SelectField
        id={`${id}-digest`}
        label="Alerts arrive"
        value={value?.every ?? 'once'}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="once">At once</option>
        <option value="hour">As an hourly digest</option>
        <option value="day">As a daily digest</option>
      </SelectField>
      {value?.every === 'day' && (
        <SelectField
          id={`${id}-digest-hour`}
          label="At"
          aside={value.timeZone}
          value={value.hour}
          onChange={({ target }) => onChange({ ...value, hour: Number(target.value) })}
        >
          {Array.from({ length: 24 }, (_, hour) => (
            <option key={formatMinuteOfDay(hour * 60)} value={hour}>
              {formatMinuteOfDay(hour * 60)}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  )
}
