import { useSavePreferences } from '../../session/preferences.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { KeyboardKey } from './key.tsx'
import { shortcuts } from './shortcuts.ts'

type ShortcutsDialogProps = { isOn: boolean; onClose: () => void }

/** Lists the keyboard shortcuts, with a switch to disable them. */
export function ShortcutsDialog({ isOn, onClose }: ShortcutsDialogProps) {
  const save = useSavePreferences()
  return (
    <Dialog
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Keyboard shortcuts"
      description="Each key activates a control of the page. Shortcuts are off while you type."
    >
      <div className="flex min-h-11 items-center justify-between gap-4">
        <span className="text-base font-medium">Single-key shortcuts</span>
        <Switch label="Single-key shortcuts" isOn={isOn} onChange={(shortcuts) => save({ shortcuts })} />
      </div>
      <dl className="mt-2 divide-y divide-line-1 border-t border-line-1">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
            <dt className={isOn ? 'text-base' : 'text-base text-2'}>{label}</dt>
            <dd className="flex gap-1">
              {keys.split(' ').map((key) => (
                <KeyboardKey key={key}>{key}</KeyboardKey>
              ))}
            </dd>
          </div>
        ))}
        <div className="flex min-h-9 items-center justify-between gap-4 py-1.5">
          <dt className="text-base">Search pages, assets, alerts and actions</dt>
          <dd className="flex gap-1">
            <KeyboardKey>Ctrl or ⌘</KeyboardKey>
            <KeyboardKey>K</KeyboardKey>
          </dd>
        </div>
        <div className="flex min-h-9 items-center justify-between gap-4 py-1.5">
          <dt className="text-base">Move to the alert messages</dt>
          <dd className="flex gap-1">
            <KeyboardKey>Alt</KeyboardKey>
            <KeyboardKey>T</KeyboardKey>
          </dd>
        </div>
        <div className="flex min-h-9 items-center justify-between gap-4 py-1.5">
          <dt className="text-base">Move to the newest message</dt>
          <dd>
            <KeyboardKey>F8</KeyboardKey>
          </dd>
        </div>
      </dl>
    </Dialog>
  )
}
