import { classNames } from './class-names.ts'

export type SwitchProps = {
  /** Names it for screen readers; or leave it out and say by `labelledBy` where its name stands. */
  label?: string
  labelledBy?: string
  describedBy?: string
  isOn: boolean
  disabled?: boolean
  onChange: (isOn: boolean) => void
}

/** On or off, at once. 36 by 20 px; takes a finger as 44 px. Its place says what its colour says. */
export function Switch({ label, labelledBy, describedBy, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
      className={classNames(
        'touch-target inline-flex h-6 w-10 shrink-0 items-center rounded-control border px-0.5 transition-[background-color,border-color] disabled:opacity-50',
        isOn ? 'border-signal bg-signal' : 'border-line-2 bg-ink-0 hover:border-text-2',
      )}
    >
      <span
        aria-hidden
        className={classNames(
          'size-4.5 rounded-control transition-transform',
          isOn ? 'translate-x-4 bg-signal-ink' : 'bg-text-2',
        )}
      />
    </button>
  )
}
