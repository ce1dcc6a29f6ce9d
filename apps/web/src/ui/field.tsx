import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

export type FieldTexts = {
  label: ReactNode
  /** One line under the control; an error takes its place. */
  hint?: ReactNode
  error?: string | undefined
  /** At the right end of the label line: "Optional", a counter, a link. */
  aside?: ReactNode
  className?: string | undefined
}

type ControlIds = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type FieldProps = FieldTexts & { id?: string | undefined; children: (ids: ControlIds) => ReactNode }

/** Label, control and message of one input, tied together for assistive technology. */
export function Field({ id, label, hint, error, aside, className, children }: FieldProps) {
  const generatedId = useId()
  const controlId = id ?? generatedId
  const messageId = `${controlId}-message`
  const described = error !== undefined || hint !== undefined
  return (
    <div className={classNames('flex min-w-0 flex-col', className)}>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <label htmlFor={controlId} className="text-base font-medium touch:text-body">
          {label}
        </label>
        {aside !== undefined && <span className="text-base text-2">{aside}</span>}
      </div>
      {children({
        id: controlId,
        'aria-describedby': described ? messageId : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error !== undefined && <FieldError id={messageId}>{error}</FieldError>}
      {error === undefined && hint !== undefined && (
        <p id={messageId} className="mt-1 text-hint text-2">
          {hint}
        </p>
      )}
    </div>
  )
}

/** The message of a wrong input: icon in critical, words in text-1. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="mt-1.5 flex items-start gap-1.5 text-hint text-1">
      <CircleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-critical" />
      {children}
    </p>
  )
}
