import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedAlert } from '@tocsin/protocol'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import {
  clearOfflineAlerts,
  confirmOfflineAlerts,
  openOfflineAlerts,
  writeOfflineAlerts,
} from '../../session/offline-alerts.ts'
import { usePreferences } from '../../session/preferences.ts'
import { writeTimeHint } from '../../session/signed-in-hint.ts'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { loadedLists } from '../alert/alert-queries.ts'
import { useUnreadCount } from '../alerts/use-unread-count.ts'
import { getReadable, maxOfflineAlerts, mergeOfflineAlerts, updateReads } from './offline-list.ts'

const pageSize = 100
/** Maximum number of pages to read. Some pages may contain only locked rows. */
const maxPages = 10
/** Delay before alerts are stored, so that a burst of alerts is stored in one write. */
const writeDelayMs = 2000

interface Newest {
  alerts: ListedAlert[]
  /** Log index of the newest alert, readable or not, when the alerts were read. */
  newestIndex: number
  /**
   * Highest log index of all alerts that this page has received, including those that arrived
   * later.
   */
  knownIndex: number
}

/**
 * Stores the newest alerts that this account can read, and the time zone of the account, for
 * reading offline. Lazily loaded; renders nothing.
 */
export function OfflineAlertCache() {
  const { id: userId, isAdmin } = useUser()
  const queryClient = useQueryClient()
  const { data: subscription, isSuccess: isPlanKnown } = useQuery(queries.activeSubscription(userId))
  const { data: recent, dataUpdatedAt: recentAtMs } = useQuery(queries.recentAlerts)
  const { dataUpdatedAt: headAtMs } = useQuery(queries.logHead)
  const { isSuccess: isUnreadKnown } = useQuery(queries.unread)
  const { preferences, isKnown: arePreferencesKnown } = usePreferences()
  const unreadCount = useUnreadCount()
  const { state } = useStreamStatus()
  // Time at which the offline alerts were last confirmed to be the newest. While the stream is
  // live, each poll of the log head confirms this. Otherwise only a successful read of the recent
  // alerts does.
  const confirmedAtMs = state === 'live' ? Math.max(recentAtMs, headAtMs) : recentAtMs
  const asOfMs = useRef(0)
  const cached = useRef<Newest | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const planId = subscription?.id ?? null
  const hadPlan = useRef(false)
  const hasFailed = useRef(false)
  const [repeats, setRepeats] = useState(0)
  const [completedReads, setCompletedReads] = useState(0)

  useEffect(() => {
    if (arePreferencesKnown) writeTimeHint(preferences)
  }, [preferences, arePreferencesKnown])

  // When a subscription begins or ends, other alerts become readable, so all alerts are read again.
  useEffect(() => {
    void repeats
    if (!isPlanKnown) return
    const controller = new AbortController()
    const isOver = hadPlan.current && planId === null
    hadPlan.current = planId !== null
    cached.current = null
    const start = async () => {
      // When the subscription has ended, delete the offline alerts first, because the requests
      // below can fail.
      if (isOver) await clearOfflineAlerts()
      const sessions = await call('listSessions', { signal: controller.signal })
      const newest = await readNewest(controller.signal)
      controller.signal.throwIfAborted()
      const isRemembered = sessions.some((session) => session.isCurrent && session.remembered)
      // Admin sessions end after hours and can't be renewed offline, so their offline alerts last
      // only until the browser is closed.
      openOfflineAlerts(userId, isRemembered && !isAdmin)
      cached.current = newest
      asOfMs.current = Date.now()
      await writeOfflineAlerts(userId, newest.alerts, asOfMs.current)
      // Run the next effect, because alerts may have arrived or been read during the requests.
      setCompletedReads((before) => before + 1)
    }
    // If the server does not answer, the alerts stored before remain, with their age.
    start().catch(() => {
      hasFailed.current = !controller.signal.aborted
    })
    return () => controller.abort()
  }, [userId, isAdmin, isPlanKnown, planId, repeats])

  // Updates the stored alerts with new alerts, anchors, outcomes and read states.
  useEffect(() => {
    void completedReads
    if (!recent) return
    const indexes = recent.map(({ logIndex }) => logIndex)
    // `recent` contains only the newest alerts. If all of them are new, alerts before them may be
    // missing, so read all alerts again.
    const hasGap = cached.current !== null && indexes.length > 0 && Math.min(...indexes) > cached.current.knownIndex
    if (hasGap || hasFailed.current) {
      hasFailed.current = false
      cached.current = null
      setRepeats((before) => before + 1)
    }
    if (cached.current === null) return
    const { alerts, newestIndex, knownIndex } = cached.current
    const merged = mergeOfflineAlerts(alerts, recent, newestIndex)
    const listed = loadedLists(queryClient).flatMap(({ pages }) => pages.pages.flatMap(({ items }) => items))
    cached.current = {
      alerts: updateReads(merged, listed, isUnreadKnown && unreadCount === 0),
      newestIndex,
      knownIndex: Math.max(knownIndex, ...indexes),
    }
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      if (cached.current) void writeOfflineAlerts(userId, cached.current.alerts, asOfMs.current)
    }, writeDelayMs)
  }, [userId, recent, queryClient, isUnreadKnown, unreadCount, completedReads])
  useEffect(() => () => clearTimeout(timer.current), [])

  useEffect(() => {
    if (cached.current === null || confirmedAtMs <= asOfMs.current) return
    asOfMs.current = confirmedAtMs
    // Not needed while a write is waiting, because that write stores the time together with the
    // alerts.
    if (timer.current === undefined) void confirmOfflineAlerts(userId, confirmedAtMs)
  }, [userId, confirmedAtMs])
  return null
}

async function readNewest(signal: AbortSignal): Promise<Newest> {
  const alerts: ListedAlert[] = []
  let newestIndex = -1
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages && alerts.length < maxOfflineAlerts; pages += 1) {
    const query: { limit: number; cursor?: string } = { limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const { items, next } = await call('searchAlerts', { query, signal })
    newestIndex = Math.max(newestIndex, ...items.map(({ alert }) => alert.logIndex))
    alerts.push(...getReadable(items))
    if (next === null) break
    cursor = next
  }
  return { alerts: alerts.slice(0, maxOfflineAlerts), newestIndex, knownIndex: newestIndex }
}
