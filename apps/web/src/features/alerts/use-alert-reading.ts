import type { Alert, ListedAlert } from '@tocsin/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { isLocked } from './alert-words.ts'
import { type MarkedAll, useMarkAllRead, useMarkRead, useUnmarkAllRead } from './use-mark-read.ts'

const undoMs = 10_000
/** The second click of a double one is none to take anything back. */
const settleMs = 600

/** What is read here: one by one, all at once, and taken back for ten seconds. */
export function useAlertReading() {
  /** Of what has come in since the list was read: pages know of their own. */
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [marked, setMarked] = useState<MarkedAll | null>(null)
  const settledAtMs = useRef(0)
  const { mutate: markRead } = useMarkRead()
  const { mutate: markAllRead, isPending: isMarking } = useMarkAllRead()
  const { mutate: unmarkAllRead } = useUnmarkAllRead()

  useEffect(() => {
    if (!marked) return
    const timer = setTimeout(() => setMarked(null), undoMs)
    return () => clearTimeout(timer)
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

  return { opened, marked, isMarking, read, markAll, undo }
}
