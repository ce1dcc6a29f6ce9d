import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import {
  clearOfflineAlerts,
  confirmOfflineAlerts,
  setOfflineAlertsOwner,
  writeOfflineAlerts,
} from '../../session/offline-alerts.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { findLoadedLists } from '../alert/alert-queries.ts'
import { useUnreadCount } from '../alerts/use-unread-count.ts'
import { filterReadable, maxOfflineAlerts, mergeOfflineAlerts, updateReadStates } from './offline-list.ts'

const pageSize = 100
/** Maximum number of pages to read. Some pages may contain only locked rows. */
const maxPages = 10
/** Delay before alerts are stored, so that a burst of alerts is stored in one write. */
const writeDelayMs = 2000

interface NewestAlerts {
  alerts: ListedAlert[]
  /** Log index of the newest alert, including locked rows, when `alerts` was fetched. */
  newestIndex: number
  /**
   * Highest log index of all alerts that this page has received, including those that arrived
   * later.
   */
  knownIndex: number
}

/**
 * Stores the newest alerts that this account can read, for reading offline. Lazily loaded; renders
 * nothing.
 */
export function OfflineAlertCache() {
  const { id: userId, isAdmin } = useUser()
  const queryClient = useQueryClient()
  const { data: subscription, isSuccess: isPlanKnown } = useQuery(queries.activeSubscription(userId))
  const { data: recentAlerts, dataUpdatedAt: recentAtMs } = useQuery(queries.recentAlerts)
  const { dataUpdatedAt: headAtMs } = useQuery(queries.logHead)
  const { isSuccess: isUnreadKnown } = useQuery(queries.unread)
  const unreadCount = useUnreadCount()
  const { state } = useStreamStatus()
  // Time at which the offline alerts were last confirmed to be the newest. While the stream is
  // live, each poll of the log head confirms this. Otherwise only a successful read of the recent
  // alerts does.
  const confirmedAtMs = state === 'live' ? Math.max(recentAtMs, headAtMs) : recentAtMs
  const asOfMs = useRef(0)
  const cachedAlerts = useRef<NewestAlerts | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const planId = subscription?.id ?? null
  const hadPlan = useRef(false)
  const hasFailed = useRef(false)
  const [repeatCount, setRepeatCount] = useState(0)
  const [completedReads, setCompletedReads] = useState(0)

  // When a subscription begins or ends, other alerts become readable, so all alerts are read again.
  useEffect(() => {
    void repeatCount
    if (!isPlanKnown) return
    const controller = new AbortController()
    const hasPlanEnded = hadPlan.current && planId === null
    hadPlan.current = planId !== null
    cachedAlerts.current = null
    const start = async () => {
      // When the subscription has ended, delete the offline alerts first, because the requests
      // below can fail.
      if (hasPlanEnded) await clearOfflineAlerts()
      const sessions = await call('listSessions', { signal: controller.signal })
      const newestAlerts = await readNewestAlerts(controller.signal)
      controller.signal.throwIfAborted()
      const isRemembered = sessions.some((session) => session.isCurrent && session.remembered)
      // Admin sessions end after hours and can't be renewed offline, so their offline alerts last
      // only until the browser is closed.
      setOfflineAlertsOwner(userId, isRemembered && !isAdmin)
      cachedAlerts.current = newestAlerts
      asOfMs.current = Date.now()
      await writeOfflineAlerts(userId, newestAlerts.alerts, asOfMs.current)
      // Run the next effect, because alerts may have arrived or been read during the requests.
      setCompletedReads((before) => before + 1)
    }
    // If the server does not answer, the alerts stored before remain, with their age.
    start().catch(() => {
      hasFailed.current = !controller.signal.aborted
    })
    return () => controller.abort()
  }, [userId, isAdmin, isPlanKnown, planId, repeatCount])

  // Updates the stored alerts with new alerts, anchors, outcomes and read states.
  useEffect(() => {
    void completedReads
    if (!recentAlerts) return
    const indexes = recentAlerts.map(({ logIndex }) => logIndex)
    // `recentAlerts` contains only the newest alerts. If all of them are new, alerts before them
    // may be missing, so read all alerts again.
    const hasGap =
      cachedAlerts.current !== null && indexes.length > 0 && Math.min(...indexes) > cachedAlerts.current.knownIndex
    if (hasGap || hasFailed.current) {
      hasFailed.current = false
      cachedAlerts.current = null
      setRepeatCount((before) => before + 1)
    }
    if (cachedAlerts.current === null) return
    const { alerts, newestIndex, knownIndex } = cachedAlerts.current
    const mergedAlerts = mergeOfflineAlerts(alerts, recentAlerts, newestIndex)
    const listedEntries = findLoadedLists(queryClient).flatMap(({ pages }) => pages.pages.flatMap(({ items }) => items))
    cachedAlerts.current = {
      alerts: updateReadStates(mergedAlerts, listedEntries, isUnreadKnown && unreadCount === 0),
      newestIndex,
      knownIndex: Math.max(knownIndex, ...indexes),
    }
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      if (cachedAlerts.current) void writeOfflineAlerts(userId, cachedAlerts.current.alerts, asOfMs.current)
    }, writeDelayMs)
  }, [userId, recentAlerts, queryClient, isUnreadKnown, unreadCount, completedReads])
  useEffect(() => () => clearTimeout(timer.current), [])

  useEffect(() => {
    if (cachedAlerts.current === null || confirmedAtMs <= asOfMs.current) return
    asOfMs.current = confirmedAtMs
    // Not needed if a write is scheduled, because the write also stores `asOfMs`.
    if (timer.current === undefined) void confirmOfflineAlerts(userId, confirmedAtMs)
  }, [userId, confirmedAtMs])
  return null
}

async function readNewestAlerts(signal: AbortSignal): Promise<NewestAlerts> {
  const alerts: ListedAlert[] = []
  let newestIndex = -1
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages && alerts.length < maxOfflineAlerts; pages += 1) {
    const query: { limit: number; cursor?: string } = { limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const { items, next } = await call('searchAlerts', { query, signal })
    newestIndex = Math.max(newestIndex, ...items.map(({ alert }) => alert.logIndex))
    alerts.push(...filterReadable(items))
    if (next === null) break
    cursor = next
  }
  return { alerts: alerts.slice(0, maxOfflineAlerts), newestIndex, knownIndex: newestIndex }
}
