import { BellOff, Share, Smartphone } from 'lucide-react'
import { Notice } from '../account/notice.tsx'
import type { PushSupport } from './push-device.ts'

/** What happens when this browser is added, or why it cannot be. */
export function PushSetup({ support }: { support: PushSupport }) {
  if (support === 'install') return <InstallSteps />
  if (support === 'denied') {
    return (
      <Notice tone="medium" icon={BellOff} title="This browser blocks notifications from this site">
        Allow them in the site settings, beside the address, then reload this page.
      </Notice>
    )
  }
  if (support === 'unsupported') {
    return (
      <Notice tone="medium" icon={BellOff} title="This browser has no web push">
        It may need a newer version, a window that is not private, or https.
      </Notice>
    )
  }
  return (
    <p className="text-base text-2">
      Adds the device that you are using now. Your browser asks whether this site may show notifications. Alerts arrive
      when no page is open, also after you log out, until you delete the device here.
    </p>
  )
}

const steps: { text: string; icon?: typeof Share }[] = [
  { text: 'Open this page in Safari.' },
  { text: 'Tap Share, then Add to Home Screen, then Add.', icon: Share },
  { text: 'Open Tocsin from the Home Screen and log in.', icon: Smartphone },
  { text: 'Go to Settings, Channels, and add this device.' },
]

/** iOS sends push messages to apps on the Home Screen only. */
function InstallSteps() {
  return (
    <div className="grid gap-3 text-base">
      <p>iPhone and iPad show push messages of apps on the Home Screen only. This needs iOS 16.4 or newer.</p>
      <ol className="grid gap-2">
        {steps.map(({ text, icon: Icon }, index) => (
          <li key={text} className="flex items-center gap-3 border border-line-1 bg-ink-2 px-3 py-2">
            <span className="text-data text-2">{index + 1}</span>
            <span className="flex-1">{text}</span>
            {Icon && <Icon aria-hidden size={20} strokeWidth={2.25} className="text-2" />}
          </li>
        ))}
      </ol>
    </div>
  )
}
