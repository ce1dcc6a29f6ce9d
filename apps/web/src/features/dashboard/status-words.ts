const two = (value: number) => String(value).padStart(2, '0')

/** "12 d 04 h", under a day "4 h 12 min", under an hour "12 min". */
export function upWords(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`
  return hours > 0 ? `${hours} h ${two(minutes % 60)} min` : `${minutes} min`
}

/** "2 s", "14 min", "3 h", "2 d": a length of time in one whole unit. */
export function agoWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
