import { useQuery } from '@tanstack/react-query'
import { useSavePreferences } from '../../preferences.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { helpRequests } from '../live/help-requests.ts'
import { BrowserNotificationsRow } from './browser-notifications-row.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRows } from './setting-row.tsx'
import { SoundRow } from './sound-row.tsx'
import { SwitchRow } from './switch-row.tsx'

const texts = settingsTexts.notificationsSection

/** How alerts reach the reader. Kept with the account: another device has them when somebody turns to it. */
export function NotificationsSection() {
  const chosen = useQuery(queries.preferences)
  const save = useSavePreferences()
  return (
    <Panel title={texts.notificationPreferences} flush footer={texts.keptWithYourAccount}>
      <ReadState query={chosen} what={texts.yourNotification} rows={6}>
        {(preferences) => (
          <SettingRows>
            <SwitchRow
              label={texts.realTimeAlerts}
              detail={texts.alertsAppearByThemselves}
              isOn={preferences.realTimeAlerts}
              onChange={(realTimeAlerts) => save({ realTimeAlerts })}
            />
            <SwitchRow
              label={texts.autoVerifySignatures}
              detail={texts.thisBrowserChecks}
              isOn={preferences.autoVerify}
              onChange={(autoVerify) => save({ autoVerify })}
            />
            <SwitchRow
              label={texts.highPriorityOnly}
              detail={texts.announcesHighAndCritical}
              isOn={preferences.highPriorityOnly}
              onChange={(highPriorityOnly) => save({ highPriorityOnly })}
            />
            <BrowserNotificationsRow preferences={preferences} save={save} />
            <SoundRow preferences={preferences} save={save} />
            <SwitchRow
              label={texts.keyboardShortcuts}
              detail={texts.singleKeysSuchAsP}
              isOn={preferences.shortcuts}
              onChange={(shortcuts) => save({ shortcuts })}
            >
              <Button size="sm" variant="ghost" className="phone:hidden" onClick={() => helpRequests.ask()}>
                {texts.showKeys}
              </Button>
            </SwitchRow>
          </SettingRows>
        )}
      </ReadState>
    </Panel>
  )
}
