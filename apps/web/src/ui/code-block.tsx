import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** What is copied, for screen readers: "Copy curl". */
  copyLabel: string
  className?: string
}

/** Several lines of code with a button that copies all. Long ones scroll in their box: a broken line would be another program. */
export function CodeBlock({ code, copyLabel, className }: CodeBlockProps) {
  return (
    <div className={classNames('flex min-w-0 items-start rounded-control border border-line-1 bg-ink-0', className)}>
      {/* What scrolls can be reached with the keyboard. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
        className="focus-inset min-w-0 flex-1 overflow-x-auto py-3 pl-4 text-data leading-5"
      >
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={copyLabel} className="m-1.5" />
    </div>
  )
}
