import { useQuery } from '@tanstack/react-query'
import { densities, hourCycles } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { useSavePreferences } from '../../session/preferences.ts'
import { resolveTimeZone } from '../../ui/known-zone.ts'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import type { PreferenceProps } from './preference-props.ts'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'

const densityLabels = { comfortable: 'Comfortable', compact: 'Compact' }
const densityChoices = densities.map((value) => ({ value, label: densityLabels[value] }))
const clockChoices = hourCycles.map((value) => ({ value, label: `${value} h` }))

/** Appearance settings. The theme is stored in this browser, the others in the account. */
export function AppearanceSection() {
  const chosenPreferences = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title="Appearance" flush>
      <ul>
        <SettingRow label="Theme" detail="For this browser. “System” follows your device.">
          <ThemeToggle />
        </SettingRow>
      </ul>
      <div className="border-t border-line-1">
        <QueryContent query={chosenPreferences} what="your appearance settings" rows={3}>
          {(preferences) => (
            <SettingRows>
              <SettingRow label="Rows" detail="For lists of alerts.">
                <Segmented
                  label="Rows"
                  value={preferences.density}
                  onChange={(density) => save({ density })}
                  choices={densityChoices}
                />
              </SettingRow>
              <ZoneRow preferences={preferences} save={save} />
              <SettingRow label="Clock" detail={<ClockExample />}>
                <Segmented
                  label="Clock"
                  value={preferences.hourCycle}
                  onChange={(hourCycle) => save({ hourCycle })}
                  choices={clockChoices}
                />
              </SettingRow>
            </SettingRows>
          )}
        </QueryContent>
      </div>
    </Panel>
  )
}

function ClockExample() {
  const { data: status } = useQuery(queries.status)
  if (!status) return 'Times in 24-hour or 12-hour form.'
  return (
    <>
      Example: <Time at={status.startedAt} show="clock" /> <ZoneName />.
    </>
  )
}

function ZoneRow({ preferences: { timeZone }, save }: PreferenceProps) {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')
  return (
    <SettingRow label="Time zone" detail="For all times on signed-in pages. Tooltips also show UTC.">
      <SelectField
        id="time-zone"
        label="Time zone"
        hideLabel
        size="sm"
        value={timeZone}
        onChange={({ target }) => save({ timeZone: target.value })}
        className="w-52"
      >
        <option value="UTC">UTC</option>
        <option value="browser">This device: {resolveTimeZone('browser')}</option>
        <optgroup label="Always">
          {(zones.includes(timeZone) || timeZone === 'UTC' || timeZone === 'browser'
            ? zones
            : [timeZone, ...zones]
          ).map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </optgroup>
      </SelectField>
    </SettingRow>
  )
}
