import { useQuery } from '@tanstack/react-query'
import { useSavePreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { helpRequests } from '../live/help-requests.ts'
import { BrowserNotificationsRow } from './browser-notifications-row.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRows } from './setting-row.tsx'
import { SoundRow } from './sound-row.tsx'
import { SwitchRow } from './switch-row.tsx'

/**
 * How alerts reach the reader. Kept with the account: another device has them when somebody turns
 * to it.
 */
export function NotificationsSection() {
  const chosen = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title="Notification preferences" flush footer="Kept with your account, for all your devices.">
      <ReadState query={chosen} what="your notification preferences" rows={6}>
        {(preferences) => (
          <SettingRows>
            <SwitchRow
              label="Real-time alerts"
              detail="Alerts appear by themselves and are announced. Off: pages show what was there when they were loaded or refreshed, and nothing is announced."
              isOn={preferences.realTimeAlerts}
              onChange={(realTimeAlerts) => save({ realTimeAlerts })}
            />
            <SwitchRow
              label="Auto-verify signatures"
              detail="This browser checks the content, signature and path of each alert that comes in. One that fails is marked “Proof failed” and never announced as an alert."
              isOn={preferences.autoVerify}
              onChange={(autoVerify) => save({ autoVerify })}
            />
            <SwitchRow
              label="High priority only"
              detail="Announces high and critical alerts alone. Lists stay complete."
              isOn={preferences.highPriorityOnly}
              onChange={(highPriorityOnly) => save({ highPriorityOnly })}
            />
            <BrowserNotificationsRow preferences={preferences} save={save} />
            <SoundRow preferences={preferences} save={save} />
            <SwitchRow
              label="Keyboard shortcuts"
              detail="Single keys, such as p to pause. They rest while you type."
              isOn={preferences.shortcuts}
              onChange={(shortcuts) => save({ shortcuts })}
            >
              <Button size="sm" variant="ghost" className="phone:hidden" onClick={() => helpRequests.ask()}>
                Show keys
              </Button>
            </SwitchRow>
          </SettingRows>
        )}
      </ReadState>
    </Panel>
  )
}
