/**
 * A kind of fault. `holdMs` is the time that a fault lasts before it is healed. `goalMs` is the
 * maximum time to recover. It counts from the injection or from the healing (when the failed part
 * works again), see `from`.
 */
export interface FaultKind {
  holdMs: number
  from: 'injection' | 'heal'
  goalMs: number
  /**
   * The messages that every subscriber must receive after the recovery: new alerts, or new anchors.
   */
  recovers: 'alerts' | 'anchors'
  readiness: Statement | Silent
}

/**
 * What /readyz of each affected instance must report, from `KNOWN_WITHIN_MS` after the injection.
 */
export interface Statement {
  /**
   * An instance that does not respond counts as not ready, because a load balancer sends it no
   * requests.
   */
  says: 'unready' | { reason: string }
}

/** The reason why /readyz does not report a fault, or need not report it. */
export interface Silent {
  silentBecause: string
}

export const KNOWN_WITHIN_MS = 5_000
/**
 * Duration of faults that /readyz must report. After `KNOWN_WITHIN_MS`, four seconds are left in
 * which its responses are checked.
 */
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
  /** While this fault lasts, one instance runs the new release and the others run the old one. */
  [UPGRADE]: {
    ...{ from: 'heal', recovers: 'alerts', holdMs: 20_000, goalMs: 5_000 },
    readiness: silent(REPLACED_IN_TURN),
  },
} satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds
/** The cast is needed because `Object.keys` returns the keys as strings. */
export const faultNames = Object.keys(faultKinds) as FaultName[]
/**
 * Kinds of faults that a schedule chooses from. The upgrade happens only once, before all others.
 */
export const drawnNames = faultNames.filter((name) => name !== UPGRADE)

/** Returns what /readyz must report during a fault of this kind, or null. */
export function findStatement(name: FaultName): Statement | null {
  const { readiness }: FaultKind = faultKinds[name]
  return 'says' in readiness ? readiness : null
}
