import { padTwoDigits } from './format-time.ts'

/** For example "12 d 04 h", "4 h 12 min" or "12 min". */
export function formatUptime(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${padTwoDigits(hours % 24)} h`
  return hours > 0 ? `${hours} h ${padTwoDigits(minutes % 60)} min` : `${minutes} min`
}

/** A duration in one unit, rounded down, for example "2 s", "14 min", "3 h" or "2 d". */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
