import { CircleHelp } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Panel, type PanelProps } from '../../ui/panel.tsx'

/** What a figure counts, as name and sentence. */
type Definition = readonly [name: string, text: string]

interface Shown {
  /** Completes "How … is measured". */
  of: string
  list: readonly Definition[]
}

/** A button, and the definitions that it shows and hides. */
export function useDefinitions({ of, list }: Shown): { button: ReactNode; shown: ReactNode } {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return {
    button: (
      <IconButton
        icon={CircleHelp}
        label={`How ${of} is measured`}
        size="sm"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="aria-expanded:bg-ink-3 aria-expanded:text-1"
      />
    ),
    shown: isOpen && (
      <dl id={id} className="grid gap-2 border-b border-line-1 bg-ink-2 px-5 py-4 text-hint phone:px-4">
        {list.map(([name, text]) => (
          <div key={name}>
            <dt className="inline font-medium">{name}: </dt>
            <dd className="inline text-2">{text}</dd>
          </div>
        ))}
      </dl>
    ),
  }
}

/** A panel of figures with their definitions. */
export function DefinedPanel({ defined, right, children, ...panel }: PanelProps & { defined: Shown }) {
  const { button, shown } = useDefinitions(defined)
  return (
    <Panel
      {...panel}
      flush
      right={
        <>
          {right}
          {button}
        </>
      }
    >
      {shown}
      {children}
    </Panel>
  )
}
