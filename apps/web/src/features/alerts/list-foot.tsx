import { numberLocale } from '../../ui/locale.ts'
import { LoadMore } from '../admin/load-more.tsx'
import type { useAlertPages } from './use-alert-pages.ts'

/** How much of the list is here; the rest comes by itself as somebody scrolls, and by the button where it did not. */
export function ListFoot({ pages, count }: { pages: ReturnType<typeof useAlertPages>; count: string }) {
  const { entries, hasNextPage } = pages
  return (
    <LoadMore query={pages}>
      {hasNextPage ? `Showing ${entries.length.toLocaleString(numberLocale)} of ${count}` : `All ${count} shown`}
    </LoadMore>
  )
}
