import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { useEffect, useRef, useState } from 'react'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { toast } from '../../ui/toast.tsx'
import { invalidateReads } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { formatLimitedCount } from './count-texts.ts'
import { setReadState, useReadAlerts } from './use-read-alerts.ts'
import { refetchReadState } from './use-synced-unread-count.ts'

const undoWindowMs = 10_000
/**
 * Time in ms after "Mark all" in which an undo is ignored. The same button marks and undoes, so
 * that the second click of a double click would be an undo.
 */
const ignoreUndoMs = 600

/**
 * Marks alerts as read, one by one or all together. "Mark all" can be undone for ten seconds, and
 * longer while the pointer or the keyboard focus is on `undoButton`.
 */
export function useAlertReading() {
  const { opened, setOpened, markAsRead } = useReadAlerts()
  const [lastMarking, setLastMarking] = useState<MarkingResult | null>(null)
  const undoButton = useRef<HTMLButtonElement>(null)
  const markedAtMs = useRef(0)
  const { mutate: markAllRead, isPending: isMarking } = useMarkAllRead()
  const { mutate: unmarkAllRead } = useUnmarkAllRead()

  useEffect(() => {
    if (!lastMarking) return
    const endUnlessFocused = () => {
      if (!undoButton.current?.matches(':hover, :focus-visible')) setLastMarking(null)
    }
    const timer = setInterval(endUnlessFocused, undoWindowMs)
    return () => clearInterval(timer)
  }, [lastMarking])

  function markAll(upTo: number, arrived: readonly Alert[]) {
    markAllRead(upTo, {
      onSuccess: (result) => {
        const arrivedIds = arrived.filter(({ id, logIndex }) => logIndex <= upTo && !opened.has(id)).map(({ id }) => id)
        setOpened((before) => new Set([...before, ...arrivedIds]))
        markedAtMs.current = performance.now()
        setLastMarking(result && { ...result, ids: new Set([...result.ids, ...arrivedIds]) })
      },
    })
  }

  function undo() {
    if (!lastMarking || performance.now() - markedAtMs.current < ignoreUndoMs) return
    setLastMarking(null)
    setOpened((before) => new Set([...before].filter((id) => !lastMarking.ids.has(id))))
    unmarkAllRead(lastMarking)
  }

  return { opened, marked: lastMarking, isMarking, markAsRead, markAll, undo, undoButton }
}

/** Result of "Mark all read": the data that an undo needs. */
type MarkingResult = { id: string; count: string; ids: ReadonlySet<string> }

/**
 * Marks all alerts up to a log index as read. Returns the changes, or null if no alert was unread.
 */
function useMarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (upTo: number): Promise<MarkingResult | null> => {
      const { id, marked } = await call('markAllRead', { body: { upTo } })
      invalidateReads()
      const ids = setReadState(client, ({ alert }) => !isLocked(alert) && alert.logIndex <= upTo, true)
      return id === null ? null : { id, count: formatLimitedCount(marked), ids }
    },
    onSuccess: () => notifyOtherTabs('reads'),
    onError: (error) => toast({ title: 'Marking Failed', description: formatError(error), variant: 'destructive' }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.unread.queryKey }),
  })
}

function useUnmarkAllRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: MarkingResult) => call('unmarkAllRead', { params: { id } }),
    onSuccess: (_, { ids }) => {
      invalidateReads()
      setReadState(client, (entry) => ids.has(entry.id), false)
      notifyOtherTabs('reads')
    },
    onError: (error) => toast({ title: 'Undo Failed', description: formatError(error), variant: 'destructive' }),
    onSettled: () => refetchReadState(client),
  })
}

function formatError(error: unknown): string {
  return getErrorMessage(error, 'The server did not respond. Nothing was changed. Please try again.')
}
