import { useRef } from 'react'

/**
 * Where focus goes when a dialog closes: back to what opened it, or to the page when that is gone. Radix knows the opener only of dialogs
 * with a trigger of its own; without one focus would be lost. Spread it into `Dialog.Content`.
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
      // What the dialog did may have removed or disabled it. The page is there already: nobody asked to be scrolled to it.
      if (document.activeElement !== opener.current) document.getElementById('page')?.focus({ preventScroll: true })
    },
  }
}
