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
  recoverySign: 'alerts' | 'anchors'
  readiness: ReadinessStatement | SilentFault
}

/**
 * What /readyz of each affected instance must report, from `DETECTION_LIMIT_MS` after the
 * injection.
 */
export interface ReadinessStatement {
  /**
   * An instance that does not respond counts as not ready, because a load balancer sends it no
   * requests.
   */
  expectedState: 'unready' | { reason: string }
}

/** The reason why /readyz does not report a fault, or need not report it. */
export interface SilentFault {
  silentBecause: string
}

export const DETECTION_LIMIT_MS = 5_000
/**
 * Duration of faults that /readyz must report. After `DETECTION_LIMIT_MS`, four seconds are left in
 * which its responses are checked.
 */
const DETECTED_HOLD_MS = 9_000

const unreadyStatement: ReadinessStatement = { expectedState: 'unready' }
const createStatement = (reason: string): ReadinessStatement => ({ expectedState: { reason } })
const createSilent = (silentBecause: string): SilentFault => ({ silentBecause })

const instanceDefaults = { from: 'injection', recoverySign: 'alerts' } as const
const database = { from: 'heal', goalMs: 15_000, recoverySign: 'alerts', readiness: unreadyStatement } as const
const chainDefaults = { from: 'heal', goalMs: 30_000, recoverySign: 'anchors' } as const
const endedDefaults = {
  ...instanceDefaults,
  holdMs: DETECTED_HOLD_MS,
  goalMs: 5_000,
  readiness: unreadyStatement,
} as const
const frozenDefaults = { ...instanceDefaults, holdMs: 35_000, goalMs: 30_000, readiness: unreadyStatement } as const
const wrongClockDefaults = {
  ...instanceDefaults,
  holdMs: 15_000,
  goalMs: 30_000,
  readiness: createStatement('clock'),
} as const

const RESTART_SILENCE_REASON =
  'each instance is away for about a second, and the next one follows when the proxy uses the previous one again'

export const UPGRADE = 'upgrade from an earlier release'

export const faultKinds = {
  'kill -9 of an instance': endedDefaults,
  'kill -9 of the leader': endedDefaults,
  'SIGTERM of an instance': endedDefaults,
  'SIGTERM of the leader': endedDefaults,
  'SIGSTOP of an instance': frozenDefaults,
  'SIGSTOP of the leader': frozenDefaults,
  'kill -9 of the database': { ...database, holdMs: DETECTED_HOLD_MS },
  'fast shutdown of the database': { ...database, holdMs: DETECTED_HOLD_MS },
  'failover of the database': { ...database, holdMs: DETECTED_HOLD_MS },
  'SIGSTOP of the database': { ...database, holdMs: 12_000 },
  'black-holed database connections': {
    ...{ ...instanceDefaults, holdMs: 1_000, goalMs: 30_000 },
    readiness: createSilent('new connections work, so an instance serves again as soon as it has replaced some'),
  },
  'instance cut off from the database': {
    ...instanceDefaults,
    holdMs: 30_000,
    goalMs: 30_000,
    readiness: unreadyStatement,
  },
  'slow database connections': {
    ...{ ...database, holdMs: 15_000 },
    readiness: createSilent('every request is still answered, only later'),
  },
  'no free database connections': { ...database, holdMs: 12_000 },
  'full disk of the database': { ...database, holdMs: 10_000 },
  'black-holed streams': {
    ...{ ...instanceDefaults, holdMs: 1_000, goalMs: 30_000 },
    readiness: createSilent('the network of some subscribers is broken, and the instances serve all others'),
  },
  'slow streams': {
    ...{ ...instanceDefaults, holdMs: 10_000, goalMs: 5_000 },
    readiness: createSilent('the network of some subscribers is slow, and the instances serve all others'),
  },
  'SIGTERM of the chain node': { ...chainDefaults, holdMs: 12_000, readiness: createStatement('anchoring') },
  'kill -9 of the chain node': { ...chainDefaults, holdMs: 12_000, readiness: createStatement('anchoring') },
  'black-holed chain node': { ...chainDefaults, holdMs: 20_000, readiness: createStatement('anchoring') },
  'chain reorganisation': {
    ...{ ...chainDefaults, from: 'injection', holdMs: 1_000 },
    readiness: createSilent('the node answers, and anchors that were dropped are sent again'),
  },
  'clock step of an instance': wrongClockDefaults,
  'clock step of the leader': wrongClockDefaults,
  'duplicate and reordered signals': {
    ...{ ...instanceDefaults, holdMs: 5_000, goalMs: 10_000 },
    readiness: createSilent('the feed works, and its repetitions are ignored'),
  },
  'lost feed connection': {
    ...{ from: 'heal', recoverySign: 'alerts', holdMs: DETECTED_HOLD_MS, goalMs: 10_000 },
    readiness: createStatement('feed'),
  },
  'rolling restart': {
    ...{ from: 'heal', recoverySign: 'alerts', holdMs: 0, goalMs: 5_000 },
    readiness: createSilent(RESTART_SILENCE_REASON),
  },
  /** While this fault lasts, one instance runs the new release and the others run the old one. */
  [UPGRADE]: {
    ...{ from: 'heal', recoverySign: 'alerts', holdMs: 20_000, goalMs: 5_000 },
    readiness: createSilent(RESTART_SILENCE_REASON),
  },
} satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds
/** The cast is needed because `Object.keys` returns the keys as strings. */
export const faultNames = Object.keys(faultKinds) as FaultName[]
/**
 * Kinds of faults that a schedule chooses from. The upgrade happens only once, before all others.
 */
export const randomFaultNames = faultNames.filter((name) => name !== UPGRADE)

/** Returns what /readyz must report during a fault of this kind, or null. */
export function findReadinessStatement(name: FaultName): ReadinessStatement | null {
  const { readiness }: FaultKind = faultKinds[name]
  return 'expectedState' in readiness ? readiness : null
}
