import { useState } from 'react'
import { paths } from '../../paths.ts'
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

const description = 'Shown by your system while you are not using this site. A click opens the alert.'

/** Texts below the label, by the permission of the browser and the setting of the account. */
const stateDetails: Record<NotificationState, { on: string; off: string }> = {
  granted: { on: description, off: description },
  default: { on: `${description} This browser has not granted permission yet.`, off: description },
  denied: {
    on: 'On for your account, but this browser blocks notifications from this site. Allow notifications in the site settings, beside the address, then come back.',
    off: 'This browser blocks notifications from this site. Allow notifications in the site settings, beside the address, then come back.',
  },
  unsupported: {
    on: 'On for your account, but this browser can’t show notifications from this page. Open the page over HTTPS, or install it as an app.',
    off: 'This browser can’t show notifications from this page. Open the page over HTTPS, or install it as an app.',
  },
}

export function BrowserNotificationsRow({ preferences, save }: PreferenceProps) {
  const isOn = preferences.browserNotifications
  const state = useNotificationState()
  const [isAsking, setIsAsking] = useState(false)

  function change(next: boolean) {
    if (next && state === 'default') setIsAsking(true)
    else if (next && state !== 'granted')
      toast({ title: 'Not available in this browser', description: stateDetails[state].off })
    else save({ browserNotifications: next })
  }

  async function enable() {
    setIsAsking(false)
    const permission = await askForNotifications()
    if (permission === 'granted') save({ browserNotifications: true })
    else if (permission === 'denied')
      toast({ title: 'Notifications are blocked', description: stateDetails.denied.off })
  }

  return (
    <SwitchRow
      label="Browser notifications"
      detail={stateDetails[state][isOn ? 'on' : 'off']}
      isOn={isOn}
      onChange={change}
    >
      {isOn && state === 'default' && (
        <Button size="sm" onClick={() => setIsAsking(true)}>
          Enable here
        </Button>
      )}
      {isOn && state === 'granted' && (
        <Button size="sm" variant="ghost" onClick={sendTest}>
          Test
        </Button>
      )}
      <Dialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Get alerts while you are elsewhere?"
        description="Your browser will ask whether this site may show notifications."
        footer={
          <>
            <Button variant="ghost" onClick={() => setIsAsking(false)}>
              Maybe Later
            </Button>
            <Button variant="primary" onClick={() => void enable()}>
              Enable
            </Button>
          </>
        }
      >
        <p className="text-base">
          Your system shows alerts that arrive while you are not using this site, with priority, asset and summary.
          Other people who see your screen can read them. You can turn notifications off here at any time.
        </p>
      </Dialog>
    </SwitchRow>
  )
}

function sendTest() {
  const isShown = showNotification({
    title: 'Test notification',
    body: 'Alerts will look like this. A click brings you back here.',
    tag: 'test',
    onClick: () => window.location.assign(paths.settings),
  })
  if (!isShown) toast({ title: 'Not available in this browser', description: stateDetails.unsupported.off })
}
