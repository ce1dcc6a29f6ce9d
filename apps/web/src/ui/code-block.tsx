import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** Accessible name of the copy button: "Copy curl". */
  copyLabel: string
  className?: string
}

/**
 * Multi-line code with a copy button. Long lines scroll, because wrapping would change the code.
 */
export function CodeBlock({ code, copyLabel, className }: CodeBlockProps) {
  return (
    <div className={classNames('flex min-w-0 items-start rounded-control border border-line-1 bg-ink-0', className)}>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so it must be focusable
        tabIndex={0}
        className="focus-inset min-w-0 flex-1 overflow-x-auto py-3 pl-4 text-data leading-5"
      >
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={copyLabel} className="m-1.5" />
    </div>
  )
}
