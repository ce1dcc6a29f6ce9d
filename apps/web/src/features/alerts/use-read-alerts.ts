import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { type AlertPages, invalidateReads, listKey } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { refetchReadState } from './use-synced-unread-count.ts'

/** Marks alerts as read when they are opened. */
export function useReadAlerts() {
  /**
   * Ids of alerts that arrived after the list was read and that the user has read. Alerts in the
   * pages have their own read state.
   */
  const [openedIds, setOpenedIds] = useState<ReadonlySet<string>>(new Set())
  const { mutate: markRead } = useMarkRead()
  const markAsRead = useCallback(
    ({ id, alert, isRead }: ListedAlert) => {
      if (isRead || isLocked(alert)) return
      setOpenedIds((before) => new Set(before).add(id))
      markRead(id)
    },
    [markRead],
  )
  return { opened: openedIds, setOpened: setOpenedIds, markAsRead }
}

/**
 * Calls `markAsRead` once each time an alert is opened. If marking fails, the alert is refetched as
 * unread, but `markAsRead` is not called again, because the attempts could fail in an endless loop.
 */
export function useMarkReadOnce(entry: ListedAlert | undefined, markAsRead: (entry: ListedAlert) => void): void {
  const openedId = useRef<string>(undefined)
  useEffect(() => {
    if (entry && entry.id !== openedId.current) markAsRead(entry)
    openedId.current = entry?.id
  }, [entry, markAsRead])
}

/**
 * Marks one alert as read: first optimistically in the cache, then on the server. If that fails,
 * the lists are refetched.
 */
function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call('markAlertsRead', { body: { ids: [id] } }),
    onMutate: (id) => {
      setReadState(client, hasId(id), true)
      client.setQueryData(queries.unread.queryKey, (unread) => unread && { ...unread, count: unread.count - 1 })
    },
    onSuccess: (_, id) => {
      invalidateReads()
      // Set the read state again, because a list that arrived in the meantime may still contain the
      // old state.
      setReadState(client, hasId(id), true)
      notifyOtherTabs('reads')
      void client.invalidateQueries({ queryKey: queries.unread.queryKey })
    },
    onError: () => refetchReadState(client),
  })
}

const hasId = (id: string) => (entry: ListedAlert) => entry.id === id

/**
 * Sets the read state of matching alerts in all cached lists. Returns the ids of the changed
 * alerts.
 */
export function setReadState(
  client: QueryClient,
  matches: (entry: ListedAlert) => boolean,
  isRead: boolean,
): Set<string> {
  const changedIds = new Set<string>()
  client.setQueriesData<AlertPages>({ queryKey: [listKey] }, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => {
      const matchingIds = new Set(
        page.items.filter((entry) => entry.isRead !== isRead && matches(entry)).map(({ id }) => id),
      )
      if (matchingIds.size === 0) return page
      for (const id of matchingIds) changedIds.add(id)
      return { ...page, items: page.items.map((entry) => (matchingIds.has(entry.id) ? { ...entry, isRead } : entry)) }
    })
    return { ...data, pages }
  })
  return changedIds
}
