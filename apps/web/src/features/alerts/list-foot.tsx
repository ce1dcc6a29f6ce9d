import { alertsTexts } from '../../texts/alerts.tsx'
import { LoadMore } from '../admin/load-more.tsx'
import type { useAlertPages } from './use-alert-pages.ts'

const texts = alertsTexts.listFoot

/** How much of the list is here; the rest comes by itself as somebody scrolls, and by the button where it did not. */
export function ListFoot({ pages, count }: { pages: ReturnType<typeof useAlertPages>; count: string }) {
  const { entries, hasNextPage } = pages
  return (
    <LoadMore query={pages}>
      {hasNextPage ? texts.showing({ shown: entries.length, all: count }) : texts.allShown({ count })}
    </LoadMore>
  )
}
