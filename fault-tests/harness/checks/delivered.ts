import type { Evidence } from '../evidence.ts'
import { findFirst } from '../find-first.ts'
import type { SubscriberRecord } from '../journal.ts'
import type { ReceivedAlert } from '../received-alerts.ts'

/** Length of the period before the end of a subscription in which an alert may be missing. */
const END_TOLERANCE_MS = 2_000
/** Maximum time until a client has noticed that its connection is broken and is live again. */
const RECONNECT_TIMEOUT_MS = 30_000

/**
 * Checks that every subscriber received each alert that was broadcast during its subscription, once
 * and in order. If the server could not send all missed alerts, it has asked the subscriber to read
 * the list of alerts. The subscriber must then have read it.
 */
export function checkStreamDeliveries(evidence: Evidence): string[] {
  return evidence.journal.subscribers.flatMap((subscriber) => checkSubscriber(evidence, subscriber))
}

function checkSubscriber({ deliveries, alerts, periods }: Evidence, subscriber: SubscriberRecord): string[] {
  const { name, accountId, received, reloads, liveAtMs } = subscriber
  if (liveAtMs === null) return [`${name} was never live`]
  const indexes = Array.from(received, ({ logIndex }) => logIndex)
  const problems: string[] = []
  const receivedIndexes = new Set(indexes)
  if (receivedIndexes.size < indexes.length)
    problems.push(`${name} received ${indexes.length - receivedIndexes.size} alerts more than once`)
  const firstDisorder = indexes.findIndex((index, at) => at > 0 && index < (indexes[at - 1] ?? 0))
  if (firstDisorder !== -1)
    problems.push(`${name} received ${indexes[firstDisorder]} after ${indexes[firstDisorder - 1]}`)
  const periodEnds = periods.filter((period) => period.accountId === accountId).map(({ endsAtMs }) => endsAtMs)
  const endsAtMs = Math.max(...periodEnds)
  const isUnread = reloads.some(({ isDone, atMs }) => !isDone && atMs < endsAtMs - END_TOLERANCE_MS)
  if (isUnread) problems.push(`${name} was asked to read the list and could not`)

  const alertIndexes = new Set(alerts.map(({ logIndex }) => logIndex))
  const dueUntilMs = Math.min(endsAtMs - END_TOLERANCE_MS, findLastReceivedMs(subscriber, endsAtMs))
  const missingDeliveries = deliveries.filter(({ logIndex, atMs }) => {
    const isDue = alertIndexes.has(logIndex) && atMs > liveAtMs && atMs < dueUntilMs
    return isDue && !receivedIndexes.has(logIndex) && !isReloaded(subscriber, logIndex)
  })
  const [first] = missingDeliveries
  if (first) problems.push(`${name} missed ${missingDeliveries.length} alerts, the first is ${first.logIndex}`)
  return problems
}

/**
 * If the subscription ended while the connection was broken, returns the time of the last alert
 * that was received before. A client cannot fetch later alerts, because they are locked after the
 * end. Otherwise returns Infinity.
 */
function findLastReceivedMs({ received, gaps }: SubscriberRecord, endsAtMs: number): number {
  const gap = gaps.find(
    ({ fromMs, untilMs }) =>
      fromMs < endsAtMs + RECONNECT_TIMEOUT_MS && (untilMs ?? Number.POSITIVE_INFINITY) > endsAtMs - END_TOLERANCE_MS,
  )
  if (!gap) return Number.POSITIVE_INFINITY
  return findLastBefore(received, gap.fromMs)?.atMs ?? 0
}

/** Returns the last alert that was received before `beforeMs`. */
function findLastBefore(received: SubscriberRecord['received'], beforeMs: number): ReceivedAlert | undefined {
  const nextIndex = findFirst(received, ({ atMs }) => atMs >= beforeMs)
  return nextIndex === 0 ? undefined : received.at(nextIndex - 1)
}

/**
 * Returns whether the alert is among those that the server announced as not sent, and was in the
 * list that the subscriber then read.
 */
function isReloaded({ received, reloads }: SubscriberRecord, logIndex: number): boolean {
  return reloads.some(({ upToIndex, atMs, indexes }) => {
    const indexBefore = findLastBefore(received, atMs)?.logIndex ?? -1
    return logIndex > indexBefore && logIndex <= upToIndex && indexes.includes(logIndex)
  })
}
