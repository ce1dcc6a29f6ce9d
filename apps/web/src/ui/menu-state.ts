import { useState } from 'react'
import { closeOnEscape } from './escape.ts'

/**
 * State of a dropdown menu and the properties of its parts. Escape closes the menu even if a toast
 * is above it (see escape.ts).
 */
export function useMenuState() {
  const [isOpen, setIsOpen] = useState(false)
  return {
    setIsOpen,
    rootProps: { modal: false, open: isOpen, onOpenChange: setIsOpen },
    contentProps: { onKeyDown: closeOnEscape(() => setIsOpen(false)) },
  }
}
