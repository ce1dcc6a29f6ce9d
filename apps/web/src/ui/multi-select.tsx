import { Check, ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Field } from './field.tsx'
import { useMenuState } from './menu-state.ts'

interface MultiSelectProps {
  label: string
  /** Shown if nothing is chosen: "All assets". */
  all: string
  /** Plural noun for the values: "assets". */
  noun: string
  options: readonly string[]
  chosen: readonly string[]
  onToggle: (value: string) => void
  onClear: () => void
}

/**
 * A menu for choosing any number of values. It stays open after a choice. It also lists chosen
 * values that are no longer among the options.
 */
export function MultiSelect({ label, all, noun, options, chosen, onToggle, onClear }: MultiSelectProps) {
  const listedOptions = [...chosen.filter((value) => !options.includes(value)), ...options]
  const [firstChosen] = chosen
  const valueText = firstChosen === undefined ? all : chosen.length === 1 ? firstChosen : `${chosen.length} ${noun}`
  const { rootProps, contentProps } = useMenuState()
  return (
    <Field label={label}>
      {({ id }) => (
        <DropdownMenu.Root {...rootProps}>
          <DropdownMenu.Trigger
            id={id}
            aria-label={`${label}: ${valueText}`}
            className="control flex h-8 w-full items-center justify-between gap-2 px-3 text-left touch:h-11"
          >
            <span className="truncate">{valueText}</span>
            <ChevronDown aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-2" />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              {...contentProps}
              align="start"
              sideOffset={4}
              collisionPadding={8}
              className="z-50 max-h-[min(60dvh,360px)] min-w-(--radix-dropdown-menu-trigger-width) animate-fade overflow-y-auto rounded-float border border-line-2 bg-float py-1 shadow-float"
            >
              <Item label={all} isChecked={chosen.length === 0} onSelect={onClear} />
              {listedOptions.map((value) => (
                <Item key={value} label={value} isChecked={chosen.includes(value)} onSelect={() => onToggle(value)} />
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </Field>
  )
}

type ItemProps = { label: string; isChecked: boolean; onSelect: () => void }

function Item({ label, isChecked, onSelect }: ItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={isChecked}
      onCheckedChange={onSelect}
      onSelect={(event) => event.preventDefault()}
      className="flex min-h-8 cursor-pointer items-center gap-2 px-3 text-base outline-none touch:min-h-11 data-highlighted:bg-ink-3"
    >
      <Check aria-hidden size={16} strokeWidth={2.25} className={isChecked ? 'shrink-0' : 'invisible shrink-0'} />
      {label}
    </DropdownMenu.CheckboxItem>
  )
}
