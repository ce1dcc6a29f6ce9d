import { isTrue } from './checks/readiness.ts'
import { findFirst } from './find-first.ts'
import type { FaultRecord, Journal, RequestSample } from './journal.ts'
import { type FaultName, faultKinds, faultNames, findStatement, KNOWN_WITHIN_MS, UPGRADE } from './kinds.ts'

/** Measurements of one fault. A measurement is null if the journal does not show it. */
export interface FaultFigures {
  name: FaultName
  target: string
  /** Time from the injection until /readyz of every affected instance reported the fault. */
  detectMs: number | null
  /**
   * Time from the injection or from the healing of the fault (see `from` in `faultKinds`) until
   * everything worked again. Null if that did not happen before the next fault.
   */
  recoverMs: number | null
  failedRequests: number
  requests: number
  /** Number of failed POST requests. They reach the user, because a proxy does not repeat them. */
  failedPosts: number
  posts: number
  /** The longest time for which a subscriber had no live stream. */
  longestGapMs: number
  missesGoal: boolean
}

const isFailure = (status: number) => status === 0 || status >= 500

/**
 * Returns whether the request ran during the fault. It may have been sent before the fault began.
 */
function overlaps({ atMs, tookMs }: RequestSample, { injectedAtMs, endedAtMs }: FaultRecord): boolean {
  return atMs < endedAtMs && atMs + tookMs >= injectedAtMs
}

export interface FaultFreeStatistics {
  requests: number
  posts: number
  failedRequests: RequestSample[]
  failedPosts: RequestSample[]
}

/**
 * Measures the requests that overlap no fault. Failures among them show effects that outlast a
 * fault, for example after a rolling restart has ended.
 */
export function measureFaultFreePeriods({ requests, posts, faults }: Journal): FaultFreeStatistics {
  const isQuiet = (request: RequestSample) => !faults.some((fault) => overlaps(request, fault))
  const isFailed = ({ status }: RequestSample) => isFailure(status)
  const quiet = { requests: requests.filter(isQuiet), posts: posts.filter(isQuiet) }
  return {
    requests: quiet.requests.length,
    posts: quiet.posts.length,
    failedRequests: quiet.requests.filter(isFailed),
    failedPosts: quiet.posts.filter(isFailed),
  }
}

/** True if the fault would count as recovered if it ended now. */
export function hasRecovered(journal: Journal, fault: FaultRecord): boolean {
  return measure(journal, { ...fault, endedAtMs: Date.now() }).recoverMs !== null
}

export function measureFaults(journal: Journal): FaultFigures[] {
  return journal.faults.map((fault) => measure(journal, fault))
}

function measure(journal: Journal, fault: FaultRecord): FaultFigures {
  const { name, target, injectedAtMs, endedAtMs } = fault
  const during = journal.requests.filter((request) => overlaps(request, fault))
  const posts = journal.posts.filter((post) => overlaps(post, fault))
  const failedPosts = posts.filter(({ status }) => isFailure(status)).length
  const failed = during.filter(({ status }) => isFailure(status))
  const recoverMs = measureRecovery(journal, fault, failed)
  const gaps = journal.subscribers.flatMap((subscriber) =>
    subscriber.closedAtMs !== null && subscriber.closedAtMs < endedAtMs
      ? []
      : subscriber.gaps.filter(({ fromMs }) => fromMs >= injectedAtMs && fromMs < endedAtMs),
  )
  const longestGapMs = Math.max(0, ...gaps.map(({ fromMs, untilMs }) => (untilMs ?? endedAtMs) - fromMs))
  const isCut =
    (name === 'rolling restart' || name === UPGRADE) && (failed.length + failedPosts > 0 || longestGapMs >= 2_000)
  const detectMs = measureDetection(journal, fault)
  const isUnknown = findStatement(name) !== null && (detectMs === null || detectMs > KNOWN_WITHIN_MS)
  return {
    name,
    target,
    detectMs,
    recoverMs,
    failedRequests: failed.length,
    requests: during.length,
    failedPosts,
    posts: posts.length,
    longestGapMs,
    missesGoal: recoverMs === null || recoverMs > faultKinds[name].goalMs || isCut || isUnknown,
  }
}

/**
 * Returns the detection time of the slowest affected instance; null if one did not report the fault
 * before it was healed.
 */
function measureDetection({ readiness }: Journal, { truths: expectedReadiness }: FaultRecord): number | null {
  const times = expectedReadiness.map(({ instance, fromMs, untilMs, says }) => {
    const first = readiness.find(
      (sample) =>
        sample.instance === instance && sample.atMs >= fromMs && sample.atMs < untilMs && isTrue(sample, says),
    )
    return first ? first.atMs + first.tookMs - fromMs : null
  })
  return times.length === 0 || times.includes(null) ? null : Math.max(...times.map((ms) => ms ?? 0))
}

/**
 * Returns the time until everything works again; null if it did not. Everything works when the last
 * failed request has ended and every subscriber has received an alert of an admin and one of the
 * feed that were sent after the fault. For faults of the chain, a new anchor is required instead of
 * the alerts.
 */
function measureRecovery(journal: Journal, fault: FaultRecord, failed: Journal['requests']): number | null {
  const { name, injectedAtMs, healedAtMs, endedAtMs } = fault
  const { from, recovers } = faultKinds[name]
  const baseMs = from === 'heal' ? healedAtMs : injectedAtMs
  const ends = failed.map(({ atMs, tookMs }) => atMs + tookMs)
  const receipts =
    recovers === 'anchors' ? firstUpdates(journal, baseMs, endedAtMs) : firstAlerts(journal, baseMs, endedAtMs)
  if (receipts.includes(null) || receipts.length === 0) return null
  return Math.max(0, ...ends.map((atMs) => atMs - baseMs), ...receipts.map((atMs) => (atMs ?? 0) - baseMs))
}

function connected({ subscribers }: Journal, baseMs: number, endedAtMs: number): Journal['subscribers'] {
  return subscribers.filter(
    ({ liveAtMs, closedAtMs }) =>
      liveAtMs !== null && liveAtMs < baseMs && (closedAtMs === null || closedAtMs > endedAtMs),
  )
}

function firstUpdates(journal: Journal, baseMs: number, endedAtMs: number): (number | null)[] {
  return connected(journal, baseMs, endedAtMs).map(({ updatesAtMs }) => {
    const next = updatesAtMs[findFirst(updatesAtMs, (atMs) => atMs > baseMs)]
    return next !== undefined && next < endedAtMs ? next : null
  })
}

function firstAlerts(journal: Journal, baseMs: number, endedAtMs: number): (number | null)[] {
  const subscribers = connected(journal, baseMs, endedAtMs)
  return (['admin', 'feed'] as const).flatMap((source) => {
    const later = new Set(
      journal.issued.flatMap((alert) => (alert.source === source && alert.sentAtMs >= baseMs ? [alert.canary] : [])),
    )
    return subscribers.map(({ received }) => {
      for (let at = findFirst(received, ({ atMs }) => atMs >= baseMs); at < received.length; at += 1) {
        const { atMs = endedAtMs, canary = '' } = received.at(at) ?? {}
        if (atMs >= endedAtMs) return null
        if (later.has(canary)) return atMs
      }
      return null
    })
  })
}

export interface KindFigures {
  name: FaultName
  count: number
  detectMs: number | null
  /** False if /readyz does not report faults of this kind. */
  isReported: boolean
  recoverMs: number | null
  goalMs: number
  failedRequests: number
  requests: number
  failedPosts: number
  posts: number
  longestGapMs: number
  isMissed: boolean
}

/** Returns the worst figures of each kind, in the order of the list of kinds. */
export function summarize(figures: readonly FaultFigures[]): KindFigures[] {
  return faultNames.flatMap((name) => {
    const own = figures.filter((one) => one.name === name)
    if (own.length === 0) return []
    const worst = (values: (number | null)[]) => {
      const known = values.filter((value) => value !== null)
      return known.length < values.length ? null : Math.max(...known)
    }
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
    return [
      {
        name,
        count: own.length,
        detectMs: worst(own.map(({ detectMs }) => detectMs)),
        isReported: findStatement(name) !== null,
        recoverMs: worst(own.map(({ recoverMs }) => recoverMs)),
        goalMs: faultKinds[name].goalMs,
        failedRequests: sum(own.map(({ failedRequests }) => failedRequests)),
        requests: sum(own.map(({ requests }) => requests)),
        failedPosts: sum(own.map(({ failedPosts }) => failedPosts)),
        posts: sum(own.map(({ posts }) => posts)),
        longestGapMs: Math.max(...own.map(({ longestGapMs }) => longestGapMs)),
        isMissed: own.some(({ missesGoal }) => missesGoal),
      },
    ]
  })
}
