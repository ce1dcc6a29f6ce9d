import { useQuery } from '@tanstack/react-query'
import { densities, hourCycles } from '@tocsin/protocol'
import { useSavePreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { ThemeToggle } from '../../ui/theme-toggle.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { knownZone } from '../../use-appearance.ts'
import type { PreferenceProps } from './preference-props.ts'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'

const texts = settingsTexts.appearanceSection

const densityWords = { comfortable: texts.comfortable, compact: texts.compact }
const densityChoices = densities.map((value) => ({ value, label: densityWords[value] }))
const clockChoices = hourCycles.map((value) => ({ value, label: `${value} h` }))

/** How pages look: the theme of this browser, the rest of the account. */
export function AppearanceSection() {
  const chosen = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title={texts.appearance} flush>
      <ul>
        <SettingRow label={texts.theme} detail={texts.ofThisBrowserSystemFollows}>
          <ThemeToggle />
        </SettingRow>
      </ul>
      <div className="border-t border-line-1">
        <ReadState query={chosen} what={texts.yourChoices} rows={3}>
          {(preferences) => (
            <SettingRows>
              <SettingRow label={texts.rows} detail={texts.ofTheLiveInsights}>
                <Segmented
                  label={texts.rows}
                  value={preferences.density}
                  onChange={(density) => save({ density })}
                  choices={densityChoices}
                />
              </SettingRow>
              <ZoneRow preferences={preferences} save={save} />
              <SettingRow label={texts.clock} detail={<Now />}>
                <Segmented
                  label={texts.clock}
                  value={preferences.hourCycle}
                  onChange={(hourCycle) => save({ hourCycle })}
                  choices={clockChoices}
                />
              </SettingRow>
            </SettingRows>
          )}
        </ReadState>
      </div>
    </Panel>
  )
}

function Now() {
  const { data: status } = useQuery(queries.status)
  if (!status) return texts.hoursOfTheDay
  return (
    <>{texts.upSinceStartedAtZone({ startedAt: <Time at={status.startedAt} show="clock" />, zone: <ZoneName /> })}</>
  )
}

function ZoneRow({ preferences: { timeZone }, save }: PreferenceProps) {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')
  return (
    <SettingRow label={texts.timeZone} detail={texts.ofAllTimesOnSigned}>
      <SelectField
        id="time-zone"
        label={texts.timeZone}
        hideLabel
        size="sm"
        value={timeZone}
        onChange={({ target }) => save({ timeZone: target.value })}
        className="w-52"
      >
        <option value="UTC">UTC</option>
        <option value="browser">{texts.thisDeviceKnownZone({ knownZone: knownZone('browser') })}</option>
        <optgroup label={texts.always}>
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
