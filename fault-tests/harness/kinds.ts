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
}

const instance = { from: 'injection', recovers: 'alerts' } as const
const database = { from: 'heal', goalMs: 15_000, recovers: 'alerts' } as const
const chain = { from: 'heal', goalMs: 30_000, recovers: 'anchors' } as const

export const UPGRADE = 'upgrade from an earlier release'

export const faultKinds = {
  'kill -9 of an instance': { ...instance, holdMs: 3_000, goalMs: 5_000 },
  'kill -9 of the leader': { ...instance, holdMs: 3_000, goalMs: 5_000 },
  'SIGTERM of an instance': { ...instance, holdMs: 1_000, goalMs: 5_000 },
  'SIGTERM of the leader': { ...instance, holdMs: 1_000, goalMs: 5_000 },
  'SIGSTOP of an instance': { ...instance, holdMs: 35_000, goalMs: 30_000 },
  'SIGSTOP of the leader': { ...instance, holdMs: 35_000, goalMs: 30_000 },
  'kill -9 of the database': { ...database, holdMs: 4_000 },
  'failover of the database': { ...database, holdMs: 3_000 },
  'SIGSTOP of the database': { ...database, holdMs: 12_000 },
  'black-holed database connections': { ...instance, holdMs: 1_000, goalMs: 30_000 },
  'instance cut off from the database': { ...instance, holdMs: 30_000, goalMs: 30_000 },
  'slow database connections': { ...database, holdMs: 15_000 },
  'no free database connections': { ...database, holdMs: 12_000 },
  'full disk of the database': { ...database, holdMs: 10_000 },
  'black-holed streams': { ...instance, holdMs: 1_000, goalMs: 30_000 },
  'kill -9 of the chain node': { ...chain, holdMs: 12_000 },
  'black-holed chain node': { ...chain, holdMs: 20_000 },
  'chain reorganisation': { ...chain, from: 'injection', holdMs: 1_000 },
  'clock step of an instance': { ...instance, holdMs: 15_000, goalMs: 30_000 },
  'clock step of the leader': { ...instance, holdMs: 15_000, goalMs: 30_000 },
  'duplicate and reordered signals': { ...instance, holdMs: 5_000, goalMs: 10_000 },
  'lost feed connection': { ...instance, holdMs: 1_000, goalMs: 10_000 },
  'rolling restart': { from: 'heal', recovers: 'alerts', holdMs: 0, goalMs: 5_000 },
  /** While it lasts, one instance is new and the others are old. */
  [UPGRADE]: { from: 'heal', recovers: 'alerts', holdMs: 20_000, goalMs: 5_000 },
} satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds
/** `Object.keys` returns the keys as strings. */
export const faultNames = Object.keys(faultKinds) as FaultName[]
/** Those that a schedule draws. The upgrade happens once, before them. */
export const drawnNames = faultNames.filter((name) => name !== UPGRADE)
