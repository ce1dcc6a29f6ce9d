import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { call, sentenceOf } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { tellOtherTabs } from '../../browser/other-tabs.ts'
import { numberLocale } from '../../ui/locale.ts'
import { toast } from '../../ui/toast.tsx'
import { type AlertPages, invalidateReads, listKey } from '../alert/alert-queries.ts'
import { refetchReads } from './use-unread.ts'

/**
 * Marks one alert as read: optimistically here, then on the server. On an error the lists are
 * refetched.
 */
export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call('markAlertsRead', { body: { ids: [id] } }),
    onMutate: (id) => {
      setRead(client, isEntry(id), true)
      client.setQueryData(queries.unread.queryKey, (unread) => unread && { ...unread, count: unread.count - 1 })
    },
    onSuccess: (_, id) => {
      invalidateReads()
      // A list that arrived in the meantime may still have the old state.
      setRead(client, isEntry(id), true)
      tellOtherTabs('reads')
      void client.invalidateQueries({ queryKey: queries.unread.queryKey })
    },
    onError: () => refetchReads(client),
  })
}

/** The result of "Mark all read", for undo. */
export type MarkedAll = { id: string; count: string; ids: ReadonlySet<string> }

/**
 * Marks everything up to a log index as read. Returns what changed, or null if nothing was unread.
 */
export function useMarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (upTo: number): Promise<MarkedAll | null> => {
      const { id, marked } = await call('markAllRead', { body: { upTo } })
      invalidateReads()
      const count = `${marked.count.toLocaleString(numberLocale)}${marked.isMore ? '+' : ''}`
      const ids = setRead(client, ({ alert }) => !('locked' in alert) && alert.logIndex <= upTo, true)
      return id === null ? null : { id, count, ids }
    },
    onSuccess: () => tellOtherTabs('reads'),
    onError: (error) => toast({ title: 'Marking Failed', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.unread.queryKey }),
  })
}

export function useUnmarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: MarkedAll) => call('unmarkAllRead', { params: { id } }),
    onSuccess: (_, { ids }) => {
      invalidateReads()
      setRead(client, (entry) => ids.has(entry.id), false)
      tellOtherTabs('reads')
    },
    onError: (error) => toast({ title: 'Undo Failed', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => refetchReads(client),
  })
}

const isEntry = (id: string) => (entry: ListedAlert) => entry.id === id

function wordsOf(error: unknown): string {
  return sentenceOf(error, 'The server did not answer. Nothing was changed.')
}

/** Sets the read state in every cached list. Returns the ids of the changed alerts. */
function setRead(client: QueryClient, matches: (entry: ListedAlert) => boolean, isRead: boolean): Set<string> {
  const changed = new Set<string>()
  client.setQueriesData<AlertPages>({ queryKey: [listKey] }, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => {
      const meant = new Set(page.items.filter((entry) => entry.isRead !== isRead && matches(entry)).map(({ id }) => id))
      if (meant.size === 0) return page
      for (const id of meant) changed.add(id)
      return { ...page, items: page.items.map((entry) => (meant.has(entry.id) ? { ...entry, isRead } : entry)) }
    })
    return { ...data, pages }
  })
  return changed
}
