import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { call, sentenceOf } from '../../api.ts'
import { tellOtherTabs } from '../../other-tabs.ts'
import { queries } from '../../queries.ts'
import { numberLocale } from '../../ui/locale.ts'
import { toast } from '../../ui/toast.tsx'
import { type AlertPages, listKey, noteReadChange } from './alert-queries.ts'
import { readAgain } from './use-unread.ts'

/** Marks one alert as read, at once here and then on the server; what the server could not keep is read again. */
export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call('markAlertsRead', { body: { ids: [id] } }),
    onMutate: (id) => {
      setRead(client, isEntry(id), true)
      client.setQueryData(queries.unread.queryKey, (unread) => unread && { ...unread, count: unread.count - 1 })
    },
    onSuccess: (_, id) => {
      noteReadChange()
      // A list that came in meanwhile did not know of it.
      setRead(client, isEntry(id), true)
      tellOtherTabs('reads')
      void client.invalidateQueries({ queryKey: queries.unread.queryKey })
    },
    onError: () => readAgain(client),
  })
}

/** What "mark all" has changed, for taking it back. */
export type MarkedAll = { id: string; count: string; ids: ReadonlySet<string> }

/** Marks everything up to a log index as read. Answers what was changed, or null when nothing was unread. */
export function useMarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (upTo: number): Promise<MarkedAll | null> => {
      const { id, marked } = await call('markAllRead', { body: { upTo } })
      noteReadChange()
      const count = `${marked.count.toLocaleString(numberLocale)}${marked.isMore ? '+' : ''}`
      const ids = setRead(client, ({ alert }) => !('locked' in alert) && alert.logIndex <= upTo, true)
      return id === null ? null : { id, count, ids }
    },
    onSuccess: () => tellOtherTabs('reads'),
    onError: (error) => toast({ title: 'Not Marked', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.unread.queryKey }),
  })
}

export function useUnmarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: MarkedAll) => call('unmarkAllRead', { params: { id } }),
    onSuccess: (_, { ids }) => {
      noteReadChange()
      setRead(client, (entry) => ids.has(entry.id), false)
      tellOtherTabs('reads')
    },
    onError: (error) => toast({ title: 'Not Taken Back', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => readAgain(client),
  })
}

const isEntry = (id: string) => (entry: ListedAlert) => entry.id === id

function wordsOf(error: unknown): string {
  return sentenceOf(error, 'The server did not answer. Nothing was changed.')
}

/** In every list that is held here. Answers the ids of those that it has changed. */
function setRead(client: QueryClient, isMeant: (entry: ListedAlert) => boolean, isRead: boolean): Set<string> {
  const changed = new Set<string>()
  client.setQueriesData<AlertPages>({ queryKey: [listKey] }, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => {
      const meant = new Set(page.items.filter((entry) => entry.isRead !== isRead && isMeant(entry)).map(({ id }) => id))
      if (meant.size === 0) return page
      for (const id of meant) changed.add(id)
      return { ...page, items: page.items.map((entry) => (meant.has(entry.id) ? { ...entry, isRead } : entry)) }
    })
    return { ...data, pages }
  })
  return changed
}
