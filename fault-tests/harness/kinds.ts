/**
 * The kinds of faults. `holdMs` is how long a fault lasts before it is healed. The time to recover
 * is measured from the injection, or from the moment at which the failed part is back, and must not
 * exceed `goalMs`.
 */
export interface FaultKind {
  holdMs: number
  from: 'injection' | 'heal'
  goalMs: number
  /** What must be seen again: new alerts at every subscriber, or new anchors. */
  recovers: 'alerts' | 'anchors'
  readiness: Statement | Silent
}

/** What /readyz of each affected instance says from `KNOWN_WITHIN_MS` after the injection on. */
export interface Statement {
  /** No answer counts as not ready: a load balancer sends such an instance nothing. */
  says: 'unready' | { reason: string }
}

/** Why /readyz rightly says nothing, or need not. */
export interface Silent {
  silentBecause: string
}

export const KNOWN_WITHIN_MS = 5_000
/** Leaves four seconds after `KNOWN_WITHIN_MS` in which answers are judged. */
const KNOWN_HOLD_MS = 9_000

const unready: Statement = { says: 'unready' }
const names = (reason: string): Statement => ({ says: { reason } })
const silent = (silentBecause: string): Silent => ({ silentBecause })

const instance = { from: 'injection', recovers: 'alerts' } as const
const database = { from: 'heal', goalMs: 15_000, recovers: 'alerts', readiness: unready } as const
const chain = { from: 'heal', goalMs: 30_000, recovers: 'anchors' } as const
const ended = { ...instance, holdMs: KNOWN_HOLD_MS, goalMs: 5_000, readiness: unready } as const
const frozen = { ...instance, holdMs: 35_000, goalMs: 30_000, readiness: unready } as const
const wrongClock = { ...instance, holdMs: 15_000, goalMs: 30_000, readiness: names('clock') } as const

const REPLACED_IN_TURN = 'each instance is away for about a second, and the next one follows when it is ready'

export const UPGRADE = 'upgrade from an earlier release'

export const faultKinds = {
  'kill -9 of an instance': ended,
  'kill -9 of the leader': ended,
  'SIGTERM of an instance': ended,
  'SIGTERM of the leader': ended,
  'SIGSTOP of an instance': frozen,
  'SIGSTOP of the leader': frozen,
  'kill -9 of the database': { ...database, holdMs: KNOWN_HOLD_MS },
  'fast shutdown of the database': { ...database, holdMs: KNOWN_HOLD_MS },
  'failover of the database': { ...database, holdMs: KNOWN_HOLD_MS },
  'SIGSTOP of the database': { ...database, holdMs: 12_000 },
  'black-holed database connections': {
    ...{ ...instance, holdMs: 1_000, goalMs: 30_000 },
    readiness: silent('new connections work, so an instance serves again as soon as it has replaced some'),
  },
  'instance cut off from the database': { ...instance, holdMs: 30_000, goalMs: 30_000, readiness: unready },
  'slow database connections': {
    ...{ ...database, holdMs: 15_000 },
    readiness: silent('every request is still answered, only later'),
  },
  'no free database connections': { ...database, holdMs: 12_000 },
  'full disk of the database': { ...database, holdMs: 10_000 },
  'black-holed streams': {
    ...{ ...instance, holdMs: 1_000, goalMs: 30_000 },
    readiness: silent('the network of some subscribers is broken, and the instances serve all others'),
  },
  'slow streams': {
    ...{ ...instance, holdMs: 10_000, goalMs: 5_000 },
    readiness: silent('the network of some subscribers is slow, and the instances serve all others'),
  },
  'SIGTERM of the chain node': { ...chain, holdMs: 12_000, readiness: names('anchoring') },
  'kill -9 of the chain node': { ...chain, holdMs: 12_000, readiness: names('anchoring') },
  'black-holed chain node': { ...chain, holdMs: 20_000, readiness: names('anchoring') },
  'chain reorganisation': {
    ...{ ...chain, from: 'injection', holdMs: 1_000 },
    readiness: silent('the node answers, and anchors that were dropped are sent again'),
  },
  'clock step of an instance': wrongClock,
  'clock step of the leader': wrongClock,
  'duplicate and reordered signals': {
    ...{ ...instance, holdMs: 5_000, goalMs: 10_000 },
    readiness: silent('the feed works, and its repetitions are ignored'),
  },
  'lost feed connection': {
    ...{ from: 'heal', recovers: 'alerts', holdMs: KNOWN_HOLD_MS, goalMs: 10_000 },
    readiness: names('feed'),
  },
  'rolling restart': {
    ...{ from: 'heal', recovers: 'alerts', holdMs: 0, goalMs: 5_000 },
    readiness: silent(REPLACED_IN_TURN),
  },
  /** While it lasts, one instance is new and the others are old. */
  [UPGRADE]: {
    ...{ from: 'heal', recovers: 'alerts', holdMs: 20_000, goalMs: 5_000 },
    readiness: silent(REPLACED_IN_TURN),
  },
} satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds
/** `Object.keys` returns the keys as strings. */
export const faultNames = Object.keys(faultKinds) as FaultName[]
/** Those that a schedule draws. The upgrade happens once, before them. */
export const drawnNames = faultNames.filter((name) => name !== UPGRADE)

/** What /readyz must say during a fault of this kind, or null. */
export function findStatement(name: FaultName): Statement | null {
  const { readiness }: FaultKind = faultKinds[name]
  return 'says' in readiness ? readiness : null
}
