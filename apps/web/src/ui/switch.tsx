import { Switch as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

export type SwitchProps = {
  label: ReactNode
  detail?: ReactNode
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  disabled?: boolean
}

/** A setting that acts at once: words at the left, switch at the right. */
export function Switch({ label, detail, checked, onCheckedChange, disabled = false }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex min-h-11 items-center justify-between gap-4 py-2">
      <label htmlFor={id} className="min-w-0">
        <span className="block text-base font-medium">{label}</span>
        {detail !== undefined && <span className="block text-hint text-2">{detail}</span>}
      </label>
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={onCheckedChange}
        disabled={disabled}
        className="touch-target h-5 w-9 shrink-0 rounded-control border border-line-2 bg-ink-0 transition-[background-color,border-color] hover:border-text-2 disabled:border-line-1 disabled:bg-ink-2 data-[state=checked]:border-signal data-[state=checked]:bg-signal"
      >
        <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-control bg-text-2 transition-transform duration-[120ms] data-[state=checked]:translate-x-[18px] data-[state=checked]:bg-signal-ink" />
      </Radix.Root>
    </div>
  )
}
