import { useQueryClient } from '@tanstack/react-query'
import type { Alert, ReadableAlert, ResponseOf } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { type AlertPages, listKey } from './alert-queries.ts'
import { isLocked } from './alert-texts.ts'

type AdminPages = { pages: ResponseOf<'pageAlerts'>[] }

/**
 * Returns a function that finds an alert by log index in the query cache. It does not subscribe to
 * the cache: an alert and the entry that refers to it arrive in the same list, so a lookup on each
 * render is enough.
 */
export function useCachedAlerts(): (logIndex: number) => Alert | null {
  const client = useQueryClient()
  return (logIndex) => {
    const isWantedAlert = (alert: ReadableAlert): alert is Alert => !isLocked(alert) && alert.logIndex === logIndex
    const recentAlert = client.getQueryData(queries.recentAlerts.queryKey)?.find(isWantedAlert)
    if (recentAlert) return recentAlert
    for (const [, list] of client.getQueriesData<ResponseOf<'userAlerts'>>({ queryKey: ['/api/alerts/user'] })) {
      const own = list?.map(({ alert }) => alert).find(isWantedAlert)
      if (own) return own
    }
    for (const [, list] of client.getQueriesData<AlertPages>({ queryKey: [listKey] })) {
      const listedAlert = list?.pages.flatMap(({ items }) => items.map(({ alert }) => alert)).find(isWantedAlert)
      if (listedAlert) return listedAlert
    }
    for (const [, list] of client.getQueriesData<AdminPages>({ queryKey: ['/api/admin/alerts'] })) {
      const found = list?.pages.flatMap(({ items }) => items).find(isWantedAlert)
      if (found) return found
    }
    return null
  }
}
