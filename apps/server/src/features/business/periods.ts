import type { BusinessCustomers, FunnelStep } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'

const WEEK_MS = 7 * DAY_MS

/** Returns the start of the UTC day. */
export function computeDayStart(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)
}

/** Returns the start of the UTC week, which begins on Monday. 1970-01-01 was a Thursday. */
export function computeWeekStart(at: Date): Date {
  const sinceMonday = (Math.floor(at.getTime() / DAY_MS) + 3) % 7
  return new Date(computeDayStart(at).getTime() - sinceMonday * DAY_MS)
}

const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Returns `count` days, starting with `firstDay`, oldest first, as YYYY-MM-DD. */
export function listDays(firstDay: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) => formatDay(firstDay.getTime() + index * DAY_MS))
}

interface PayingWeek {
  first_week: string | null
  week: string
  accounts: number
  again: number
}

/** Returns the funnel of `count` weeks, newest first. `first` is the start of the oldest week. */
export function createWeeklyFunnel(
  first: Date,
  count: number,
  steps: readonly { step: FunnelStep; week: string; count: number }[],
  payingWeeks: readonly PayingWeek[],
): BusinessCustomers['weeks'] {
  return listWeekNames(first, count).map((week) => {
    const countOfStep = (step: FunnelStep) => steps.find((row) => row.week === week && row.step === step)?.count ?? 0
    const paidRows = payingWeeks.filter((row) => row.week === week)
    return {
      week,
      visits: countOfStep('visits'),
      signUps: countOfStep('signUps'),
      verified: countOfStep('verified'),
      walletProved: countOfStep('walletProved'),
      firstPurchase: sum(paidRows.filter(({ first_week }) => first_week === week).map(({ accounts }) => accounts)),
      boughtAgain: sum(paidRows.map(({ again }) => again)),
      paying: sum(paidRows.map(({ accounts }) => accounts)),
    }
  })
}

/**
 * Returns the cohorts of `count` weeks, newest first. The newest cohort has no later week yet, and
 * the oldest cohort has `count - 1` later weeks.
 */
export function createCohorts(
  firstWeek: Date,
  count: number,
  payingWeeks: readonly PayingWeek[],
): BusinessCustomers['cohorts'] {
  const weeks = listWeekNames(firstWeek, count)
  return weeks.map((week, age) => {
    const countPayingIn = (laterWeek: string | undefined) =>
      payingWeeks.find((row) => row.first_week === week && row.week === laterWeek)?.accounts ?? 0
    const size = countPayingIn(week)
    const paidAgain = Array.from({ length: age }, (_, index) =>
      size === 0 ? null : countPayingIn(weeks[age - index - 1]) / size,
    )
    return { week, size, paidAgain }
  })
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

function listWeekNames(firstWeek: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) => formatDay(firstWeek.getTime() + (count - 1 - index) * WEEK_MS))
}
