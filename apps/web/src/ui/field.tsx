import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

export type CommonFieldProps = {
  label: ReactNode
  /** One line below the control; replaced by `error`. */
  hint?: ReactNode
  error?: string | undefined
  /** Right end of the label line: "Optional", a counter, a link. */
  aside?: ReactNode
  className?: string | undefined
}

type ControlAttributes = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type FieldProps = CommonFieldProps & { id?: string | undefined; children: (ids: ControlAttributes) => ReactNode }

/** Label, control and message of an input, associated for assistive technology. */
export function Field({ id, label, hint, error, aside, className, children }: FieldProps) {
  const generatedId = useId()
  const controlId = id ?? generatedId
  const messageId = `${controlId}-message`
  const hasMessage = error !== undefined || hint !== undefined
  return (
    <div
      className={classNames(
        'grid min-w-0 grid-cols-[minmax(min-content,1fr)_fit-content(75%)] content-start items-baseline gap-x-3',
        className,
      )}
    >
      <label htmlFor={controlId} className="mb-1 text-base font-medium touch:text-body">
        {label}
      </label>
      <div className="col-span-2 row-start-2 flex min-w-0 flex-col">
        {children({
          id: controlId,
          'aria-describedby': hasMessage ? messageId : undefined,
          'aria-invalid': error === undefined ? undefined : true,
        })}
        {error !== undefined && <FieldError id={messageId}>{error}</FieldError>}
        {error === undefined && hint !== undefined && (
          <p id={messageId} className="mt-1 text-hint text-2">
            {hint}
          </p>
        )}
      </div>
      {/* After the control in tab order: Tab reaches the input before a link in `aside`. */}
      {aside !== undefined && <span className="col-start-2 row-start-1 mb-1 text-right text-base text-2">{aside}</span>}
    </div>
  )
}

/** Validation message of an input. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="mt-1.5 flex items-start gap-1.5 text-hint text-1">
      <CircleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-critical" />
      {children}
    </p>
  )
}
