import type { LucideIcon } from 'lucide-react'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Tab<Value extends string> = { value: Value; label: string; icon?: LucideIcon; panel: ReactNode }

export type TabsProps<Value extends string> = {
  /** Accessible name of the tab list. */
  label: string
  value: Value
  onChange: (value: Value) => void
  tabs: readonly Tab<Value>[]
  /** Class of the tab list, for example for page padding. */
  listClassName?: string
  panelClassName?: string
}

/**
 * Scrolls the tab list to the active tab. On a narrow screen, a link can open a tab that is outside
 * the visible part of the list.
 */
const scrollToTab = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

/** Underlined tabs, 44 px high, above their panels. Only the active panel is mounted. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, onChange, tabs, listClassName, panelClassName } = props
  const selectTab = (pickedValue: string) => {
    const tab = tabs.find((candidate) => candidate.value === pickedValue)
    if (tab) onChange(tab.value)
  }
  return (
    <Radix.Root value={value} onValueChange={selectTab}>
      <Radix.List
        aria-label={label}
        className={classNames('flex gap-6 overflow-x-auto border-b border-line-1 max-[374px]:gap-4', listClassName)}
      >
        {tabs.map(({ value: tabValue, label: text, icon: Icon }) => (
          <Radix.Trigger
            key={tabValue}
            value={tabValue}
            ref={tabValue === value ? scrollToTab : undefined}
            className="focus-inset inline-flex h-11 shrink-0 items-center gap-2 border-b-2 border-transparent pt-0.5 text-body text-2 transition-[border-color,color] hover:text-1 data-[state=active]:border-signal data-[state=active]:font-medium data-[state=active]:text-1 forced-colors:data-[state=inactive]:border-[Canvas]"
          >
            {Icon && <Icon aria-hidden size={16} strokeWidth={2.25} className="max-[374px]:hidden" />}
            {text}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={panelClassName}>
          {tab.panel}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
