import type { Evidence } from '../evidence.ts'
import { findCanary } from '../received-alerts.ts'

/**
 * Checks that every acknowledged alert is in the log once, as it was acknowledged. Every signal of
 * the feed must have become one alert or be counted under one, because the feed offers it again
 * until then. An alert whose request got no response may exist at most once.
 */
export function checkAcknowledged({ journal, alerts, mergedSignals, refusedSignals, entries }: Evidence): string[] {
  const problems: string[] = []
  const byCanary = new Map<string, Evidence['alerts']>()
  for (const alert of alerts) {
    const canary = findCanary(alert.summary)
    byCanary.set(canary, [...(byCanary.get(canary) ?? []), alert])
  }
  const merged = new Set(mergedSignals)
  const texts = new Map(entries.map(({ index, bytes }) => [index, Buffer.from(bytes).toString()]))
  for (const { canary, acknowledged, signalId } of journal.issued) {
    const found = byCanary.get(canary) ?? []
    const [alert] = found
    if (found.length > 1) problems.push(`${canary} exists ${found.length} times`)
    if (alert && !texts.get(alert.logIndex)?.includes(canary)) problems.push(`${canary} is not in its log entry`)
    if (signalId !== null && !alert && !merged.has(signalId)) {
      const refused = refusedSignals.find(({ raw }) => raw.includes(`"${signalId}"`))
      problems.push(`Signal ${signalId} was ${refused ? `refused: ${refused.reason}` : 'lost'}`)
    }
    if (acknowledged === null) continue
    const { id, logIndex } = acknowledged
    if (alert?.id !== id || alert.logIndex !== logIndex)
      problems.push(`${canary} was acknowledged as ${id} and is lost`)
  }
  return problems
}
