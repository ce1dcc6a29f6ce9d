import { type ReactNode, useEffect, useRef, useState } from 'react'
import { proofTexts } from '../../texts/proof.tsx'
import { classNames } from '../../ui/class-names.ts'

const texts = proofTexts.fileDrop

/** A file dropped anywhere on its children is taken. Dropping must not be the only way: give a button for it too. */
export function FileDrop({ onFile, children }: { onFile: (file: File) => void; children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null)
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const listen = (name: 'dragover' | 'dragleave' | 'drop', react: (event: DragEvent) => void) =>
      area.current?.addEventListener(name, react, { signal: stop.signal })
    const accept = (event: DragEvent, over: boolean) => {
      if (!event.dataTransfer?.types.includes(texts.files)) return
      event.preventDefault()
      setIsOver(over)
    }
    listen('dragover', (event) => accept(event, true))
    listen('dragleave', () => setIsOver(false))
    listen('drop', (event) => {
      accept(event, false)
      const file = event.dataTransfer?.files[0]
      if (file) onFile(file)
    })
    return () => stop.abort()
  }, [onFile])
  return (
    <div ref={area} className={classNames('outline-offset-8', isOver && 'outline-2 outline-signal outline-dashed')}>
      {children}
    </div>
  )
}
