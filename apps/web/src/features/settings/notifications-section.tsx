import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useSavePreferences } from '../../session/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { helpRequests } from '../live/help-requests.ts'
import { BrowserNotificationsRow } from './browser-notifications-row.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRows } from './setting-row.tsx'
import { SoundRow } from './sound-row.tsx'
import { SwitchRow } from './switch-row.tsx'

/** Notification settings. Stored in the account, so they apply to all its devices. */
export function NotificationsSection() {
  const chosen = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title="Notification preferences" flush footer="Saved in your account, for all your devices.">
      <ReadState query={chosen} what="your notification preferences" rows={6}>
        {(preferences) => (
          <SettingRows>
            <SwitchRow
              label="Real-time alerts"
              detail="New alerts appear and are announced at once. Off: pages change only when you reload or refresh them, and nothing is announced."
              isOn={preferences.realTimeAlerts}
              onChange={(realTimeAlerts) => save({ realTimeAlerts })}
            />
            <SwitchRow
              label="Auto-verify signatures"
              detail="This browser checks the content, signature and path of each new alert. An alert that fails is marked “Proof failed” and is not announced as an alert."
              isOn={preferences.autoVerify}
              onChange={(autoVerify) => save({ autoVerify })}
            />
            <SwitchRow
              label="High priority only"
              detail="Announces only high and critical alerts. Lists still show all alerts."
              isOn={preferences.highPriorityOnly}
              onChange={(highPriorityOnly) => save({ highPriorityOnly })}
            />
            <BrowserNotificationsRow preferences={preferences} save={save} />
            <SoundRow preferences={preferences} save={save} />
            <SwitchRow
              label="Keyboard shortcuts"
              detail="Single keys, such as p to pause. They are inactive while you type."
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
