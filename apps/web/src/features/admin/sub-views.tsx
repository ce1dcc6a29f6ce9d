import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import type { AdminSearchParams } from './admin-search-params.ts'

interface SubView {
  label: string
  view: AdminSearchParams['view']
  /** Shown after the label, for example the number of open items. */
  mark?: ReactNode
}

type SubViewsProps = {
  label: string
  tab: AdminSearchParams['tab']
  current: AdminSearchParams['view']
  views: readonly SubView[]
}

/** Links to the views of a tab. Each view has its own URL. */
export function SubViews({ label, tab, current, views }: SubViewsProps) {
  return (
    <nav
      aria-label={label}
      className="inline-flex max-w-full self-start overflow-x-auto rounded-control border border-line-2"
    >
      {views.map(({ label, view, mark }) => (
        <HrefLink
          key={label}
          href={createHref(tab, view)}
          aria-current={view === current ? 'page' : undefined}
          className="touch-target inline-flex h-[30px] items-center gap-2 border-l border-line-2 px-3 text-base font-medium whitespace-nowrap text-2 transition-[background-color,color] first:border-l-0 hover:text-1 focus-visible:z-1 aria-[current]:bg-ink-3 aria-[current]:text-1 touch:h-9"
        >
          {label}
          {mark}
        </HrefLink>
      ))}
    </nav>
  )
}

function createHref(tab: AdminSearchParams['tab'], view: AdminSearchParams['view']): string {
  return `${paths.admin}?${new URLSearchParams(view === undefined ? { tab } : { tab, view })}`
}
