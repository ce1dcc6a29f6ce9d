import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** What is copied, for screen readers: "Copy curl". */
  copyLabel: string
  className?: string
}

/** Several lines of code with a button that copies all. Long ones wrap, so that nothing hides and nothing scrolls. */
export function CodeBlock({ code, copyLabel, className }: CodeBlockProps) {
  return (
    <div className={classNames('relative min-w-0 rounded-control border border-line-1 bg-ink-0', className)}>
      <pre className="py-3 pr-12 pl-4 text-data leading-5 wrap-anywhere whitespace-pre-wrap">
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={copyLabel} className="absolute top-1.5 right-1.5" />
    </div>
  )
}
