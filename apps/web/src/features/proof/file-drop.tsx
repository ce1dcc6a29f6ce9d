import { type ReactNode, useEffect, useRef, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'

/** Drop zone around its children. Also provide a button, because not everyone can drag and drop. */
export function FileDrop({ onFile, children }: { onFile: (file: File) => void; children: ReactNode }) {
  const areaRef = useRef<HTMLDivElement>(null)
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const listeners = new AbortController()
    const listen = (name: 'dragover' | 'dragleave' | 'drop', handleEvent: (event: DragEvent) => void) =>
      areaRef.current?.addEventListener(name, handleEvent, { signal: listeners.signal })
    const acceptDrag = (event: DragEvent, isOver: boolean) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(isOver)
    }
    listen('dragover', (event) => acceptDrag(event, true))
    listen('dragleave', () => setIsOver(false))
    listen('drop', (event) => {
      acceptDrag(event, false)
      const file = event.dataTransfer?.files[0]
      if (file) onFile(file)
    })
    return () => listeners.abort()
  }, [onFile])
  return (
    <div ref={areaRef} className={classNames('outline-offset-8', isOver && 'outline-2 outline-signal outline-dashed')}>
      {children}
    </div>
  )
}
