import type { Evidence } from '../evidence.ts'

const FINAL_STATES = new Set(['delivered', 'skipped', 'dead'])

/**
 * Checks that every outcome offered by the feed is in the log once, with the verdict that follows
 * from its candles. Every broadcast alert must have one delivery row for each destination. Each row
 * must have a final state, delivered alerts must have arrived, and each attempt must be recorded.
 */
export function checkOutcomesAndDeliveries(evidence: Evidence): string[] {
  return [...checkOutcomes(evidence), ...checkChannels(evidence)]
}

function checkOutcomes({ journal, alerts, outcomes }: Evidence): string[] {
  const indexBySignalId = new Map(alerts.map(({ signalId, logIndex }) => [signalId, logIndex]))
  return journal.outcomes.flatMap(({ signalId, verdict }) => {
    const foundOutcomes = outcomes.filter(({ targetIndex }) => targetIndex === indexBySignalId.get(signalId))
    if (foundOutcomes.length !== 1) return [`Signal ${signalId} has ${foundOutcomes.length} outcomes`]
    return foundOutcomes[0]?.verdict === verdict
      ? []
      : [`The outcome of ${signalId} is ${foundOutcomes[0]?.verdict}, not ${verdict}`]
  })
}

function checkChannels({ journal, alerts, deliveries, destinationIds, channelDeliveries }: Evidence): string[] {
  const problems: string[] = []
  const alertIndexes = new Set(alerts.map(({ logIndex }) => logIndex))
  const broadcast = new Set(deliveries.map(({ logIndex }) => logIndex).filter((index) => alertIndexes.has(index)))
  const arrivedIds = new Set(journal.webhooks.map(({ id }) => id))
  const counts = new Map<string, number>()
  for (const {
    id,
    destinationId,
    logIndex,
    state,
    attempts,
    recordedAttempts,
    event,
    digestIndex,
  } of channelDeliveries) {
    if (!FINAL_STATES.has(state)) problems.push(`Delivery ${id} is still ${state}`)
    if (attempts !== recordedAttempts)
      problems.push(`Delivery ${id} counts ${attempts} of ${recordedAttempts} attempts`)
    if (event !== 'alert' || !broadcast.has(logIndex)) continue
    counts.set(`${destinationId} ${logIndex}`, (counts.get(`${destinationId} ${logIndex}`) ?? 0) + 1)
    // A digest of a single alert has the same message id as the alert.
    const ids = [`msg_${destinationId}_${logIndex}`, `msg_${destinationId}_${digestIndex}_digest`]
    const hasArrived = ids.some((id) => arrivedIds.has(id))
    if (state === 'delivered' && !hasArrived) problems.push(`Delivery ${id} counts as delivered and did not arrive`)
  }
  for (const id of destinationIds) {
    const missingIndexes = [...broadcast].filter((index) => counts.get(`${id} ${index}`) !== 1)
    if (missingIndexes.length > 0)
      problems.push(`${missingIndexes.length} alerts do not have one row for destination ${id}`)
  }
  return problems
}
