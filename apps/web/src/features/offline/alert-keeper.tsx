import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { clearKept, confirmKept, openKept, writeKept } from '../../browser/kept-alerts.ts'
import { useUser } from '../../session/auth.tsx'
import { maxKept, mergeKept, readableOf } from './kept-list.ts'

const pageSize = 100

/**
 * Keeps the newest alerts that the server lets this account read, for reading offline. Lazily
 * loaded; renders nothing.
 */
export function AlertKeeper() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const { data: subscription, isSuccess: isPlanKnown } = useQuery(queries.activeSubscription(userId))
  const { data: recent } = useQuery(queries.recentAlerts)
  const { dataUpdatedAt } = useQuery(queries.logHead)
  const kept = useRef<ListedAlert[] | null>(null)
  const planId = subscription?.id ?? null
  const hadPlan = useRef(false)

  // A plan that begins or ends changes what is readable, so everything is read again.
  useEffect(() => {
    if (!isPlanKnown) return
    const controller = new AbortController()
    const isOver = hadPlan.current && planId === null
    hadPlan.current = planId !== null
    kept.current = null
    // What is kept must not outlast the plan if the next answer never arrives.
    if (isOver) void clearKept()
    openKept(userId)
    readNewest(controller.signal).then(
      (alerts) => {
        kept.current = mergeKept(alerts, client.getQueryData(queries.recentAlerts.queryKey) ?? [])
        void writeKept(userId, kept.current, Date.now())
      },
      () => {},
    )
    return () => controller.abort()
  }, [client, userId, isPlanKnown, planId])

  // New alerts, anchors and outcomes.
  useEffect(() => {
    if (kept.current === null || !recent) return
    kept.current = mergeKept(kept.current, recent)
    void writeKept(userId, kept.current, newestAnswer(client))
  }, [client, userId, recent])

  // The head of the log is polled: while it arrives, the kept alerts are the newest.
  useEffect(() => {
    if (kept.current !== null && dataUpdatedAt > 0) void confirmKept(userId, dataUpdatedAt)
  }, [userId, dataUpdatedAt])
  return null
}

function newestAnswer(client: QueryClient): number {
  return Math.max(
    client.getQueryState(queries.recentAlerts.queryKey)?.dataUpdatedAt ?? 0,
    client.getQueryState(queries.logHead.queryKey)?.dataUpdatedAt ?? 0,
  )
}

/** @param missing number of alerts to read at most */
async function readNewest(
  signal: AbortSignal,
  missing = maxKept,
  cursor: string | null = null,
): Promise<ListedAlert[]> {
  const query = { limit: pageSize, ...(cursor === null ? {} : { cursor }) }
  const { items, next } = await call('searchAlerts', { query, signal })
  const readable = readableOf(items).slice(0, missing)
  const left = missing - readable.length
  return next === null || left === 0 ? readable : [...readable, ...(await readNewest(signal, left, next))]
}
