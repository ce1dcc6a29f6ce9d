import type { LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { useMenuState } from './menu-state.ts'

type MenuProps = {
  /** The button that opens the menu. */
  trigger: ReactNode
  /** A line above the items. */
  title: ReactNode
  children: ReactNode
}

/** A dropdown menu of `MenuItem`s. */
export function Menu({ trigger, title, children }: MenuProps) {
  const { rootProps, contentProps } = useMenuState()
  return (
    <DropdownMenu.Root {...rootProps}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          {...contentProps}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 min-w-60 animate-fade rounded-float border border-line-2 bg-float py-1 shadow-float"
        >
          <DropdownMenu.Label className="border-b border-line-1 px-3 pt-1 pb-2 text-hint text-2">
            {title}
          </DropdownMenu.Label>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type MenuItemProps = { icon: LucideIcon; label: string; hint: string; onSelect: () => void }

/** A menu item with a line of explanation. */
export function MenuItem({ icon: Icon, label, hint, onSelect }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className="flex min-h-11 cursor-pointer items-center gap-3 px-3 py-1.5 outline-none data-highlighted:bg-ink-3"
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-2" />
      <span>
        <span className="block text-base font-medium">{label}</span>
        <span className="block text-hint text-2">{hint}</span>
      </span>
    </DropdownMenu.Item>
  )
}
