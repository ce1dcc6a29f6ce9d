import { Check } from 'lucide-react'
import type { InputHTMLAttributes, ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'

export type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  label: ReactNode
  /** Shown after the label in text-2. */
  detail?: ReactNode
  ref?: Ref<HTMLInputElement>
}

/** A native 16 px checkbox, so form libraries work as usual. */
export function Checkbox({ label, detail, className, ...rest }: CheckboxProps) {
  return (
    <label className={classNames('flex min-h-6 items-center gap-2 touch:min-h-11', className)}>
      <span className="relative inline-flex size-4 shrink-0">
        <input
          {...rest}
          type="checkbox"
          className="peer size-4 appearance-none rounded-control border border-line-2 transition-[background-color,border-color] checked:border-signal checked:bg-signal hover:border-text-2 checked:hover:border-signal disabled:border-line-1 disabled:bg-ink-2"
        />
        <Check
          aria-hidden
          size={12}
          strokeWidth={3}
          className="pointer-events-none absolute inset-0 m-auto hidden text-signal-ink peer-checked:block"
        />
      </span>
      <span className="text-base touch:text-body">
        {label}
        {detail !== undefined && <span className="ml-2 text-2">{detail}</span>}
      </span>
    </label>
  )
}
