import { useQuery } from '@tanstack/react-query'
import type { AlertView } from '@tocsin/protocol'
import { Bookmark, Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Suspense, useState } from 'react'
import { Chip } from '../../ui/chip.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { useMenuState } from '../../ui/menu-state.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { type AlertSearchParams, hasSameFilters, isFiltered, toViewFilter } from '../alert/alert-search-params.ts'
import { formatFilter } from '../alert/filter-texts.ts'

const SaveViewDialog = lazyLoad(async () => (await import('./save-view-dialog.tsx')).SaveViewDialog)
const ManageViewsDialog = lazyLoad(async () => (await import('./manage-views-dialog.tsx')).ManageViewsDialog)

type ViewsMenuProps = {
  searchParams: AlertSearchParams
  /** Called to replace the filters of the list. */
  onOpen: (filter: AlertSearchParams) => void
  /** Shows only an icon while no view is open. */
  isIconOnly?: boolean
  className?: string
}

/**
 * Menu of the saved views. It opens a view, saves the current filters, or opens the dialog that
 * manages the views.
 */
export function ViewsMenu({ searchParams, onOpen, isIconOnly = false, className }: ViewsMenuProps) {
  const { data: views = [] } = useQuery(alertQueries.views)
  const { setIsOpen, rootProps, contentProps } = useMenuState()
  const [dialog, setDialog] = useState<'save' | 'manage' | null>(null)
  const activeView = isFiltered(searchParams)
    ? views.find(({ filter }) => hasSameFilters(filter, searchParams))
    : undefined
  return (
    <>
      <DropdownMenu.Root {...rootProps}>
        <DropdownMenu.Trigger asChild>
          <Chip
            data-keys="s"
            title="Saved views (s)"
            aria-label={activeView ? `Saved views: ${activeView.name}` : 'Saved views'}
            // The menu opens on pointer events, but clicks by the shortcut or by assistive
            // technology have none.
            onClick={({ detail }) => detail === 0 && setIsOpen(true)}
            className={className ?? ''}
          >
            <Bookmark aria-hidden size={14} strokeWidth={2.25} className={activeView && 'fill-current text-signal'} />
            <span className={isIconOnly && !activeView ? 'sr-only' : 'max-w-24 truncate'}>
              {activeView?.name ?? 'Views'}
            </span>
          </Chip>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            {...contentProps}
            align="start"
            sideOffset={4}
            collisionPadding={8}
            aria-label="Saved views"
            className="z-40 max-h-[min(70dvh,480px)] w-76 max-w-[calc(100vw-16px)] animate-fade overflow-y-auto rounded-float border border-line-2 bg-float py-1 shadow-float"
          >
            {views.length === 0 && (
              <DropdownMenu.Label className="px-3 py-2 text-hint text-2">
                No saved views yet. Set filters, then save them under a name.
              </DropdownMenu.Label>
            )}
            {views.map((view) => (
              <ViewItem key={view.id} view={view} isActive={view === activeView} onOpen={onOpen} />
            ))}
            <DropdownMenu.Separator className="my-1 border-t border-line-1" />
            <Item
              label="Save these filters…"
              disabled={!isFiltered(searchParams) || activeView !== undefined}
              onSelect={() => setDialog('save')}
            />
            <Item label="Rename or delete…" disabled={views.length === 0} onSelect={() => setDialog('manage')} />
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense>
        {dialog === 'save' && (
          <SaveViewDialog filter={toViewFilter(searchParams)} views={views} onClose={() => setDialog(null)} />
        )}
        {dialog === 'manage' && <ManageViewsDialog views={views} onClose={() => setDialog(null)} />}
      </Suspense>
    </>
  )
}

const itemClasses =
  'flex min-h-8 cursor-pointer items-center gap-2 px-3 py-1 text-base outline-none touch:min-h-11 data-disabled:cursor-default data-disabled:text-3 data-highlighted:bg-ink-3'

type ViewItemProps = { view: AlertView; isActive: boolean; onOpen: (filter: AlertSearchParams) => void }

function ViewItem({ view: { name, filter }, isActive, onOpen }: ViewItemProps) {
  return (
    <DropdownMenu.CheckboxItem checked={isActive} onSelect={() => onOpen(filter)} className={itemClasses}>
      <Check aria-hidden size={16} strokeWidth={2.25} className={isActive ? 'shrink-0' : 'invisible shrink-0'} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-hint text-2">{formatFilter(filter)}</span>
      </span>
    </DropdownMenu.CheckboxItem>
  )
}

function Item({ label, disabled, onSelect }: { label: string; disabled: boolean; onSelect: () => void }) {
  return (
    <DropdownMenu.Item disabled={disabled} onSelect={onSelect} className={`${itemClasses} pl-9`}>
      {label}
    </DropdownMenu.Item>
  )
}
