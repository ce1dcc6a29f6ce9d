import { groupBy } from '../../group-by.ts'
import type { Evidence } from '../evidence.ts'

/** Time before a fault in which an instance may have sent an email without recording it. */
const UNRECORDED_SEND_MS = 2_000

/**
 * Checks that every email that a transaction queued was sent once or is listed as failed. An email
 * may be sent again if a fault interrupted the first attempt. An email with a link need not be
 * sent, because its link may have expired.
 */
export function checkMails({ journal, mailJobs }: Evidence): string[] {
  const mailsById = groupBy(journal.mails, ({ id }) => id)
  const wasInterrupted = (atMs: number) =>
    journal.faults.some(({ injectedAtMs, endedAtMs }) => atMs >= injectedAtMs - UNRECORDED_SEND_MS && atMs <= endedAtMs)
  return mailJobs.flatMap(({ id, hasLink, state }) => {
    const times = (mailsById.get(id) ?? []).map(({ atMs }) => atMs)
    if (state !== null && state !== 'failed') return [`Mail ${id} is still ${state}`]
    if (times.length === 0 && state === null && !hasLink) return [`Mail ${id} was not sent and is not listed as failed`]
    const unexplainedRepeats = times.slice(0, -1).filter((atMs) => !wasInterrupted(atMs))
    return unexplainedRepeats.length > 0 ? [`Mail ${id} was sent ${times.length} times without a fault in between`] : []
  })
}
