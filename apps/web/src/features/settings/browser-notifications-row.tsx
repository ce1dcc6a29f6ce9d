import { useState } from 'react'
import { paths } from '../../paths.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  askForNotifications,
  type NotificationState,
  showNotification,
  useNotificationState,
} from '../live/notification.ts'
import type { PreferenceProps } from './preference-props.ts'
import { SwitchRow } from './switch-row.tsx'

const texts = settingsTexts.browserNotificationsRow

const about = texts.shownByYourSystem

/** What the account’s wish comes to in this browser. */
const details: Record<NotificationState, { on: string; off: string }> = {
  granted: { on: about, off: about },
  default: { on: texts.aboutThisBrowser({ about }), off: about },
  denied: {
    on: texts.onForYourAccount,
    off: texts.thisBrowserBlocks,
  },
  unsupported: {
    on: texts.onForYourAccountBut,
    off: texts.thisBrowserCantShow,
  },
}

export function BrowserNotificationsRow({ preferences, save }: PreferenceProps) {
  const isOn = preferences.browserNotifications
  const state = useNotificationState()
  const [isAsking, setIsAsking] = useState(false)

  function change(next: boolean) {
    if (next && state === 'default') setIsAsking(true)
    else if (next && state !== 'granted')
      toast({ title: texts.notPossibleInThisBrowser, description: details[state].off })
    else save({ browserNotifications: next })
  }

  async function enable() {
    setIsAsking(false)
    const answer = await askForNotifications()
    if (answer === 'granted') save({ browserNotifications: true })
    else if (answer === 'denied') toast({ title: texts.notificationsAreBlocked, description: details.denied.off })
  }

  return (
    <SwitchRow
      label={texts.browserNotifications}
      detail={details[state][isOn ? 'on' : 'off']}
      isOn={isOn}
      onChange={change}
    >
      {isOn && state === 'default' && (
        <Button size="sm" onClick={() => setIsAsking(true)}>
          {texts.enableHere}
        </Button>
      )}
      {isOn && state === 'granted' && (
        <Button size="sm" variant="ghost" onClick={sendTest}>
          {texts.test}
        </Button>
      )}
      <Dialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={texts.getAlerts}
        description={texts.yourBrowserWillAskWhether}
        footer={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>
              {texts.maybeLater}
            </Button>
            <Button variant="primary" onClick={() => void enable()}>
              {texts.enable}
            </Button>
          </>
        }
      >
        <p className="text-base">{texts.alertThatComes}</p>
      </Dialog>
    </SwitchRow>
  )
}

function sendTest() {
  const isShown = showNotification({
    title: texts.testNotification,
    body: texts.alertsWillLookLike,
    tag: 'test',
    onClick: () => window.location.assign(paths.settings),
  })
  if (!isShown) toast({ title: texts.notPossibleInThisBrowser, description: details.unsupported.off })
}
