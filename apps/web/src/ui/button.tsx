import { Slot } from 'radix-ui'
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import { classNames } from './class-names.ts'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
type ButtonSize = 'sm' | 'md' | 'lg' | 'hero'

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant
  /**
   * 28, 32, 40 or 48 px high. On touch screens md and lg are 44 px high, and sm has a hit area of
   * 44 px.
   */
  size?: ButtonSize
  /** The action is running: ignores clicks but keeps focus. End the text in an ellipsis. */
  busy?: boolean
  /** Styles its single child as a button, for example a router link. */
  asChild?: boolean
  /** For page headers: on touch screens 36 px high with a 44 px hit area. */
  inHeader?: boolean
  ref?: Ref<HTMLButtonElement>
}

const baseClasses =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-semibold whitespace-nowrap select-none ' +
  'transition-[background-color,border-color,color] [&_svg]:shrink-0'

const disabledClasses = 'disabled:cursor-not-allowed disabled:border-line-1 disabled:bg-ink-2 disabled:text-3'
const busyClasses = 'cursor-progress border-line-2 bg-ink-2 text-2'

const variantClasses: Record<ButtonVariant, string> = {
  primary:
    'border-transparent bg-signal text-signal-ink enabled-look:hover:bg-signal-hover enabled-look:active:bg-signal-press',
  secondary:
    'border-line-2 bg-transparent text-1 enabled-look:hover:border-text-3 enabled-look:hover:bg-ink-3 enabled-look:active:border-text-2 enabled-look:active:bg-ink-2',
  ghost:
    'border-transparent bg-transparent text-2 enabled-look:hover:bg-ink-3 enabled-look:hover:text-1 enabled-look:active:bg-ink-2',
  danger: 'border-critical bg-transparent text-1 enabled-look:hover:bg-critical/14 enabled-look:active:bg-critical/24',
}

const sizeClasses: Record<ButtonSize, string> = {
  sm: 'h-7 px-2 text-hint touch-target',
  md: 'h-8 px-3 text-base touch:h-11 touch:px-4 touch:text-body',
  lg: 'h-10 px-4 text-body touch:h-auto touch:min-h-11 touch:py-1.5 touch:whitespace-normal',
  hero: 'h-12 px-5 text-lead',
}
const headerSizeClasses = 'h-8 px-3 text-base touch:h-9 touch-target max-[374px]:px-2'

export function Button(props: ButtonProps) {
  const {
    variant = 'secondary',
    size = 'md',
    busy = false,
    asChild = false,
    inHeader = false,
    className,
    onClick,
    ...rest
  } = props
  const Element = asChild ? Slot.Root : 'button'
  const stateClasses = busy ? busyClasses : classNames(variantClasses[variant], disabledClasses)

  function handleClick(event: MouseEvent<HTMLButtonElement>) {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }

  return (
    <Element
      {...(asChild ? {} : { type: 'button' as const })}
      {...rest}
      onClick={handleClick}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      className={classNames(baseClasses, stateClasses, inHeader ? headerSizeClasses : sizeClasses[size], className)}
    />
  )
}
