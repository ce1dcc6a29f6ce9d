import { X } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type ChipProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** State of a toggle filter. Omit for a chip that only runs an action. */
  pressed?: boolean
  /** Shows a cross: clicking removes the filter. Describe that in `aria-label`. */
  removable?: boolean
  children: ReactNode
}

/** A filter chip, 28 px high (36 on touch screens). */
export function Chip({ pressed, removable = false, children, className, ...rest }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      {...rest}
      className={classNames(
        'inline-flex h-7 shrink-0 items-center gap-2 rounded-control border px-2.5 text-hint font-medium whitespace-nowrap text-1 forced-colors:aria-pressed:underline transition-[background-color,border-color] touch:h-9 touch:text-base touch-target',
        pressed
          ? 'border-signal bg-ink-3 shadow-[inset_0_0_0_1px_var(--color-signal)]'
          : 'border-line-2 hover:border-text-3 hover:bg-ink-3 active:bg-ink-2',
        className,
      )}
    >
      {children}
      {removable && <X aria-hidden size={14} strokeWidth={2.25} />}
    </button>
  )
}
