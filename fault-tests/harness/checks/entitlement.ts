import type { Evidence } from '../evidence.ts'

/** Time after the end of a subscription for which broadcast alerts may still be received. */
const IN_FLIGHT_MS = 1_000

/**
 * Checks that readers without a subscription found no content of fresh alerts anywhere, and that no
 * subscriber received an alert that was broadcast after its subscription.
 */
export function checkEntitlement({ journal, deliveries, periods }: Evidence): string[] {
  const problems = journal.leaks.map(({ reader, canary }) => `${canary} was shown to ${reader}`)
  if (journal.unentitledReads === 0) problems.push('No reader without a subscription got an answer')
  const sentAtMsByIndex = new Map(deliveries.map(({ logIndex, atMs }) => [logIndex, atMs]))
  for (const { name, accountId, received } of journal.subscribers) {
    const ownPeriods = periods.filter((period) => period.accountId === accountId)
    const unpaidAlerts = [...received].filter(({ logIndex }) => {
      const atMs = sentAtMsByIndex.get(logIndex)
      if (atMs === undefined) return true
      return !ownPeriods.some(({ startsAtMs, endsAtMs }) => startsAtMs <= atMs && atMs < endsAtMs + IN_FLIGHT_MS)
    })
    const [first] = unpaidAlerts
    if (first)
      problems.push(`${name} received ${unpaidAlerts.length} alerts without a right, the first is ${first.logIndex}`)
  }
  return problems
}
