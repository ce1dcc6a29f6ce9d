import { notifyManager, type QueryClient, replaceEqualDeep } from '@tanstack/react-query'
import { type AlertStream, bySession, openAlertStream } from '@tocsin/client'
import type { Alert, ReadableAlert, ServerMessage } from '@tocsin/protocol'
import { call } from '../api/api.ts'
import { invalidateChain, queries } from '../api/queries.ts'
import { logUnknownMessage } from '../browser/log-unknown-message.ts'
import { notifyThisTab } from '../browser/other-tabs.ts'
import { waitUntilIdle } from '../ui/lazy-load.tsx'
import { FrameBatch } from './frame-batch.ts'
import { livePrices, livePricesQuery } from './live-prices.ts'
import { findHighestIndex, hasVerdict, mergeRecentAlert, mergeUserAlerts } from './merge-alerts.ts'
import { streamStatus } from './stream-status.ts'
import { unlistedUpdateIds } from './updated-only.ts'

/** Something that the stream reports to the user. `count` is the number of missed alerts. */
export type Announcement = { kind: 'alert' | 'outcome'; alert: Alert } | { kind: 'caught_up'; count: number }

export type AlertStreamOptions = {
  userId: string
  /** The proved wallet, or null if no stream should be open. */
  walletAddress: string | null
  /**
   * Called for each new alert, for each new verdict on a prediction, and after a reconnect that
   * has recovered missed alerts.
   */
  announce: (announcement: Announcement) => void
}

/** Age in ms of the list of alerts below which `onLive` may read only the newest ones again. */
const freshListMaxAgeMs = 30_000
/** Wait in ms until a refused stream is opened again. */
const reopenWaitMs = 10_000
/** Number of recent alerts in the cache above which the oldest are removed. */
const maxRecentAlerts = 500
/** Number of removed alerts that are remembered, so that the memory of a page stays bounded. */
const maxRemovedAlerts = 2_000

type AccountStreamOptions = AlertStreamOptions & { walletAddress: string }

/**
 * Opens the stream, starting after the newest alert in the query cache. Writes everything that it
 * receives into the cache: alerts with the next animation frame, other messages immediately, and
 * always in the order of their arrival. Returns a function that closes the stream.
 */
export function openAccountStream(queryClient: QueryClient, options: AccountStreamOptions): () => void {
  const { userId, walletAddress, announce } = options
  const announceAlert = (alert: Alert) => announce({ kind: 'alert', alert })
  const announceOutcome = (alert: Alert) => announce({ kind: 'outcome', alert })
  const cache = createStreamCache(queryClient, userId)
  const formatNow = () => new Date().toISOString()
  let reopenTimer: ReturnType<typeof setTimeout> | undefined
  let stream = openStream(false)

  function openStream(isReopened: boolean): AlertStream {
    const lastIndex = cache.lastIndex()
    const listFetchedAtMs = queryClient.getQueryState(queries.recentAlerts.queryKey)?.dataUpdatedAt ?? 0
    return openAlertStream({
      url: `${location.origin.replace(/^http/, 'ws')}/ws`,
      authenticate: bySession(walletAddress),
      ...(lastIndex === null ? {} : { from: { lastIndex } }),
      isKnown: cache.isKnown,
      onMessage(message) {
        if (message.type === 'new_alert') return
        // Insert the waiting alerts first: the message came after them, and may end the backfill or
        // the plan.
        cache.flush()
        streamStatus.recordMessage(formatNow())
        cache.applyMessage(message)
      },
      onAlert(alert, missed) {
        unlistedUpdateIds.delete(alert.id)
        cache.insertInNextFrame(alert, missed ? undefined : announceAlert)
      },
      onUpdate(alert) {
        // Verdicts that arrive before the stream is live were missed earlier and are not announced.
        const isNew = stream.state === 'live' && alert.outcome !== undefined && !cache.isVerdictKnown(alert.id)
        if (!cache.isListed(alert.id)) unlistedUpdateIds.add(alert.id)
        cache.insertInNextFrame(alert, isNew ? announceOutcome : undefined)
      },
      onLive({ missed, recovered, isFirst }) {
        // The backfill has no proofs of earlier alerts, and is incomplete if it was not recovered,
        // so read the lists again. If the first connection of the page has recovered the missed
        // alerts, only the newest alerts of a list younger than `freshListMaxAgeMs` can be
        // outdated. Then read only these, and wait until the page is idle, because it is still
        // starting.
        if (recovered && isFirst && !isReopened && Date.now() - listFetchedAtMs < freshListMaxAgeMs)
          void waitUntilIdle().then(cache.updateNewest).catch(cache.refetchRecent)
        else void cache.refetchAlerts()
        if (missed > 0) announce({ kind: 'caught_up', count: missed })
      },
      onState: (state) => streamStatus.setState(state, true, formatNow()),
      onUnknown: logUnknownMessage,
      onRefused() {
        cache.refetchEntitlement()
        // An instance that lags behind may refuse an account that is entitled. If the account is
        // not entitled, the refetched entitlement makes the caller close this stream.
        reopenTimer = setTimeout(() => {
          stream = openStream(true)
        }, reopenWaitMs)
      },
      onEnded: cache.refetchEntitlement,
    })
  }

  const probe = () => stream.probe()
  window.addEventListener('focus', probe)
  window.addEventListener('online', probe)
  return () => {
    window.removeEventListener('focus', probe)
    window.removeEventListener('online', probe)
    clearTimeout(reopenTimer)
    stream.close()
    cache.close()
  }
}

/** An alert that waits for the next animation frame. */
interface ReceivedAlert {
  alert: Alert
  /** Called after the lists contain the alert. */
  announce: ((alert: Alert) => void) | undefined
}

/** The part of the query cache that the stream reads and writes. */
function createStreamCache(queryClient: QueryClient, userId: string) {
  const recentKey = queries.recentAlerts.queryKey
  const userAlertsKey = queries.userAlerts(userId).queryKey
  const subscriptionKey = queries.activeSubscription(userId).queryKey

  /** For each running refetch of the alerts, the alerts that were inserted since its start. */
  const insertedDuringRefetch = new Set<Alert[]>()
  /**
   * Ids of the newest alerts that were removed from the list, with whether their verdict was known.
   */
  const removedAlerts = new Map<string, boolean>()

  const received = new FrameBatch<ReceivedAlert>((items) => {
    streamStatus.recordMessage(new Date().toISOString())
    insert(items.map(({ alert }) => alert))
    for (const { alert, announce } of items) announce?.(alert)
  })
  const flush = () => received.flush()
  // Insert the waiting alerts before a response is rendered. An alert that is inserted later counts
  // as newer than the response, so it would be counted twice if the response contains it.
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    const isResponse = event.type === 'updated' && event.action.type === 'success' && !event.action.manual
    if (isResponse) flush()
  })

  /** Inserts the alerts in order, with one update of each list. */
  function insert(alerts: readonly Alert[]): void {
    if (alerts.length === 0) return
    for (const inserted of insertedDuringRefetch) inserted.push(...alerts)
    for (const alert of queryClient.getQueryData(recentKey)?.slice(maxRecentAlerts) ?? [])
      removedAlerts.set(alert.id, hasVerdict(alert))
    for (const id of [...removedAlerts.keys()].slice(0, -maxRemovedAlerts)) removedAlerts.delete(id)
    // One batch, so that the readers of both lists render together.
    notifyManager.batch(() => {
      queryClient.setQueryData(
        recentKey,
        // Remove the oldest before the merge: an update of an old alert must reach the readers.
        (list) => list && alerts.reduce(mergeRecentAlert, list.slice(0, maxRecentAlerts)),
      )
      queryClient.setQueryData(userAlertsKey, (list) => list && alerts.reduce(mergeUserAlerts, list))
    })
  }

  /** The alerts of the lists, and those that the next animation frame inserts. */
  function listAlerts(): ReadableAlert[] {
    const [recent, own] = [queryClient.getQueryData(recentKey), queryClient.getQueryData(userAlertsKey)]
    // Alerts are inserted only into lists that have been loaded.
    if (!recent && !own) return []
    const waiting = received.waiting.map(({ alert }) => alert)
    return [...waiting, ...(recent ?? []), ...(own ?? []).map(({ alert }) => alert)]
  }

  function isListed(id: string): boolean {
    return listAlerts().some((listedAlert) => listedAlert.id === id && !('locked' in listedAlert))
  }

  function applyMessage(message: ServerMessage): void {
    if (message.type === 'subscription_expired') {
      queryClient.setQueryData(subscriptionKey, null)
      queryClient.setQueryData(livePricesQuery.queryKey, false)
      livePrices.clear()
      void refetchAlerts()
    }
    if (message.type === 'prices') {
      livePrices.apply(message, Date.now())
      queryClient.setQueryData(livePricesQuery.queryKey, true)
    }
    if (message.type === 'chain_changed') invalidateChain(queryClient)
    if (message.type === 'preferences_changed') notifyThisTab('preferences')
    if (message.type === 'reads_changed') notifyThisTab('reads')
    if (message.type === 'acknowledgements_changed') notifyThisTab('acknowledgements')
    if (message.type === 'subscription_status' || message.type === 'subscription_expired') {
      refetchPlan()
    }
  }

  /** A payment may have started or ended the plan, so the orders are refetched too. */
  function refetchPlan(): void {
    void queryClient.invalidateQueries({ queryKey: subscriptionKey })
    void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey })
  }

  /**
   * Reads the newest alerts and inserts those that have changed into the cached lists. Unlike
   * `refetchAlerts`, needs only one request.
   */
  async function updateNewest(): Promise<void> {
    flush()
    const alertsBefore = queryClient.getQueryData(recentKey) ?? []
    const alerts = await call('recentAlerts', { query: { limit: 10 } })
    flush()
    const knownAlerts = queryClient.getQueryData(recentKey) ?? []
    // The stream may have changed alerts during the request. They are newer than the response.
    const streamedIndexes = new Set(
      knownAlerts.filter((alert) => !alertsBefore.includes(alert)).map(({ logIndex }) => logIndex),
    )
    const isChanged = (alert: ReadableAlert): alert is Alert =>
      !('locked' in alert) && !knownAlerts.includes(alert) && !streamedIndexes.has(alert.logIndex)
    insert(replaceEqualDeep(knownAlerts, alerts).filter(isChanged))
  }

  function refetchRecent(): Promise<void> {
    return queryClient.invalidateQueries({ queryKey: recentKey })
  }

  async function refetchAlerts(): Promise<void> {
    // Insert the waiting alerts before the requests, because the responses will be newer than them.
    flush()
    const insertedAlerts: Alert[] = []
    insertedDuringRefetch.add(insertedAlerts)
    await Promise.all([refetchRecent(), queryClient.invalidateQueries({ queryKey: userAlertsKey })])
    insertedDuringRefetch.delete(insertedAlerts)
    // The responses can be older than alerts that the stream has delivered in the meantime, and
    // have overwritten them. Insert those alerts again.
    insert(insertedAlerts)
  }

  return {
    /** Inserts the alert with the next animation frame. Hidden tabs insert it immediately. */
    insertInNextFrame: (alert: Alert, announce: ReceivedAlert['announce']) => received.add({ alert, announce }),
    /** Inserts the alerts that wait for the next animation frame. */
    flush,
    close(): void {
      unsubscribe()
      flush()
    },
    applyMessage,
    updateNewest,
    refetchRecent,
    refetchAlerts,
    refetchEntitlement(): void {
      // Insert the waiting alerts now. If the plan has ended, the lists are read again, and alerts
      // that are inserted later would replace the newer locked rows.
      flush()
      refetchPlan()
      void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    },
    isListed,
    /** True if the lists contain this alert, or have contained it until they became too long. */
    isKnown: (id: string) => removedAlerts.has(id) || isListed(id),
    /** Like `isKnown`, for the alert with its outcome. */
    isVerdictKnown: (id: string) =>
      removedAlerts.get(id) === true ||
      listAlerts().some((listedAlert) => listedAlert.id === id && hasVerdict(listedAlert)),
    lastIndex: () => findHighestIndex(listAlerts()),
  }
}
