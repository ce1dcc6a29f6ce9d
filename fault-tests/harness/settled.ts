import type { Evidence } from './evidence.ts'

/** True if no work is pending: signals, anchors, payments, messages and streams. */
export function hasNoPendingWork(evidence: Evidence): boolean {
  const { journal, alerts, entries, chainAnchors, savedAnchors, payments, unmatched, chainTransfers } = evidence
  const isAnchored = chainAnchors.at(-1)?.size === entries.length && savedAnchors.length === chainAnchors.length
  const recordedHashes = new Set(
    [...payments, ...unmatched].filter(({ isReverted }) => !isReverted).map(({ txHash }) => txHash),
  )
  const arePaid = chainTransfers.every(({ txHash }) => recordedHashes.has(txHash))
  const ingestedIds = new Set([...alerts.map(({ signalId }) => signalId), ...evidence.mergedSignals])
  const areIssued = journal.issued.every(({ signalId }) => signalId === null || ingestedIds.has(signalId))
  const areSent = evidence.channelDeliveries.every(({ state }) => state !== 'waiting' && state !== 'held')
  const areMailed = evidence.mailJobs.every(({ state }) => state === null || state === 'failed')
  const areEvaluated = evidence.outcomes.length >= journal.outcomes.length
  const newestIndex = evidence.deliveries.at(-1)?.logIndex ?? 0
  const areReceived = journal.subscribers.every(
    ({ closedAtMs, received }) => closedAtMs !== null || (received.at(-1)?.logIndex ?? newestIndex) >= newestIndex - 1,
  )
  return isAnchored && arePaid && areIssued && areSent && areMailed && areEvaluated && areReceived
}
