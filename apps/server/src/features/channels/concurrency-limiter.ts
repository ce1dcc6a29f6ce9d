import { MAX_CONNECTIONS } from '../../mail/transport.ts'

const MAX_PER_DESTINATION = 2
/**
 * Requests to one host at the same time. If a host hangs, its destinations must not use the
 * slots of all others.
 */
const MAX_PER_HOST = 64
/**
 * Used as the host of every email destination, because all emails go through the operator’s mail
 * server.
 */
export const MAIL_SERVER = 'mail server'
const getMaxConcurrency = (host: string) => (host === MAIL_SERVER ? MAX_CONNECTIONS : MAX_PER_HOST)
/** Confirmations at the same time. They have their own slots and do not wait for deliveries. */
export const MAX_CONCURRENT_CONFIRMATIONS = 4
/** Quick requests at the same time: 64 together with the confirmations. */
const MAX_QUICK_REQUESTS = 60
/**
 * Deliveries that are read and wait to start their request, so that a free slot is used
 * immediately.
 */
const MAX_PREPARED_DELIVERIES = 64
/**
 * Longest wait of a prepared delivery. After it, the data that was read for the delivery is
 * outdated.
 */
const LONGEST_WAIT_MS = 250
/** Duration after which a request counts as slow and moves to the pool of slow requests. */
const SLOW_AFTER_MS = 100
const MAX_SLOW_REQUESTS = 512
/**
 * Results that wait to be recorded. At this number the database is slow or unreachable, so no new
 * delivery is started.
 */
const MAX_UNRECORDED_RESULTS = 512

export type Key = number | string
type Stage = 'prepared' | 'quick' | 'slow' | 'answered'

interface Entry {
  destinationId: string
  host: string
  stage: Stage
}

export interface RequestSlot {
  /**
   * Waits until the request may begin. Resolves to false after a timeout; callers must then release
   * the slot.
   */
  begin(): Promise<boolean>
  /** Call this when the request has succeeded and only its result remains to be recorded. */
  markAnswered(): void
  release(): void
}

/** Limits the concurrent requests to each destination, to each host and in total. */
export interface ConcurrencyLimiter {
  /**
   * Acquires a slot. Returns null if the key is in use, or if the destination or its host has no
   * slot left.
   */
  acquire(key: Key, destination: { id: string; host: string }): RequestSlot | null
  /** Number of deliveries that can be prepared now. */
  countFree(): number
  /** True if no further delivery to this host can be started now. */
  isHostFull(host: string): boolean
  /**
   * Keys in use, and destinations (with their hosts) and hosts that have no slot left. A key is in
   * use until the result of its delivery is recorded.
   */
  busy(): { keys: Key[]; destinations: Map<string, string>; hosts: string[] }
}

/** @param onChange called when more deliveries may be possible */
export function createConcurrencyLimiter(onChange: () => void): ConcurrencyLimiter {
  const entries = new Map<Key, Entry>()
  const counts = createCounts()
  const waitingRequests = new Set<{ entry: Entry; begin(): void }>()
  /** Entries that are at the stage `quick` for longer than `SLOW_AFTER_MS`. */
  const overdueEntries = new Set<Entry>()

  const moveToStage = (entry: Entry, newStage: Stage | null) => {
    counts.change(entry, -1)
    overdueEntries.delete(entry)
    if (newStage === null) return
    entry.stage = newStage
    counts.change(entry, 1)
  }
  /** Moves slow requests to their own pool, so that they do not use the slots of quick ones. */
  const moveSlowEntries = () => {
    for (const entry of overdueEntries) {
      if (counts.countAt('slow') >= MAX_SLOW_REQUESTS) return
      moveToStage(entry, 'slow')
    }
  }
  const isRecordingFull = () => counts.countAt('answered') >= MAX_UNRECORDED_RESULTS
  const mayBegin = ({ host }: Entry) =>
    counts.countAt('quick') < MAX_QUICK_REQUESTS && counts.requestsOf(host) < getMaxConcurrency(host)
  const beginRequest = (entry: Entry) => {
    moveToStage(entry, 'quick')
    onChange()
  }
  const beginWaitingRequests = () => {
    moveSlowEntries()
    for (const waitingRequest of waitingRequests) {
      if (counts.countAt('quick') >= MAX_QUICK_REQUESTS) return
      if (mayBegin(waitingRequest.entry)) waitingRequest.begin()
    }
  }
  const waitForBegin = (entry: Entry) =>
    new Promise<boolean>((resolve) => {
      const end = (hasBegun: boolean) => {
        clearTimeout(timer)
        waitingRequests.delete(ownRequest)
        if (hasBegun) beginRequest(entry)
        resolve(hasBegun)
      }
      const ownRequest = { entry, begin: () => end(true) }
      const timer = setTimeout(() => end(false), LONGEST_WAIT_MS)
      waitingRequests.add(ownRequest)
      beginWaitingRequests()
    })

  return {
    acquire(key, { id, host }) {
      if (entries.has(key) || counts.isDestinationFull(id) || counts.isHostFull(host)) return null
      const entry: Entry = { destinationId: id, host, stage: 'prepared' }
      entries.set(key, entry)
      counts.change(entry, 1)
      let slowTimer: NodeJS.Timeout | undefined
      const markAnswered = () => {
        if (entry.stage === 'answered') return
        clearTimeout(slowTimer)
        moveToStage(entry, 'answered')
        beginWaitingRequests()
        onChange()
      }
      return {
        async begin() {
          if (!(await waitForBegin(entry))) return false
          // Only the timer decides that a request is slow. A check with `performance.now()` could
          // contradict it, because timers count whole milliseconds and may fire up to 1 ms early.
          slowTimer = setTimeout(() => {
            overdueEntries.add(entry)
            beginWaitingRequests()
          }, SLOW_AFTER_MS)
          return true
        },
        markAnswered,
        release() {
          markAnswered()
          entries.delete(key)
          const wasFull = isRecordingFull()
          moveToStage(entry, null)
          if (wasFull && !isRecordingFull()) onChange()
        },
      }
    },
    countFree: () => (isRecordingFull() ? 0 : MAX_PREPARED_DELIVERIES - counts.countAt('prepared')),
    isHostFull: counts.isHostFull,
    busy: () => ({ keys: [...entries.keys()], ...counts.full() }),
  }
}

/**
 * Counts entries by stage, destination and host, so that a decision does not have to iterate over
 * all of them.
 */
function createCounts() {
  const countsByStage: Record<Stage, number> = { prepared: 0, quick: 0, slow: 0, answered: 0 }
  const byDestination = new Map<string, { count: number; host: string }>()
  const byHost = new Map<string, Record<Stage, number>>()
  const isDestinationFull = (id: string) => (byDestination.get(id)?.count ?? 0) >= MAX_PER_DESTINATION
  /**
   * True if slow requests use all slots of the host, so a further one could not begin, or if twice
   * as many requests are prepared or running, so further ones would only wait until they time out.
   */
  const isHostFull = (host: string) => {
    const { prepared, quick, slow } = byHost.get(host) ?? { prepared: 0, quick: 0, slow: 0 }
    return slow >= getMaxConcurrency(host) || prepared + quick + slow >= 2 * getMaxConcurrency(host)
  }
  return {
    isDestinationFull,
    isHostFull,
    countAt: (stage: Stage) => countsByStage[stage],
    requestsOf(host: string) {
      const { quick, slow } = byHost.get(host) ?? { quick: 0, slow: 0 }
      return quick + slow
    },
    change({ destinationId, host, stage }: Entry, delta: 1 | -1) {
      countsByStage[stage] += delta
      if (stage === 'answered') return
      const count = (byDestination.get(destinationId)?.count ?? 0) + delta
      if (count === 0) byDestination.delete(destinationId)
      else byDestination.set(destinationId, { count, host })
      const hostCounts = byHost.get(host) ?? { prepared: 0, quick: 0, slow: 0, answered: 0 }
      hostCounts[stage] += delta
      if (hostCounts.prepared + hostCounts.quick + hostCounts.slow === 0) byHost.delete(host)
      else byHost.set(host, hostCounts)
    },
    full: () => ({
      destinations: new Map(
        [...byDestination].flatMap(([id, { host }]) => (isDestinationFull(id) ? [[id, host] as const] : [])),
      ),
      hosts: [...byHost.keys()].filter(isHostFull),
    }),
  }
}
