import type { NewestTime } from '@tocsin/proof'
import { LogFault } from './log.ts'
import type { StoredBytes, Tail } from './store.ts'

/**
 * Returns the latest time in the log. This is the time of the newest entry, except in old logs:
 * before the server ensured that times never decrease, an alert or a key list could be up to a
 * minute later than the next entry.
 */
export function findNewestTime({ last, keyList, latestAlert }: Omit<Tail, 'stopReason'>): NewestTime | null {
  const times = [last, keyList].flatMap((entry) => (entry ? [readTime(entry)] : []))
  if (latestAlert) times.push({ index: latestAlert.index, createdAt: latestAlert.createdAt.toISOString() })
  return times.reduce<NewestTime | null>(
    (found, time) => (found && found.createdAt >= time.createdAt ? found : time),
    null,
  )
}

/** Reads the time of any kind of entry, including kinds that only newer versions know. */
function readTime(storedBytes: StoredBytes): NewestTime {
  const { index } = storedBytes
  const { createdAt } = readEntry(storedBytes)
  if (typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt))) return { index, createdAt }
  throw new LogFault(`Entry ${index} of the log has no time`)
}

function readEntry({ index, bytes }: StoredBytes): { createdAt?: unknown } {
  try {
    const entry: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof entry === 'object' && entry !== null) return entry
  } catch {
    // The error is thrown below.
  }
  throw new LogFault(`Entry ${index} of the log cannot be read`)
}
