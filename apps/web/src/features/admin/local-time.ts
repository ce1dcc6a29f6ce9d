import { padTwoDigits } from '../../ui/format-time.ts'
/**
 * Converts the value of a `datetime-local` input, in local time, to an ISO time. Null if it is
 * invalid.
 */
export function parseLocalTime(value: string): string | null {
  const at = new Date(value)
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(at.getTime()) ? at.toISOString() : null
}

/** Converts a time to the value of a `datetime-local` input, in local time and to the minute. */
export function formatLocalTime(at: Date): string {
  const day = `${at.getFullYear()}-${padTwoDigits(at.getMonth() + 1)}-${padTwoDigits(at.getDate())}`
  return `${day}T${padTwoDigits(at.getHours())}:${padTwoDigits(at.getMinutes())}`
}
