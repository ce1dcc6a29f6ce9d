import { matchesStatement } from './checks/readiness.ts'
import { findFirst } from './find-first.ts'
import type { FaultRecord, Journal, RequestSample, StreamGap } from './journal.ts'
import { DETECTION_LIMIT_MS, type FaultName, faultKinds, faultNames, findReadinessStatement, UPGRADE } from './kinds.ts'

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
  /** Number of failed POST requests. Users see them, because the proxy does not retry a POST. */
  failedPosts: number
  posts: number
  /** The longest time for which a subscriber had no live stream. */
  longestGapMs: number
  /** The gap of `longestGapMs`. Null if no stream was interrupted. */
  longestGap: StreamGap | null
  missesGoal: boolean
}

const isFailure = (status: number) => status === 0 || status >= 500

/**
 * Returns whether the request ran during the fault. It may have been sent before the fault began.
 */
function overlapsFault({ atMs, tookMs }: RequestSample, { injectedAtMs, endedAtMs }: FaultRecord): boolean {
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
  const isOutsideFaults = (request: RequestSample) => !faults.some((fault) => overlapsFault(request, fault))
  const isFailed = ({ status }: RequestSample) => isFailure(status)
  const faultFree = { requests: requests.filter(isOutsideFaults), posts: posts.filter(isOutsideFaults) }
  return {
    requests: faultFree.requests.length,
    posts: faultFree.posts.length,
    failedRequests: faultFree.requests.filter(isFailed),
    failedPosts: faultFree.posts.filter(isFailed),
  }
}

/** True if every subscriber has received the messages that show recovery from the fault. */
export function hasRecovered(journal: Journal, fault: FaultRecord): boolean {
  return measureFault(journal, { ...fault, endedAtMs: Date.now() }).recoverMs !== null
}

export function measureFaults(journal: Journal): FaultFigures[] {
  return journal.faults.map((fault) => measureFault(journal, fault))
}

function measureFault(journal: Journal, fault: FaultRecord): FaultFigures {
  const { name, target, injectedAtMs, endedAtMs } = fault
  const requestsDuringFault = journal.requests.filter((request) => overlapsFault(request, fault))
  const posts = journal.posts.filter((post) => overlapsFault(post, fault))
  const failedPosts = posts.filter(({ status }) => isFailure(status)).length
  const failedRequests = requestsDuringFault.filter(({ status }) => isFailure(status))
  const recoverMs = measureRecovery(journal, fault, failedRequests)
  const gaps = journal.subscribers.flatMap((subscriber) =>
    subscriber.closedAtMs !== null && subscriber.closedAtMs < endedAtMs
      ? []
      : subscriber.gaps.filter(({ fromMs }) => fromMs >= injectedAtMs && fromMs < endedAtMs),
  )
  const measureGap = ({ fromMs, untilMs }: StreamGap) => (untilMs ?? endedAtMs) - fromMs
  const longestGap = gaps.reduce<StreamGap | null>(
    (longest, gap) => (longest && measureGap(longest) >= measureGap(gap) ? longest : gap),
    null,
  )
  const longestGapMs = longestGap ? measureGap(longestGap) : 0
  const isInterrupted =
    (name === 'rolling restart' || name === UPGRADE) &&
    (failedRequests.length + failedPosts > 0 || longestGapMs >= 2_000)
  const detectMs = measureDetection(journal, fault)
  const isDetectedLate = findReadinessStatement(name) !== null && (detectMs === null || detectMs > DETECTION_LIMIT_MS)
  return {
    name,
    target,
    detectMs,
    recoverMs,
    failedRequests: failedRequests.length,
    requests: requestsDuringFault.length,
    failedPosts,
    posts: posts.length,
    longestGapMs,
    longestGap,
    missesGoal: recoverMs === null || recoverMs > faultKinds[name].goalMs || isInterrupted || isDetectedLate,
  }
}

/**
 * Returns the detection time of the slowest affected instance; null if one did not report the fault
 * before it was healed.
 */
function measureDetection({ readiness }: Journal, { expectedReadiness }: FaultRecord): number | null {
  const times = expectedReadiness.map(({ instance, fromMs, untilMs, expectedState }) => {
    const firstSample = readiness.find(
      (sample) =>
        sample.instance === instance &&
        // A request that was sent before the fault and gets no response reports it too.
        sample.atMs + sample.tookMs >= fromMs &&
        sample.atMs < untilMs &&
        matchesStatement(sample, expectedState),
    )
    return firstSample ? firstSample.atMs + firstSample.tookMs - fromMs : null
  })
  return times.length === 0 || times.includes(null) ? null : Math.max(...times.map((ms) => ms ?? 0))
}

/**
 * Returns the time until everything works again; null if it did not. Everything works when the last
 * failed request has ended and every subscriber has received an alert of an admin and one of the
 * feed that were sent after the fault. For faults of the chain, a new anchor is required instead of
 * the alerts.
 */
function measureRecovery(journal: Journal, fault: FaultRecord, failedRequests: Journal['requests']): number | null {
  const { name, injectedAtMs, healedAtMs, endedAtMs } = fault
  const { from, recoverySign } = faultKinds[name]
  const baseMs = from === 'heal' ? healedAtMs : injectedAtMs
  const failureEnds = failedRequests.map(({ atMs, tookMs }) => atMs + tookMs)
  const receipts =
    recoverySign === 'anchors'
      ? listFirstUpdates(journal, baseMs, endedAtMs)
      : listFirstAlerts(journal, baseMs, endedAtMs)
  if (receipts.includes(null) || receipts.length === 0) return null
  return Math.max(0, ...failureEnds.map((atMs) => atMs - baseMs), ...receipts.map((atMs) => (atMs ?? 0) - baseMs))
}

function listConnected({ subscribers }: Journal, baseMs: number, endedAtMs: number): Journal['subscribers'] {
  return subscribers.filter(
    ({ liveAtMs, closedAtMs }) =>
      liveAtMs !== null && liveAtMs < baseMs && (closedAtMs === null || closedAtMs > endedAtMs),
  )
}

function listFirstUpdates(journal: Journal, baseMs: number, endedAtMs: number): (number | null)[] {
  return listConnected(journal, baseMs, endedAtMs).map(({ updatesAtMs }) => {
    const next = updatesAtMs[findFirst(updatesAtMs, (atMs) => atMs > baseMs)]
    return next !== undefined && next < endedAtMs ? next : null
  })
}

function listFirstAlerts(journal: Journal, baseMs: number, endedAtMs: number): (number | null)[] {
  const subscribers = listConnected(journal, baseMs, endedAtMs)
  return (['admin', 'feed'] as const).flatMap((source) => {
    const laterCanaries = new Set(
      journal.issued.flatMap((alert) => (alert.source === source && alert.sentAtMs >= baseMs ? [alert.canary] : [])),
    )
    return subscribers.map(({ received }) => {
      for (
        let position = findFirst(received, ({ atMs }) => atMs >= baseMs);
        position < received.length;
        position += 1
      ) {
        const { atMs = endedAtMs, canary = '' } = received.at(position) ?? {}
        if (atMs >= endedAtMs) return null
        if (laterCanaries.has(canary)) return atMs
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

/** Returns the worst times and the total counts of each kind, in the order of `faultNames`. */
export function summarize(figures: readonly FaultFigures[]): KindFigures[] {
  return faultNames.flatMap((name) => {
    const kindFigures = figures.filter((one) => one.name === name)
    if (kindFigures.length === 0) return []
    const findWorst = (values: (number | null)[]) => {
      const knownValues = values.filter((value) => value !== null)
      return knownValues.length < values.length ? null : Math.max(...knownValues)
    }
    const sumValues = (values: number[]) => values.reduce((total, value) => total + value, 0)
    return [
      {
        name,
        count: kindFigures.length,
        detectMs: findWorst(kindFigures.map(({ detectMs }) => detectMs)),
        isReported: findReadinessStatement(name) !== null,
        recoverMs: findWorst(kindFigures.map(({ recoverMs }) => recoverMs)),
        goalMs: faultKinds[name].goalMs,
        failedRequests: sumValues(kindFigures.map(({ failedRequests }) => failedRequests)),
        requests: sumValues(kindFigures.map(({ requests }) => requests)),
        failedPosts: sumValues(kindFigures.map(({ failedPosts }) => failedPosts)),
        posts: sumValues(kindFigures.map(({ posts }) => posts)),
        longestGapMs: Math.max(...kindFigures.map(({ longestGapMs }) => longestGapMs)),
        isMissed: kindFigures.some(({ missesGoal }) => missesGoal),
      },
    ]
  })
}
