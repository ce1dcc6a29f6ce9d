import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

/** A terminal command with a copy button. Long commands scroll. */
export function CommandLine({ command, className }: { command: string; className?: string }) {
  return (
    <div
      className={classNames(
        'flex min-w-0 items-start gap-2 rounded-control border border-line-1 bg-ink-0 py-1 pr-1 pl-3',
        className,
      )}
    >
      <code
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so it must be focusable
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto py-1 text-data whitespace-pre"
      >
        <span aria-hidden className="text-3 select-none">
          ${' '}
        </span>
        {command}
      </code>
      <CopyButton text={command} label="Copy command" />
    </div>
  )
}
