import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Alert, ListedAlert } from '@tocsin/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call, sentenceOf } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { numberLocale } from '../../ui/locale.ts'
import { toast } from '../../ui/toast.tsx'
import { type AlertPages, invalidateReads, listKey } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-words.ts'
import { refetchReads } from './use-synced-unread-count.ts'

const undoMs = 10_000
/**
 * Time after marking in which an undo is ignored. It would be the second click of a double click.
 */
const settleMs = 600

/**
 * Marks alerts as read, one by one or all at once. "Mark all" can be undone for ten seconds, and
 * longer while the pointer or the keyboard focus is on `undoButton`.
 */
export function useAlertReading() {
  /**
   * Ids of alerts that arrived after the list was read and that the user has read. Alerts in the
   * pages have their own read state.
   */
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [marked, setMarked] = useState<MarkedAll | null>(null)
  const undoButton = useRef<HTMLButtonElement>(null)
  const settledAtMs = useRef(0)
  const { mutate: markRead } = useMarkRead()
  const { mutate: markAllRead, isPending: isMarking } = useMarkAllRead()
  const { mutate: unmarkAllRead } = useUnmarkAllRead()

  useEffect(() => {
    if (!marked) return
    const endUnlessHeld = () => {
      if (!undoButton.current?.matches(':hover, :focus-visible')) setMarked(null)
    }
    const timer = setInterval(endUnlessHeld, undoMs)
    return () => clearInterval(timer)
  }, [marked])

  const read = useCallback(
    ({ id, alert, isRead }: ListedAlert) => {
      if (isRead || isLocked(alert)) return
      setOpened((before) => new Set(before).add(id))
      markRead(id)
    },
    [markRead],
  )

  function markAll(upTo: number, arrived: readonly Alert[]) {
    markAllRead(upTo, {
      onSuccess: (result) => {
        const late = arrived.filter(({ id, logIndex }) => logIndex <= upTo && !opened.has(id)).map(({ id }) => id)
        setOpened((before) => new Set([...before, ...late]))
        settledAtMs.current = performance.now()
        setMarked(result && { ...result, ids: new Set([...result.ids, ...late]) })
      },
    })
  }

  function undo() {
    if (!marked || performance.now() - settledAtMs.current < settleMs) return
    setMarked(null)
    setOpened((before) => new Set([...before].filter((id) => !marked.ids.has(id))))
    unmarkAllRead(marked)
  }

  return { opened, marked, isMarking, read, markAll, undo, undoButton }
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
      setRead(client, isEntry(id), true)
      client.setQueryData(queries.unread.queryKey, (unread) => unread && { ...unread, count: unread.count - 1 })
    },
    onSuccess: (_, id) => {
      invalidateReads()
      // A list that arrived in the meantime may still contain the old state.
      setRead(client, isEntry(id), true)
      notifyOtherTabs('reads')
      void client.invalidateQueries({ queryKey: queries.unread.queryKey })
    },
    onError: () => refetchReads(client),
  })
}

/** Result of "Mark all read", which undo needs. */
type MarkedAll = { id: string; count: string; ids: ReadonlySet<string> }

/**
 * Marks all alerts up to a log index as read. Returns the changes, or null if no alert was unread.
 */
function useMarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (upTo: number): Promise<MarkedAll | null> => {
      const { id, marked } = await call('markAllRead', { body: { upTo } })
      invalidateReads()
      const count = `${marked.count.toLocaleString(numberLocale)}${marked.isMore ? '+' : ''}`
      const ids = setRead(client, ({ alert }) => !('locked' in alert) && alert.logIndex <= upTo, true)
      return id === null ? null : { id, count, ids }
    },
    onSuccess: () => notifyOtherTabs('reads'),
    onError: (error) => toast({ title: 'Marking Failed', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.unread.queryKey }),
  })
}

function useUnmarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: MarkedAll) => call('unmarkAllRead', { params: { id } }),
    onSuccess: (_, { ids }) => {
      invalidateReads()
      setRead(client, (entry) => ids.has(entry.id), false)
      notifyOtherTabs('reads')
    },
    onError: (error) => toast({ title: 'Undo Failed', description: wordsOf(error), variant: 'destructive' }),
    onSettled: () => refetchReads(client),
  })
}

const isEntry = (id: string) => (entry: ListedAlert) => entry.id === id

function wordsOf(error: unknown): string {
  return sentenceOf(error, 'The server did not answer. Nothing was changed.')
}

/**
 * Sets the read state of matching alerts in all cached lists. Returns the ids of the changed
 * alerts.
 */
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
