import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { shortcutsDialogRequests } from './open-requests.ts'
import { alertKeys, runShortcut } from './run-shortcut.ts'
import { interpretKeyPress } from './shortcuts.ts'

const ShortcutsDialog = lazyLoad(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog)

/**
 * Handles keyboard shortcuts if `isOn`. Returns the help dialog to render. The help button opens
 * the dialog even if shortcuts are off.
 */
export function useShortcuts(isOn: boolean): ReactNode {
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  useEffect(() => shortcutsDialogRequests.listen(() => setIsHelpOpen(true)), [])
  useEffect(() => {
    if (!isOn) return
    let startedSequence: ReturnType<typeof interpretKeyPress>['started'] = null
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, repeat, isComposing, defaultPrevented } = event
      const isIgnored =
        isComposing || defaultPrevented || takesLetters(event.target) || isDialogOpen(':not([data-detail])')
      const press = {
        key,
        atMs: event.timeStamp,
        isModified: altKey || ctrlKey || metaKey,
        isRepeated: repeat,
        isTyping: isIgnored,
      }
      const pressResult = interpretKeyPress(startedSequence, press)
      startedSequence = pressResult.started
      if (pressResult.keys === null || (isDialogOpen() && !alertKeys.includes(pressResult.keys))) return
      if (runShortcut(pressResult.keys)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOn])
  if (!isHelpOpen) return null
  return (
    <Suspense>
      <ShortcutsDialog isOn={isOn} onClose={() => setIsHelpOpen(false)} />
    </Suspense>
  )
}

/**
 * Returns whether the element uses typed letters: a text field, or a menu whose items are found by
 * typing.
 */
function takesLetters(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isText = target.matches('input:not([type=checkbox],[type=radio],[type=range],[type=button]), textarea, select')
  return isText || target.isContentEditable || target.closest('[role=menu], [role=listbox]') !== null
}

/**
 * Returns whether a dialog is open. An open dialog disables keyboard shortcuts, except `alertKeys`
 * in the detail sheet of an alert.
 * @param dialogSelector selector that the dialog must also match
 */
export function isDialogOpen(dialogSelector = ''): boolean {
  return document.querySelector(`[role="dialog"]${dialogSelector}, [role="alertdialog"]${dialogSelector}`) !== null
}
