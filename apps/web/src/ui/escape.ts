import type { KeyboardEvent } from 'react'

/**
 * A key handler for the content of a dialog that closes it on Escape. Radix gives Escape only to
 * its highest layer, and a toast that appears over a dialog is one. Without this handler a user
 * would have to press Escape twice.
 */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    // Prevented if Radix has closed a layer, or if a dialog inside this one has closed itself.
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    close()
  }
}

/** Whether the focus is in an open dialog or menu, which Escape then closes. */
export function isFocusInLayer(): boolean {
  return document.activeElement?.closest(':is([role=dialog], [role=menu])[data-state=open]') != null
}
