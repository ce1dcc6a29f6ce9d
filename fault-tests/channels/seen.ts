import type { Priority } from '@tocsin/protocol'
import type { SimulatedDestination } from './members.ts'
import type { Message } from './message.ts'

export interface SimulationPlan {
  /** Hours during which alerts are issued. */
  hours: number
  stepMs: number
  /** Step of the clock after the last alert, in milliseconds, used until no delivery is waiting. */
  lastStepMs: number
  alertEveryMs: number
  kills: number
  /** Start and end of the short outage, in hours from the start. */
  outage: { from: number; to: number }
  seed: number
  /**
   * How the sender is killed. `process`: a separate process gets SIGKILL. `sender`: it is aborted
   * within this process, which is faster.
   */
  kill: 'process' | 'sender'
}

export interface Result {
  alerts: number
  destinations: number
  deliveries: number
  states: Record<string, number>
  requests: number
  /** Number of accepted messages by form and kind. `repetitions` are those after a kill. */
  arrived: Record<string, { messages: number; repetitions: number }>
  kills: string[]
  problems: string[]
}

export interface IssuedAlert {
  logIndex: number
  isCorrection: boolean
  priority: Priority
  atMs: number
  isAcknowledged: boolean
}

/** A request that an endpoint received, whether accepted or refused. */
export interface SeenRequest {
  to: number
  form: Message['form']
  atMs: number
  /** True if the request came shortly before a kill. The sender may not have recorded it. */
  precedesKill: boolean
}

/** The offer that an owner gets when a destination works again: to deliver the missed alerts. */
export interface ResendOffer {
  missed: number
  isRequested: boolean
}

export interface ReceivedMessage extends Message {
  atMs: number
  /** True if the message was accepted shortly before a kill. It may arrive again. */
  mayArriveAgain: boolean
}

/** Everything that the endpoints and the owners have seen. */
export interface Observations {
  members: readonly SimulatedDestination[]
  issued: readonly IssuedAlert[]
  arrivals: readonly ReceivedMessage[]
  requests: readonly SeenRequest[]
  /** Offers by the number of their destination. */
  resendOffers: ReadonlyMap<number, ResendOffer>
  plan: SimulationPlan
  startMs: number
  kills: readonly string[]
}
