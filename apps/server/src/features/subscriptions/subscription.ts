import type { PlanId } from '@tocsin/protocol'

/** A paid period, from `startsAt` until before `endsAt`. */
export interface Period {
  id: string
  startsAt: Date
  endsAt: Date
}

/** What an account may read now. */
export interface Entitlement {
  /** Of the period that runs now. */
  planId: PlanId
  startsAt: Date
  /** When access ends: the end of the last period that follows without a gap. */
  endsAt: Date
}

const HOUR_MS = 3_600_000

/** A new period begins when the last one ends, or now. */
export function nextStart(periods: readonly Pick<Period, 'endsAt'>[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...periods.map(({ endsAt }) => endsAt.getTime())))
}

export function addHours(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * HOUR_MS)
}

export function isRunning(period: Pick<Period, 'startsAt' | 'endsAt'>, now: Date): boolean {
  return period.startsAt <= now && now < period.endsAt
}

/** @param periods the account's valid periods, any order */
export function entitlementAt(
  periods: readonly (Omit<Period, 'id'> & { planId: PlanId })[],
  now: Date,
): Entitlement | null {
  const inOrder = [...periods].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  const running = inOrder.find((period) => isRunning(period, now))
  if (!running) return null
  let endsAt = running.endsAt
  for (const period of inOrder) {
    if (period.startsAt <= endsAt && period.endsAt > endsAt) endsAt = period.endsAt
  }
  return { planId: running.planId, startsAt: running.startsAt, endsAt }
}

/** Where queued periods move to when one before them is gone: back to back, each as long as it was. Only those that move. */
export function closeGaps(periods: readonly Period[], now: Date): Period[] {
  const inOrder = [...periods].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  const begun = inOrder.filter(({ startsAt }) => startsAt <= now)
  let free = nextStart(begun, now)
  const moved: Period[] = []
  for (const { id, startsAt, endsAt } of inOrder.slice(begun.length)) {
    const end = new Date(free.getTime() + endsAt.getTime() - startsAt.getTime())
    if (free < startsAt) moved.push({ id, startsAt: free, endsAt: end })
    free = free < startsAt ? end : endsAt
  }
  return moved
}

/** What an extension moves: the end of the running period, and all of those behind it. Nothing when none runs. */
export function extendPeriods(periods: readonly Period[], now: Date, hours: number): Period[] {
  const running = periods.find((period) => isRunning(period, now))
  if (!running) return []
  const queued = periods.filter(({ startsAt }) => startsAt >= running.endsAt)
  return [
    { ...running, endsAt: addHours(running.endsAt, hours) },
    ...queued.map(({ id, startsAt, endsAt }) => ({
      id,
      startsAt: addHours(startsAt, hours),
      endsAt: addHours(endsAt, hours),
    })),
  ]
}
