import type { Priority } from '@tocsin/protocol'
import type { Member } from './members.ts'
import type { Message } from './message.ts'

export interface Plan {
  /** How long alerts are issued. */
  hours: number
  stepMs: number
  /** Clock steps after the last alert, until no delivery is waiting. */
  lastStepMs: number
  alertEveryMs: number
  kills: number
  /** Hours from the start. */
  outage: { from: number; to: number }
  seed: number
  /**
   * `process`: by SIGKILL to a process that sends. `sender`: within this process, which is quick.
   */
  kill: 'process' | 'sender'
}

export interface Result {
  alerts: number
  destinations: number
  deliveries: number
  states: Record<string, number>
  requests: number
  /** Accepted messages by form and kind, with those that arrived again after a kill. */
  arrived: Record<string, { messages: number; again: number }>
  kills: string[]
  problems: string[]
}

export interface Issued {
  logIndex: number
  priority: Priority
  atMs: number
  isAcknowledged: boolean
}

/** A request, also one that was refused. */
export interface SeenRequest {
  to: number
  form: Message['form']
  atMs: number
  /** Shortly before a kill, so that it may not be recorded. */
  wasKilled: boolean
}

/** What an owner was offered after a destination has resumed. */
export interface Offer {
  missed: number
  isRequested: boolean
}

export interface Arrival extends Message {
  atMs: number
  /** Accepted shortly before a kill, so that it may arrive again. */
  isExposed: boolean
}

/** All that the endpoints and the owners have seen. */
export interface Seen {
  members: readonly Member[]
  issued: readonly Issued[]
  arrivals: readonly Arrival[]
  requests: readonly SeenRequest[]
  /** By number of the destination. */
  offered: ReadonlyMap<number, Offer>
  plan: Plan
  startMs: number
  kills: readonly string[]
}
