import { type EngineStatus, engineStatus, statusLimits } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { formatIssue } from '../../format-issue.ts'
import { retryStoring } from './retry-storing.ts'
import * as store from './store.ts'

interface ReceivedStatus {
  status: EngineStatus
  receivedAt: Date
}

/** Time without a status after which the engine counts as silent: three messages are missing. */
const SILENT_AFTER_MS = 35_000
/** Maximum time that a status may be ahead of this server's clock. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS

/**
 * Stores the newest of these status messages, replacing the previous status.
 * @returns the messages that were rejected
 */
export async function receiveStatuses(
  ctx: Context,
  raws: readonly string[],
  signal: AbortSignal,
): Promise<store.RefusedMessage[]> {
  if (raws.length === 0) return []
  const parsedStatuses = raws.map((raw) => ({ raw, status: parse(raw) }))
  const now = ctx.clock.now()
  return retryStoring(ctx, signal, () =>
    ctx.db.transaction(async (tx) => {
      const storedStatus = await store.findEngineStatus(tx)
      let newestStatus: ReceivedStatus | null = storedStatus
      const refusedMessages: store.RefusedMessage[] = []
      for (const { raw, status } of parsedStatuses) {
        const reason = typeof status === 'string' ? status : findRefusal(status, newestStatus, now)
        if (reason !== null) refusedMessages.push({ raw, reason })
        else if (typeof status !== 'string') newestStatus = { status, receivedAt: now }
      }
      if (newestStatus !== null && newestStatus !== storedStatus) {
        await store.saveEngineStatus(tx, newestStatus.status, now)
        if (storedStatus && isSilent(storedStatus, now))
          await store.insertGap(tx, 'engine', storedStatus.receivedAt, now)
      }
      return refusedMessages
    }),
  )
}

/** Returns the parsed status, or the reason if it is malformed. */
function parse(raw: string): EngineStatus | string {
  if (Buffer.byteLength(raw) > statusLimits.bytes) return 'A status has at most 48 KiB'
  const { data, error } = engineStatus.safeParse(JSON.parse(raw))
  return data ?? formatIssue(error)
}

/** Returns why a status must not replace the newest one, or null. */
function findRefusal(
  { run, startedAt, sentAt }: EngineStatus,
  newestStatus: ReceivedStatus | null,
  now: Date,
): string | null {
  if (Date.parse(sentAt) > now.getTime() + MAX_CLOCK_SKEW_MS) return 'sentAt: lies in the future'
  if (startedAt > sentAt) return 'startedAt: is later than sentAt'
  // After a silence, any status is accepted, because the clock of the engine may have been set
  // back.
  if (newestStatus === null || isSilent(newestStatus, now)) return null
  if (run === newestStatus.status.run)
    return sentAt < newestStatus.status.sentAt ? 'sentAt: earlier than the stored status' : null
  // A restarted engine starts after the last status of its previous run.
  const isNextRun = startedAt > newestStatus.status.sentAt
  return isNextRun ? null : 'run: another engine sends its status over this feed'
}

export function isSilent({ receivedAt }: Pick<ReceivedStatus, 'receivedAt'>, now: Date): boolean {
  return now.getTime() - receivedAt.getTime() > SILENT_AFTER_MS
}
