import type { DigestTimes, QuietHours } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { isoWeekday, localDayMs, toInstant, toLocalMs } from './local-time.ts'

/** Returns the end of the quiet hours that are running, or null. */
export function findQuietEnd({ days, from, to, timeZone }: QuietHours, now: Date): Date | null {
  const todayMs = localDayMs(toLocalMs(now, timeZone))
  const ends = [todayMs - DAY_MS, todayMs].flatMap((dayMs) => {
    if (!days.includes(isoWeekday(dayMs))) return []
    const beginsAt = toInstant(dayMs, from, timeZone)
    const end = toInstant(to > from ? dayMs : dayMs + DAY_MS, to, timeZone)
    return beginsAt <= now && now < end ? [end] : []
  })
  return ends.reduce<Date | null>((latest, end) => (latest === null || end > latest ? end : latest), null)
}

/**
 * Returns when the next digest is sent, which is later than `now`: at the next full hour, or at the
 * chosen hour of the day.
 */
export function computeNextDigestAt(times: DigestTimes, now: Date): Date {
  if (times.every === 'hour') return computeEndOfHour(now)
  const { hour, timeZone } = times
  const todayMs = localDayMs(toLocalMs(now, timeZone))
  const today = toInstant(todayMs, hour * 60, timeZone)
  return today > now ? today : toInstant(todayMs + DAY_MS, hour * 60, timeZone)
}

export function computeEndOfHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS)
}
