import type { Ref, TextareaHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { type CommonFieldProps, Field } from './field.tsx'

export type TextareaFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> &
  CommonFieldProps & {
    /** Monospaced text: JSON, hashes. */
    mono?: boolean
    ref?: Ref<HTMLTextAreaElement>
  }

export function TextareaField(props: TextareaFieldProps) {
  const { id, label, hint, error, aside, className, mono, rows = 3, ...rest } = props
  return (
    <Field id={id} label={label} hint={hint} error={error} aside={aside} className={className}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          rows={rows}
          className={classNames('control block w-full resize-y px-3 py-2.5', mono && 'font-mono text-[12px]')}
        />
      )}
    </Field>
  )
}
