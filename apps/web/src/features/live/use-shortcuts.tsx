import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { helpRequests } from './help-requests.ts'
import { type Keys, readPress } from './shortcuts.ts'

const ShortcutsDialog = lazyLoad(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog)

/**
 * Handles keyboard shortcuts if `isOn`. Returns the help dialog to render, which the help button
 * opens even if shortcuts are off.
 */
export function useShortcuts(isOn: boolean): ReactNode {
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  useEffect(() => helpRequests.listen(() => setIsHelpOpen(true)), [])
  useEffect(() => {
    if (!isOn) return
    let started: ReturnType<typeof readPress>['started'] = null
    const listen = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, repeat, isComposing, defaultPrevented } = event
      const isTyping = isComposing || defaultPrevented || isTextField(event.target) || isDialogOpen()
      const press = {
        key,
        atMs: event.timeStamp,
        isModified: altKey || ctrlKey || metaKey,
        isRepeated: repeat,
        isTyping,
      }
      const read = readPress(started, press)
      started = read.started
      if (read.keys && run(read.keys)) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn])
  if (!isHelpOpen) return null
  return (
    <Suspense>
      <ShortcutsDialog isOn={isOn} onClose={() => setIsHelpOpen(false)} />
    </Suspense>
  )
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isText = target.matches('input:not([type=checkbox],[type=radio],[type=range],[type=button]), textarea, select')
  return isText || target.isContentEditable
}

/** Shortcuts are disabled while a dialog is open. */
function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
}

/** Runs the shortcut. Returns false if there is nothing to act on. */
function run(keys: Keys): boolean {
  if (keys === '?') return helpRequests.ask()
  if (keys === 'j' || keys === 'k') return focusRow(keys === 'j' ? 1 : -1)
  const control = visible(`[data-keys="${keys}"]`)[0]
  if (!control) return false
  if (control instanceof HTMLInputElement) {
    control.focus()
    control.select()
  } else control.click()
  return true
}

/** Moves focus to the next or previous alert row, or to the first if no row is focused. */
function focusRow(by: 1 | -1): boolean {
  const rows = visible('[data-alert-row]')
  const focused = document.activeElement
  const at = focused instanceof HTMLElement ? rows.indexOf(focused) : -1
  const next = at === -1 ? rows[0] : rows[at + by]
  next?.focus()
  return next !== undefined
}

function visible(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.getClientRects().length > 0)
}
