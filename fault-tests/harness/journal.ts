import type { FaultName } from './kinds.ts'
import type { ReceivedAlert } from './received-alerts.ts'

/** Everything that the harness has done and seen. Times are Unix milliseconds of this machine. */
export interface Journal {
  faults: FaultRecord[]
  readiness: ReadinessSample[]
  memory: MemorySample[]
  /** GET requests of the probes. */
  requests: RequestSample[]
  /** POST requests of simulated users. */
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
  /** Emails that the mail server accepted, by the id of their job. */
  mails: { id: string; atMs: number }[]
  /** Outcome messages that the feed has offered. */
  outcomes: { signalId: string; verdict: 'came-true' | 'did-not' }[]
}

export interface FaultRecord {
  name: FaultName
  target: string
  injectedAtMs: number
  /** Time at which the failed part worked again, seen from outside of the product. */
  healedAtMs: number
  /** Time at which the harness continued with the next fault. */
  endedAtMs: number
  expectedReadiness: ExpectedReadiness[]
}

/**
 * The state that /readyz of an instance must report in a period: not ready, ready, or ready with a
 * reason. The period of a fault begins when its injection is complete.
 */
export interface ExpectedReadiness {
  instance: string
  fromMs: number
  untilMs: number
  expectedState: 'unready' | 'ready' | { reason: string }
}

/** A response of /readyz; status 0 if no response came within three seconds. */
export interface ReadinessSample {
  instance: string
  /** Time at which the request was sent. */
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
  /**
   * Start time of the process in seconds since the epoch. It identifies the process of the
   * instance.
   */
  startedAt: number
}

/** A request through the reverse proxy; status 0 if there was no response. */
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
  /**
   * The response to the admin; null if none came. Always null for signals, which get no response.
   */
  acknowledged: { id: string; logIndex: number; atMs: number } | null
}

/** A period from the loss of a live stream until it was live again. */
export interface StreamGap {
  fromMs: number
  untilMs: number | null
  /** What happened to the sockets of the subscriber, to find the cause of a long gap. */
  events: { atMs: number; text: string }[]
}

export interface SubscriberRecord {
  name: string
  accountId: string
  /** New alerts in the order in which the client package reported them. */
  received: Iterable<ReceivedAlert> & { length: number; at(position: number): ReceivedAlert | undefined }
  /** Times at which a proof of an alert arrived. */
  updatesAtMs: number[]
  gaps: StreamGap[]
  /**
   * Messages in which the server said that it could not send all missed alerts, up to `upToIndex`.
   * `indexes` are the alerts that the list then showed in full.
   */
  reloads: { upToIndex: number; atMs: number; isDone: boolean; indexes: number[] }[]
  /** First time at which the stream was live; null if it never was. */
  liveAtMs: number | null
  /** Time at which the harness closed the stream. */
  closedAtMs: number | null
}

export interface SessionRecord {
  name: string
  way: 'log-out' | 'end of other sessions' | 'suspension' | 'expiry'
  /** Time of the response to the request that ended the session, or of the session's expiry. */
  endedAtMs: number
  /** Requests with the session's cookie that were sent after the end. */
  laterUses: { atMs: number; isAccepted: boolean }[]
  /**
   * The socket that was open when the session ended; null if no socket was. `closedAtMs` is null
   * if the server had not closed it when the harness stopped watching.
   */
  socket: { closedAtMs: number | null; watchedUntilMs: number } | null
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
