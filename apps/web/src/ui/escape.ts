import type { KeyboardEvent } from 'react'

/**
 * Returns a key handler for the content of a dialog, which closes the dialog on Escape. Radix
 * passes Escape only to its highest layer. If a toast is shown over the dialog, the toast is the
 * highest layer, and without this handler the user would have to press Escape twice.
 */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    // The event is already prevented if Radix has closed a layer, or if a dialog inside this one
    // has closed itself.
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    close()
  }
}

/** True if the focus is in an open dialog or menu. Escape then closes that dialog or menu. */
export function isFocusInDialogOrMenu(): boolean {
  return document.activeElement?.closest(':is([role=dialog], [role=menu])[data-state=open]') != null
}
