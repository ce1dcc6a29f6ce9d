import type { Alert, ListedAlert } from '@tocsin/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { isLocked } from '../alert/alert-words.ts'
import { type MarkedAll, useMarkAllRead, useMarkRead, useUnmarkAllRead } from './use-mark-read.ts'

const undoMs = 10_000
/** Ignores an undo this soon after marking: it is the second click of a double click. */
const settleMs = 600

/**
 * Marks alerts as read, one by one or all at once. "Mark all" can be undone for ten seconds, and
 * longer while the pointer or the keyboard focus is on `undoButton`.
 */
export function useAlertReading() {
  /**
   * Read alerts among those that arrived after the list was read. Pages carry their own read state.
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
