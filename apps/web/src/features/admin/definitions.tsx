import { CircleHelp } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Panel, type PanelProps } from '../../ui/panel.tsx'

/** Explains what a figure counts: the name of the figure and a sentence. */
type Definition = readonly [name: string, text: string]

interface DefinitionsProps {
  /** The noun that completes the label of the button, "How … is measured". */
  of: string
  list: readonly Definition[]
}

/** Returns a button, and the list of definitions that the button shows and hides. */
export function useDefinitions({ of, list }: DefinitionsProps): { button: ReactNode; shown: ReactNode } {
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

/** A panel of figures with a button that shows the definitions of the figures. */
export function DefinedPanel({
  defined,
  actions: right,
  children,
  ...panel
}: PanelProps & { defined: DefinitionsProps }) {
  const { button, shown } = useDefinitions(defined)
  return (
    <Panel
      {...panel}
      flush
      actions={
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
