import { ChevronDown } from 'lucide-react'
import type { Ref, SelectHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'
import { type CommonFieldProps, Field } from './field.tsx'

type SelectFieldProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'size'> &
  CommonFieldProps & {
    /** 40 or 32 px high; 44 with 16 px text on touch screens. */
    size?: 'md' | 'sm'
    /** Visually hides the label. */
    hideLabel?: boolean
    ref?: Ref<HTMLSelectElement>
  }

/** A labelled native select. Its children are `option` elements. */
export function SelectField(props: SelectFieldProps) {
  const { id, label, hint, error, aside, className, hideLabel = false, ...control } = props
  if (hideLabel) return <Control {...control} id={id} aria-label={String(label)} wrapperClassName={className} />
  return (
    <Field id={id} label={label} hint={hint} error={error} aside={aside} className={className}>
      {(ids) => <Control {...control} {...ids} />}
    </Field>
  )
}

type ControlProps = Omit<SelectFieldProps, keyof CommonFieldProps | 'hideLabel'> & {
  wrapperClassName?: string | undefined
}

function Control({ size = 'md', wrapperClassName, children, ...rest }: ControlProps) {
  return (
    <div className={classNames('relative h-fit min-w-0', wrapperClassName)}>
      <select
        {...rest}
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
  )
}
