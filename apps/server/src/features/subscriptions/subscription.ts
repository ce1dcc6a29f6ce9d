import type { PlanId } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'

/** A paid or granted period. `startsAt` is included, `endsAt` is not. */
export interface Period {
  id: string
  startsAt: Date
  endsAt: Date
}

/** An account's current access. */
export interface Entitlement {
  /** The plan of the running period. */
  planId: PlanId
  startsAt: Date
  /** When access ends: the end of the last period that follows without a gap. */
  endsAt: Date
}

/** Returns the start of a new period: the end of the last one, or now. */
export function findNextStart(periods: readonly Pick<Period, 'endsAt'>[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...periods.map(({ endsAt }) => endsAt.getTime())))
}

export function addHours(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * HOUR_MS)
}

export function isRunning(period: Pick<Period, 'startsAt' | 'endsAt'>, now: Date): boolean {
  return period.startsAt <= now && now < period.endsAt
}

/**
 * Returns the account's access at `now`, or null.
 * @param periods the account's open periods, in any order
 */
export function findEntitlementAt(
  periods: readonly (Omit<Period, 'id'> & { planId: PlanId })[],
  now: Date,
): Entitlement | null {
  const inOrder = [...periods].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  const runningPeriod = inOrder.find((period) => isRunning(period, now))
  if (!runningPeriod) return null
  let endsAt = runningPeriod.endsAt
  for (const period of inOrder) {
    if (period.startsAt <= endsAt && period.endsAt > endsAt) endsAt = period.endsAt
  }
  return { planId: runningPeriod.planId, startsAt: runningPeriod.startsAt, endsAt }
}

/**
 * Returns the new times of queued periods after a period was removed. The periods keep their
 * lengths and follow without gaps. Periods that do not move are left out.
 */
export function closeGaps(periods: readonly Period[], now: Date): Period[] {
  const inOrder = [...periods].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  const begunPeriods = inOrder.filter(({ startsAt }) => startsAt <= now)
  let nextStartsAt = findNextStart(begunPeriods, now)
  const movedPeriods: Period[] = []
  for (const { id, startsAt, endsAt } of inOrder.slice(begunPeriods.length)) {
    const end = new Date(nextStartsAt.getTime() + endsAt.getTime() - startsAt.getTime())
    if (nextStartsAt < startsAt) movedPeriods.push({ id, startsAt: nextStartsAt, endsAt: end })
    nextStartsAt = nextStartsAt < startsAt ? end : endsAt
  }
  return movedPeriods
}

/**
 * Returns the new times after an extension. The running period ends later, and queued periods move
 * by the same time. Returns an empty list if no period is running.
 */
export function extendPeriods(periods: readonly Period[], now: Date, hours: number): Period[] {
  const runningPeriod = periods.find((period) => isRunning(period, now))
  if (!runningPeriod) return []
  const queuedPeriods = periods.filter(({ startsAt }) => startsAt >= runningPeriod.endsAt)
  return [
    { ...runningPeriod, endsAt: addHours(runningPeriod.endsAt, hours) },
    ...queuedPeriods.map(({ id, startsAt, endsAt }) => ({
      id,
      startsAt: addHours(startsAt, hours),
      endsAt: addHours(endsAt, hours),
    })),
  ]
}
