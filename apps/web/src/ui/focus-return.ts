import { useRef } from 'react'

/**
 * Returns focus when a dialog closes: to the element that opened it, or to `#page` if that element
 * is gone. Radix does this only for dialogs with a Radix trigger. Spread the result into
 * `Dialog.Content`.
 */
export function useFocusReturn() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (opener.current instanceof HTMLElement) opener.current.focus()
      // The dialog's action may have removed or disabled the opener. Keep the scroll position.
      if (document.activeElement !== opener.current) document.getElementById('page')?.focus({ preventScroll: true })
    },
  }
}
