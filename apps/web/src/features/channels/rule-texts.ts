import type { DeliveryRules, Destination, DigestTimes, QuietHours } from '@tocsin/protocol'
import { padTwoDigits } from '../../ui/format-time.ts'

const MAX_LISTED_NAMES = 3

/**
 * Describes delivery rules: "High and up, BTC/USDT, watchlist, from 40%", or "Everything" without
 * rules.
 */
export function formatRules(rules: DeliveryRules): string {
  const { assets, watchlist, types, regimes, lowestPriority, lowestConfidence, coolDownMinutes, mostPerHour } = rules
  const parts = [
    lowestPriority === 'low' ? '' : lowestPriority === 'critical' ? 'Critical' : `${capitalize(lowestPriority)} and up`,
    formatNames(assets, 'assets'),
    watchlist ? 'watchlist' : '',
    formatNames(types, 'types'),
    formatNames(regimes, 'regimes'),
    lowestConfidence === 0 ? '' : `from ${lowestConfidence}%`,
    coolDownMinutes === 0 ? '' : `cool-down ${formatMinutes(coolDownMinutes)}`,
    mostPerHour === null ? '' : `${mostPerHour} an hour`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'Everything' : capitalize(parts.join(', '))
}

function formatNames(names: readonly string[], pluralNoun: string): string {
  return names.length <= MAX_LISTED_NAMES ? names.join(' ') : `${names.length} ${pluralNoun}`
}

export function formatMinutes(minutes: number): string {
  if (minutes < 60 || minutes % 60 !== 0) return `${minutes} min`
  return minutes === 1_440 ? '1 day' : `${minutes / 60} h`
}

/** Describes the times of a digest: "Digest, daily at 20:00". */
function formatDigest(digest: DigestTimes): string {
  return digest.every === 'hour' ? 'Digest, hourly' : `Digest, daily at ${formatMinuteOfDay(digest.hour * 60)}`
}

/** Describes the rules, the digest and the quiet hours of a destination on one line. */
export function formatDeliverySettings({
  rules,
  digest,
  quietHours,
}: Pick<Destination, 'rules' | 'digest' | 'quietHours'>) {
  const quietParts = quietHours === null ? [] : [`quiet ${formatSpan(quietHours)}`]
  return [formatRules(rules), ...(digest === null ? [] : [formatDigest(digest)]), ...quietParts].join(', ')
}

/** Formats quiet hours: "22:00–07:00". */
export function formatSpan({ from, to }: Pick<QuietHours, 'from' | 'to'>): string {
  return `${formatMinuteOfDay(from)}–${formatMinuteOfDay(to)}`
}

/** Formats a minute of the day as time inputs need it: "07:00". */
export function formatMinuteOfDay(minute: number): string {
  return `${padTwoDigits(Math.floor(minute / 60))}:${padTwoDigits(minute % 60)}`
}

/** Parses a time such as "07:00" to the minute of the day. Null if the text is not a time. */
export function parseMinuteOfDay(text: string): number | null {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** Short names of the weekdays. The first one is Monday. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Formats weekdays: "Mon to Fri", "every day" or "Mon, Wed". */
export function formatDays(days: readonly number[]): string {
  const sortedDays = [...days].sort()
  if (sortedDays.length === 7) return 'every day'
  const names = sortedDays.map((day) => weekdays[day - 1] ?? '')
  const isConsecutive =
    sortedDays.length > 2 && sortedDays.every((day, index) => index === 0 || day === (sortedDays[index - 1] ?? 0) + 1)
  return isConsecutive ? `${names[0]} to ${names.at(-1)}` : names.join(', ')
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The settings of a destination that the form of rules edits. */
export type DeliverySettings = Pick<Destination, 'rules' | 'quietHours' | 'digest'>

/** Removes the saved settings from the draft, except those that were edited during the save. */
export function omitSavedSettings(
  draft: Partial<DeliverySettings>,
  savedSettings: Partial<DeliverySettings>,
): Partial<DeliverySettings> {
  const isUnsaved = ([name, value]: [string, unknown]) => savedSettings[name as keyof DeliverySettings] !== value
  return Object.fromEntries(Object.entries(draft).filter(isUnsaved))
}
