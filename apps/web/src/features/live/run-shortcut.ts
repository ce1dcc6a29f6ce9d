import { shortcutsDialogRequests } from './open-requests.ts'
import type { ShortcutKeys } from './shortcuts.ts'

/** Shortcuts of an alert. They act on the focused row, or else on the open alert. */
export const alertKeys: readonly ShortcutKeys[] = ['v', 'o', 'w']

/** Runs the shortcut. Returns false if the page has no control, row or dialog for it. */
export function runShortcut(keys: ShortcutKeys): boolean {
  if (keys === '?') return shortcutsDialogRequests.requestOpen()
  if (keys === 'j' || keys === 'k') return focusRow(keys === 'j' ? 1 : -1)
  const row = document.activeElement
  if (!alertKeys.includes(keys) || !row?.matches('[data-alert-row]')) return activateControl(keys)
  const control = row.parentElement?.querySelector<HTMLElement>(`[hidden] > [data-keys="${keys}"]`)
  if (control) return pressElement(control)
  // The focused row has no control for this shortcut, for example because its market is unknown or
  // not loaded yet. If the row shows the open alert, use the open alert's control instead.
  return row.matches('[aria-current], [aria-expanded="true"]') && activateControl(keys)
}

/** Clicks the visible control of a shortcut. Returns false if the page shows no such control. */
export function activateControl(keys: ShortcutKeys): boolean {
  const control = findControl(keys)
  return control !== undefined && pressElement(control)
}

function pressElement(control: HTMLElement): true {
  if (control instanceof HTMLInputElement) {
    control.focus()
    control.select()
  } else control.click()
  return true
}

/** Returns whether the page shows the control of the shortcut. */
export const hasControl = (keys: ShortcutKeys): boolean => findControl(keys) !== undefined

const findControl = (keys: ShortcutKeys) => listVisibleElements(`[data-keys="${keys}"]`)[0]

/**
 * Moves the focus to the next or previous alert row, or to the first row in view if no row has the
 * focus. The first row in view is not always the first rendered row, because virtualised lists also
 * render rows above the viewport.
 */
function focusRow(step: 1 | -1): boolean {
  const rows = listVisibleElements('[data-alert-row]')
  const focusedElement = document.activeElement
  const focusedIndex = focusedElement instanceof HTMLElement ? rows.indexOf(focusedElement) : -1
  const nextRow =
    focusedIndex === -1
      ? (listVisibleElements('[data-tab-stop] [data-alert-row]')[0] ?? rows[0])
      : rows[focusedIndex + step]
  nextRow?.focus()
  return nextRow !== undefined
}

/** Returns the matching elements that have a layout box. */
export function listVisibleElements(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.getClientRects().length > 0)
}
