import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { paletteRequests } from './open-requests.ts'
import { isDialogOpen } from './use-shortcuts.tsx'

const CommandPalette = lazyLoad(async () => (await import('./command-palette.tsx')).CommandPalette)

/**
 * Opens and closes the command palette with Ctrl+K or Cmd+K. This also works while the user is
 * typing and if single-key shortcuts are off. Returns the palette to render.
 */
export function usePalette(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => paletteRequests.listen(() => setIsOpen(true)), [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, altKey, shiftKey, ctrlKey, metaKey, repeat } = event
      if (key.toLowerCase() !== 'k' || altKey || shiftKey || ctrlKey === metaKey || repeat) return
      // Do not open the palette over another dialog. The palette itself is also a dialog.
      if (!isOpen && isDialogOpen()) return
      event.preventDefault()
      setIsOpen(!isOpen)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOpen])
  if (!isOpen) return null
  return (
    <Suspense>
      <CommandPalette onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
