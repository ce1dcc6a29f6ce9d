import { LoadMore } from '../../ui/load-more.tsx'
import { numberLocale } from '../../ui/locale.ts'
import type { useAlertPages } from './use-alert-pages.ts'

/** How many alerts are loaded. More load on scrolling, or by the button if that failed. */
export function ListFoot({ pages, count }: { pages: ReturnType<typeof useAlertPages>; count: string }) {
  const { entries, hasNextPage } = pages
  return (
    <LoadMore query={pages}>
      {hasNextPage ? `Showing ${entries.length.toLocaleString(numberLocale)} of ${count}` : `All ${count} shown`}
    </LoadMore>
  )
}
