import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { clearKept, confirmKept, openKept, writeKept } from '../../session/kept-alerts.ts'
import { maxKept, mergeKept, readableOf } from './kept-list.ts'

const pageSize = 100
/** Pages can consist of locked rows only. */
const maxPages = 10
/** Alerts that arrive in a burst are written together. */
const writeDelayMs = 2000

interface Newest {
  alerts: ListedAlert[]
  /** Log index of the newest alert, readable or not. */
  newestIndex: number
}

/**
 * Keeps the newest alerts that the server lets this account read, for reading offline. Lazily
 * loaded; renders nothing.
 */
export function AlertKeeper() {
  const { id: userId, isAdmin } = useUser()
  const client = useQueryClient()
  const { data: subscription, isSuccess: isPlanKnown } = useQuery(queries.activeSubscription(userId))
  const { data: recent } = useQuery(queries.recentAlerts)
  const { dataUpdatedAt } = useQuery(queries.logHead)
  const kept = useRef<Newest | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const planId = subscription?.id ?? null
  const hadPlan = useRef(false)

  // A plan that begins or ends changes what is readable, so everything is read again.
  useEffect(() => {
    if (!isPlanKnown) return
    const controller = new AbortController()
    const isOver = hadPlan.current && planId === null
    hadPlan.current = planId !== null
    kept.current = null
    const start = async () => {
      // What is kept must not outlast the plan if the next answer never arrives.
      if (isOver) await clearKept()
      const sessions = await call('listSessions', { signal: controller.signal })
      const newest = await readNewest(controller.signal)
      controller.signal.throwIfAborted()
      const isRemembered = sessions.some((session) => session.isCurrent && session.remembered)
      // The cookie of an admin's session ends after hours, and is not renewed while offline.
      openKept(userId, isRemembered && !isAdmin)
      kept.current = newest
      await writeKept(userId, newest.alerts, Date.now())
    }
    // Without an answer the alerts that were kept before stay, with their age.
    start().catch(() => {})
    return () => controller.abort()
  }, [userId, isAdmin, isPlanKnown, planId])

  // New alerts, anchors and outcomes.
  useEffect(() => {
    if (kept.current === null || !recent) return
    const { newestIndex } = kept.current
    kept.current = { alerts: mergeKept(kept.current.alerts, recent, newestIndex), newestIndex }
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      if (kept.current) void writeKept(userId, kept.current.alerts, newestAnswer(client))
    }, writeDelayMs)
  }, [client, userId, recent])
  useEffect(() => () => clearTimeout(timer.current), [])

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

async function readNewest(signal: AbortSignal): Promise<Newest> {
  const alerts: ListedAlert[] = []
  let newestIndex = -1
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages && alerts.length < maxKept; pages += 1) {
    const query: { limit: number; cursor?: string } = { limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const { items, next } = await call('searchAlerts', { query, signal })
    newestIndex = Math.max(newestIndex, ...items.map(({ alert }) => alert.logIndex))
    alerts.push(...readableOf(items))
    if (next === null) break
    cursor = next
  }
  return { alerts: alerts.slice(0, maxKept), newestIndex }
}
