import type { FaultName } from './kinds.ts'

/** Everything that the harness has done and seen. Times are Unix milliseconds of this machine. */
export interface Journal {
  faults: FaultRecord[]
  readiness: ReadinessSample[]
  memory: MemorySample[]
  /** GET requests of the probes. */
  requests: RequestSample[]
  /** POST requests of people. */
  posts: RequestSample[]
  issued: IssuedAlert[]
  subscribers: SubscriberRecord[]
  /** Content that reached a reader without entitlement: one entry for each response or message. */
  leaks: { reader: string; atMs: number; canary: string }[]
  /** Number of responses to readers without entitlement that were searched for content. */
  unentitledReads: number
  sessions: SessionRecord[]
  /** Webhook messages that an endpoint accepted. */
  webhooks: { id: string; atMs: number }[]
  /** Mails that the mail server accepted, by the id of their job. */
  mails: { id: string; atMs: number }[]
  /** Outcome messages that the feed has offered. */
  outcomes: { signalId: string; verdict: 'came-true' | 'did-not' }[]
}

export interface FaultRecord {
  name: FaultName
  target: string
  injectedAtMs: number
  /** When the failed part was back, seen from outside of the product. */
  healedAtMs: number
  /** When the harness continued with the next fault. */
  endedAtMs: number
  truths: Truth[]
}

/**
 * What /readyz of an instance must say in this period: not ready, or ready with a reason. It begins
 * when the fault was complete.
 */
export interface Truth {
  instance: string
  fromMs: number
  untilMs: number
  says: 'unready' | 'ready' | { reason: string }
}

/** An answer of /readyz; status 0 if there was none within three seconds. */
export interface ReadinessSample {
  instance: string
  /** When it was asked. */
  atMs: number
  tookMs: number
  status: number
  reasons: string[]
}

/** Resident memory of an instance, from its /metrics. */
export interface MemorySample {
  instance: string
  atMs: number
  bytes: number
  /** Identifies the process of the instance: its start, in seconds since the epoch. */
  startedAt: number
}

/** A request through the front; status 0 if the connection failed. */
export interface RequestSample {
  atMs: number
  tookMs: number
  status: number
  path: string
}

interface IssuedAlert {
  source: 'admin' | 'feed'
  /** Unique text in the summary. */
  canary: string
  signalId: string | null
  /** When the alert was first sent to the product. */
  sentAtMs: number
  /** The answer to the admin; null if there was none, and for signals, which have no answer. */
  acknowledged: { id: string; logIndex: number; atMs: number } | null
}

export interface SubscriberRecord {
  name: string
  accountId: string
  /** New alerts, in the order in which the application got them. */
  received: { logIndex: number; canary: string; atMs: number }[]
  /** When a proof of an alert arrived. */
  updatesAtMs: number[]
  /** Times from the loss of a live stream until it was live again. */
  gaps: { fromMs: number; untilMs: number | null }[]
  /** The server said that it could not send all missed alerts, up to this index. */
  /** `indexes`: alerts that the list showed in full. */
  reloads: { upToIndex: number; atMs: number; isDone: boolean; indexes: number[] }[]
  /** First time at which the stream was live; null if it never was. */
  liveAtMs: number | null
  /** When the harness closed it. */
  closedAtMs: number | null
}

export interface SessionRecord {
  name: string
  way: 'log-out' | 'end of other sessions' | 'suspension' | 'expiry'
  /** When it ended: the answer to the request that ended it, or its expiry. */
  endedAtMs: number
  /** Requests with its cookie that were sent after the end. */
  laterUses: { atMs: number; isAccepted: boolean }[]
  /**
   * The socket that was open when the session ended; null if there was none. `closedAtMs` is null
   * if the server had not closed it when the harness stopped watching.
   */
  socket: { closedAtMs: number | null; watchedUntilMs: number } | null
}

/**
 * One copy of each canary. A match keeps the whole text in memory, and an alert reaches hundreds of
 * subscribers: an hour would need more memory than Node.js has.
 */
const canaries = new Map<string, string>()

/** The part of a summary that identifies an alert of the harness; '' if it has none. */
export function findCanary(text: string): string {
  const found = /canary-(?:admin|feed)-\d+-/.exec(text)?.[0] ?? ''
  const known = canaries.get(found)
  if (known !== undefined) return known
  const copy = Buffer.from(found).toString()
  canaries.set(copy, copy)
  return copy
}

export function createJournal(): Journal {
  return {
    faults: [],
    readiness: [],
    memory: [],
    requests: [],
    posts: [],
    issued: [],
    subscribers: [],
    leaks: [],
    unentitledReads: 0,
    sessions: [],
    webhooks: [],
    mails: [],
    outcomes: [],
  }
}
