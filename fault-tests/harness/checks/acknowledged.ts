import { groupBy } from '../../group-by.ts'
import type { Evidence } from '../evidence.ts'
import { findCanary } from '../received-alerts.ts'

/**
 * Checks that every acknowledged alert is in the log once, as it was acknowledged. Every signal of
 * the feed must have become one alert or be merged into one, because the feed offers it again until
 * then. An alert whose request got no response may exist at most once.
 */
export function checkAcknowledgedAlerts({
  journal,
  alerts,
  mergedSignals,
  refusedSignals,
  entries,
}: Evidence): string[] {
  const problems: string[] = []
  const alertsByCanary = groupBy(alerts, ({ summary }) => findCanary(summary))
  const mergedIds = new Set(mergedSignals)
  const texts = new Map(entries.map(({ index, bytes }) => [index, Buffer.from(bytes).toString()]))
  for (const { canary, acknowledged, signalId } of journal.issued) {
    const foundAlerts = alertsByCanary.get(canary) ?? []
    const [alert] = foundAlerts
    if (foundAlerts.length > 1) problems.push(`${canary} exists ${foundAlerts.length} times`)
    if (alert && !texts.get(alert.logIndex)?.includes(canary)) problems.push(`${canary} is not in its log entry`)
    if (signalId !== null && !alert && !mergedIds.has(signalId)) {
      const refusedSignal = refusedSignals.find(({ raw }) => raw.includes(`"${signalId}"`))
      problems.push(`Signal ${signalId} was ${refusedSignal ? `refused: ${refusedSignal.reason}` : 'lost'}`)
    }
    if (acknowledged === null) continue
    const { id, logIndex } = acknowledged
    if (alert?.id !== id || alert.logIndex !== logIndex)
      problems.push(`${canary} was acknowledged as ${id} and is lost`)
  }
  return problems
}
