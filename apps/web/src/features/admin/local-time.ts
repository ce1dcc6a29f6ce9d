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
  const padTwo = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`
  return `${day}T${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`
}
