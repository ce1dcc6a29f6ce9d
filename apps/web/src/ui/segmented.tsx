import type { KeyboardEvent, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Choice<Value extends string> = { value: Value; label: ReactNode }

export type SegmentedProps<Value extends string> = {
  /** Accessible name of the group. */
  label: string
  /** Empty if no choice is selected. */
  value: Value | ''
  onChange: (value: Value) => void
  choices: readonly Choice<Value>[]
  /** sm: 28 px high. lg: 40 px high and full width, for forms. */
  size?: 'sm' | 'lg'
  className?: string
}

/** Segmented control: selects one of a few choices. The arrow keys select the next one. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, onChange, choices, size = 'sm', className } = props
  const selectedIndex = choices.findIndex((choice) => choice.value === value)
  const handleArrowKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = steps[event.key]
    const radios = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]')]
    const focusedIndex = radios.indexOf(event.target as HTMLElement)
    if (step === undefined || focusedIndex === -1) return
    event.preventDefault()
    const nextIndex = (focusedIndex + step + choices.length) % choices.length
    radios[nextIndex]?.focus()
    const choice = choices[nextIndex]
    if (choice) onChange(choice.value)
  }
  return (
    <div
      role="radiogroup"
      aria-label={label}
      onKeyDown={handleArrowKey}
      className={classNames(
        'rounded-control border border-line-2',
        size === 'lg' ? 'flex w-full' : 'inline-flex',
        className,
      )}
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useSemanticElements: the whole control is the hit area and the focus ring
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={index === selectedIndex}
          tabIndex={index === Math.max(0, selectedIndex) ? 0 : -1}
          onClick={() => index !== selectedIndex && onChange(choice.value)}
          className={classNames(
            'inline-flex items-center justify-center gap-2 border-l border-line-2 text-2 transition-[background-color,color] first:border-l-0',
            'hover:text-1 focus-visible:z-1 aria-checked:bg-ink-3 aria-checked:text-1 forced-colors:aria-checked:underline',
            size === 'lg'
              ? 'h-[38px] min-w-0 flex-1 px-2 text-base font-medium aria-checked:outline aria-checked:outline-signal focus-visible:outline-2 focus-visible:outline-focus touch:h-11'
              : 'touch-target h-[26px] px-2.5 text-hint font-medium',
          )}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
