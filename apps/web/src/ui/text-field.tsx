import { Eye, EyeOff, type LucideIcon } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type Ref, useState } from 'react'
import { classNames } from './class-names.ts'
import { type CommonFieldProps, Field } from './field.tsx'
import { IconButton } from './icon-button.tsx'

export type TextFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'size'> &
  CommonFieldProps & {
    /** 40 or 32 px high; 44 with 16 px text on touch screens. */
    size?: 'md' | 'sm'
    /** Shown inside the control at the left. */
    icon?: LucideIcon
    /** Shown inside the control at the right: a unit, a small button. */
    suffix?: ReactNode
    /** Monospaced value: hashes, addresses, amounts. */
    mono?: boolean
    /** Visually hides the label; set a placeholder as well. */
    hideLabel?: boolean
    ref?: Ref<HTMLInputElement>
  }

/** A labelled one-line input. `type="password"` adds a show/hide button. */
export function TextField(props: TextFieldProps) {
  const { id, label, hint, error, aside, className, hideLabel = false, ...control } = props
  if (hideLabel) return <Control {...control} id={id} aria-label={String(label)} wrapperClassName={className} />
  return (
    <Field id={id} label={label} hint={hint} error={error} aside={aside} className={className}>
      {(ids) => <Control {...control} {...ids} />}
    </Field>
  )
}

type ControlProps = Omit<TextFieldProps, keyof CommonFieldProps | 'hideLabel'> & {
  wrapperClassName?: string | undefined
}

function Control({ type = 'text', size = 'md', icon: Icon, suffix, mono, wrapperClassName, ...rest }: ControlProps) {
  const [isRevealed, setRevealed] = useState(false)
  const isPassword = type === 'password'
  return (
    <div className={classNames('relative h-fit', wrapperClassName)}>
      {Icon && (
        <Icon
          aria-hidden
          size={16}
          strokeWidth={2.25}
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-2"
        />
      )}
      <input
        {...rest}
        type={isPassword && isRevealed ? 'text' : type}
        className={classNames(
          'control placeholder:text-ellipsis touch:h-11 max-[374px]:placeholder:text-base',
          // A date input has an intrinsic width that would widen a narrow column.
          type === 'date' ? 'w-0 min-w-full' : 'w-full',
          size === 'md' ? 'h-10' : 'h-8',
          Icon ? 'pl-9' : 'pl-3',
          isPassword || suffix !== undefined ? 'pr-11' : 'pr-3',
          mono && 'font-mono',
        )}
      />
      <div className="absolute inset-y-0 right-1.5 flex items-center text-2">
        {isPassword && (
          <IconButton
            icon={isRevealed ? EyeOff : Eye}
            label={isRevealed ? 'Hide password' : 'Show password'}
            aria-pressed={isRevealed}
            onClick={() => setRevealed(!isRevealed)}
          />
        )}
        {suffix !== undefined && <span className="pr-1.5 text-data">{suffix}</span>}
      </div>
    </div>
  )
}
