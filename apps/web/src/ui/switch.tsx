import { classNames } from './class-names.ts'

export type SwitchProps = {
  /** Accessible name. Alternatively, set `labelledBy` to the id of a visible label. */
  label?: string
  labelledBy?: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

/** A toggle that takes effect immediately. The touch target is 44 px. */
export function Switch({ label, labelledBy, isOn, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-labelledby={labelledBy}
      onClick={() => onChange(!isOn)}
      className={classNames(
        'touch-target inline-flex h-6 w-10 shrink-0 items-center rounded-control border px-0.5 transition-[background-color,border-color]',
        isOn ? 'border-signal bg-signal' : 'border-line-2 bg-ink-0 hover:border-text-2',
        // In forced-colours mode browsers replace the backgrounds, which show the state, so set
        // them again.
        'forced-colors:border-[ButtonText] forced-colors:forced-color-adjust-none',
        isOn ? 'forced-colors:bg-[Highlight]' : 'forced-colors:bg-[Canvas]',
      )}
    >
      <span
        aria-hidden
        className={classNames(
          'size-4.5 rounded-control transition-transform',
          isOn
            ? 'translate-x-4 bg-signal-ink forced-colors:bg-[HighlightText]'
            : 'bg-text-2 forced-colors:bg-[ButtonText]',
        )}
      />
    </button>
  )
}
