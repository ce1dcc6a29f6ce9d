import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { bySession, openAlertStream } from '@tocsin/client'
import type { Alert, ServerMessage } from '@tocsin/protocol'
import { useEffect } from 'react'
import { tellThisTab } from './other-tabs.ts'
import { queries, readChainAgain } from './queries.ts'
import { highestIndex, mergeRecent, mergeUserAlerts } from './stream-arrivals.ts'
import { streamStatus } from './stream-status.ts'

export type StreamWishes = {
  userId: string
  /** The proved wallet; null while there is nothing to open a stream for. */
  walletAddress: string | null
  /** An alert that is new to this page. */
  announce: (alert: Alert) => void
  /** How many alerts came in while the page was away. */
  caughtUp: (count: number) => void
}

/** Keeps one socket open as long as there is a wallet to open it for. Everything that arrives goes into the query cache. */
export function useAlertStream({ userId, walletAddress, announce, caughtUp }: StreamWishes): void {
  const queryClient = useQueryClient()
  // What the list already holds decides where the stream takes up.
  const { isPending } = useQuery(queries.recentAlerts)

  useEffect(() => {
    if (walletAddress === null || isPending) return
    const cache = createStreamCache(queryClient, userId)
    const now = () => new Date().toISOString()
    const lastIndex = cache.lastIndex()

    streamStatus.moveTo('reconnecting', true, now())
    const stream = openAlertStream({
      url: `${location.origin.replace(/^http/, 'ws')}/ws`,
      authenticate: bySession(walletAddress),
      ...(lastIndex === null ? {} : { from: { lastIndex } }),
      isKnown: cache.isListed,
      onMessage(message) {
        streamStatus.heard(now())
        cache.heed(message)
      },
      onAlert(alert, missed) {
        cache.insert(alert)
        if (!missed) announce(alert)
      },
      onUpdate: cache.insert,
      onLive({ missed, recovered, isFirst }) {
        if (!recovered || !isFirst) cache.readAgain()
        if (missed > 0) caughtUp(missed)
      },
      onState: (state) => streamStatus.moveTo(state, true, now()),
      onRefused: cache.readEntitlement,
      onEnded: cache.readEntitlement,
    })
    const probe = () => stream.probe()
    window.addEventListener('focus', probe)
    window.addEventListener('online', probe)
    return () => {
      window.removeEventListener('focus', probe)
      window.removeEventListener('online', probe)
      stream.close()
      streamStatus.moveTo('offline', false, now())
    }
  }, [queryClient, userId, walletAddress, isPending, announce, caughtUp])
}

/** The part of the query cache that the stream reads and writes. */
function createStreamCache(queryClient: QueryClient, userId: string) {
  const recent = queries.recentAlerts.queryKey
  const own = queries.userAlerts(userId).queryKey
  const subscription = queries.activeSubscription(userId).queryKey

  function insert(alert: Alert): void {
    queryClient.setQueryData(recent, (list) => list && mergeRecent(list, alert))
    queryClient.setQueryData(own, (list) => list && mergeUserAlerts(list, alert))
  }

  /** What is said of the subscription. */
  function heed(message: ServerMessage): void {
    if (message.type === 'subscription_expired') {
      queryClient.setQueryData(subscription, null)
      readAgain()
    }
    if (message.type === 'chain_changed') readChainAgain(queryClient)
    if (message.type === 'preferences_changed') tellThisTab('preferences')
    if (message.type === 'reads_changed') tellThisTab('reads')
    if (message.type === 'subscription_status' || message.type === 'subscription_expired') {
      readPlan()
    }
  }

  /** A plan may have come or gone with its payment. */
  function readPlan(): void {
    void queryClient.invalidateQueries({ queryKey: subscription })
    void queryClient.invalidateQueries({ queryKey: queries.orders.queryKey })
  }

  function readAgain(): void {
    void queryClient.invalidateQueries({ queryKey: recent })
    void queryClient.invalidateQueries({ queryKey: own })
  }

  return {
    insert,
    heed,
    readAgain,
    readEntitlement(): void {
      readPlan()
      void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    },
    isListed: (id: string) =>
      [...(queryClient.getQueryData(recent) ?? []), ...(queryClient.getQueryData(own) ?? [])].some(
        (each) => each.id === id && !('locked' in each),
      ),
    lastIndex: () =>
      highestIndex([
        ...(queryClient.getQueryData(recent) ?? []),
        ...(queryClient.getQueryData(own) ?? []).map(({ alert }) => alert),
      ]),
  }
}
