import type { Evidence } from '../evidence.ts'

/** An instance may have sent a mail and not recorded it so long before it was stopped. */
const UNRECORDED_MS = 2_000

/**
 * Every mail that a transaction queued was sent once, or is listed as failed. It may be sent again
 * if a fault interrupted the first attempt, and one with a link is not sent if the link has ended.
 */
export function checkMails({ journal, mailJobs }: Evidence): string[] {
  const arrivals = new Map<string, number[]>()
  for (const { id, atMs } of journal.mails) arrivals.set(id, [...(arrivals.get(id) ?? []), atMs])
  const wasInterrupted = (atMs: number) =>
    journal.faults.some(({ injectedAtMs, endedAtMs }) => atMs >= injectedAtMs - UNRECORDED_MS && atMs <= endedAtMs)
  return mailJobs.flatMap(({ id, hasLink, state }) => {
    const times = arrivals.get(id) ?? []
    if (state !== null && state !== 'failed') return [`Mail ${id} is still ${state}`]
    if (times.length === 0 && state === null && !hasLink) return [`Mail ${id} was not sent and is not listed as failed`]
    const repeated = times.slice(0, -1).filter((atMs) => !wasInterrupted(atMs))
    return repeated.length > 0 ? [`Mail ${id} was sent ${times.length} times without a fault in between`] : []
  })
}
