import { uiMoreTexts } from '../texts/ui-more.ts'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

const texts = uiMoreTexts.commandLine

/** Something to type into a terminal, with a button that copies it. Long ones break anywhere. */
export function CommandLine({ command, className }: { command: string; className?: string }) {
  return (
    <div
      className={classNames(
        'flex min-w-0 items-start gap-2 rounded-control border border-line-1 bg-ink-0 py-1 pr-1 pl-3',
        className,
      )}
    >
      <code className="min-w-0 flex-1 py-1 text-data wrap-anywhere whitespace-pre-wrap">
        <span aria-hidden className="text-3 select-none">
          ${' '}
        </span>
        {command}
      </code>
      <CopyButton text={command} label={texts.copyCommand} />
    </div>
  )
}
