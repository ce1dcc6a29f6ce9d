import { ChevronDown } from 'lucide-react'
import type { Ref, SelectHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { Field, type FieldTexts } from './field.tsx'

export type SelectFieldProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'size' | 'multiple'> &
  FieldTexts & {
    size?: 'md' | 'sm'
    ref?: Ref<HTMLSelectElement>
  }

/** The browser's own select in our clothes. Children are `<option>`s. */
export function SelectField(props: SelectFieldProps) {
  const { id, label, hint, error, aside, className, size = 'md', children, ...rest } = props
  return (
    <Field id={id} label={label} hint={hint} error={error} aside={aside} className={className}>
      {(ids) => (
        <div className="relative">
          <select
            {...rest}
            {...ids}
            className={classNames(
              'control w-full appearance-none truncate pr-9 pl-3 touch:h-11',
              size === 'md' ? 'h-10' : 'h-8',
            )}
          >
            {children}
          </select>
          <ChevronDown
            aria-hidden
            size={16}
            strokeWidth={2.25}
            className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-2"
          />
        </div>
      )}
    </Field>
  )
}
