import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { classNames } from './class-names.ts'

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  icon: LucideIcon
  /** Accessible name and tooltip. */
  label: string
  /** 24 or 32 px square; the touch target is 44 px. */
  size?: 'sm' | 'md'
  ref?: Ref<HTMLButtonElement>
}

/** A square ghost button with one 16 px icon. */
export function IconButton({ icon: Icon, label, size = 'md', className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        'touch-target inline-flex shrink-0 items-center justify-center rounded-control text-2 transition-[background-color,color]',
        'hover:bg-ink-3 hover:text-1 active:bg-ink-2 disabled:cursor-not-allowed disabled:bg-transparent disabled:text-3',
        size === 'sm' ? 'size-6' : 'size-8',
        className,
      )}
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} />
    </button>
  )
}
