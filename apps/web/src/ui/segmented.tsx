import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
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
  disabled?: boolean
  className?: string
}

/** Segmented control: selects one of a few choices. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, onChange, choices, size = 'sm', disabled = false, className } = props
  const pick = (picked: string) => {
    const choice = choices.find((candidate) => candidate.value === picked)
    if (choice) onChange(choice.value)
  }
  return (
    <RadioGroup.Root
      aria-label={label}
      value={value}
      onValueChange={pick}
      disabled={disabled}
      orientation="horizontal"
      className={classNames(
        'rounded-control border border-line-2',
        size === 'lg' ? 'flex w-full' : 'inline-flex',
        className,
      )}
    >
      {choices.map((choice) => (
        <RadioGroup.Item
          key={choice.value}
          value={choice.value}
          className={classNames(
            'inline-flex items-center justify-center gap-2 border-l border-line-2 text-2 transition-[background-color,color] first:border-l-0',
            'hover:text-1 focus-visible:z-1 data-[state=checked]:bg-ink-3 data-[state=checked]:text-1 disabled:text-3 forced-colors:data-[state=checked]:underline',
            size === 'lg'
              ? 'h-[38px] min-w-0 flex-1 px-2 text-base font-medium data-[state=checked]:outline data-[state=checked]:outline-signal focus-visible:outline-2 focus-visible:outline-focus touch:h-[42px]'
              : 'touch-target h-[26px] px-2.5 text-hint font-medium',
          )}
        >
          {choice.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
