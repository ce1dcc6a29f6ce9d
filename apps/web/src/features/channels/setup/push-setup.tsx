import { BellOff } from 'lucide-react'
import { Notice } from '../../account/notice.tsx'
import type { PushSupport } from '../push-device.ts'
import { SetupSteps, type Step, StepList } from './setup-steps.tsx'

/** Explains what happens when this browser is added, or why it can't be added. */
export function PushSetup({ support }: { support: PushSupport }) {
  if (support === 'install') return <InstallSteps />
  if (support === 'denied') {
    return (
      <Notice tone="medium" icon={BellOff} title="This browser blocks notifications from this site">
        Allow notifications in the site settings, beside the address, then reload this page.
      </Notice>
    )
  }
  if (support === 'unsupported') {
    return (
      <Notice tone="medium" icon={BellOff} title="This browser does not support web push">
        Try a newer version, a window that is not private, or an https address.
      </Notice>
    )
  }
  return <SetupSteps kind="web-push" />
}

const steps: Step[] = [
  {
    text: 'Open this page in Safari and tap Share.',
    picture: { shape: 'field', label: 'Safari', value: 'Settings, Channels', button: 'Share' },
  },
  {
    text: 'Tap Add to Home Screen, then Add.',
    picture: { shape: 'menu', entries: ['Copy', 'Add to Home Screen', 'Find on Page'], chosen: 1 },
  },
  {
    text: 'Open Tocsin from the Home Screen, log in, and add this device under Settings, Channels.',
    picture: { shape: 'message', from: 'Home Screen', text: 'Tocsin', button: 'Open' },
  },
]

/** Steps to install the app, because iOS sends push messages only to apps on the Home Screen. */
function InstallSteps() {
  return (
    <div className="grid gap-3 text-base">
      <p>iPhone and iPad show push messages of apps on the Home Screen only. This needs iOS 16.4 or newer.</p>
      <StepList steps={steps} />
    </div>
  )
}
