import type { Evidence } from '../evidence.ts'

/**
 * Checks that every transfer to the treasury that is on the chain is credited once or listed as
 * unmatched, with its amount, and that nothing else counts as paid.
 */
export function checkTransfers({ chainTransfers, payments, unmatched, creditedPaymentIds }: Evidence): string[] {
  const problems: string[] = []
  const chainAmounts = new Map(chainTransfers.map(({ txHash, amountWei }) => [txHash, amountWei]))
  const creditedIds = new Set(creditedPaymentIds)
  const validPayments = payments.filter(({ isReverted }) => !isReverted)
  const unresolvedTransfers = unmatched.filter(({ isReverted, isResolved }) => !isReverted && !isResolved)
  for (const [txHash, amountWei] of chainAmounts) {
    const rows = [...validPayments, ...unresolvedTransfers].filter((row) => row.txHash === txHash)
    const [row] = rows
    if (rows.length !== 1) problems.push(`Transfer ${txHash} is recorded ${rows.length} times`)
    else if (row?.amountWei !== amountWei) problems.push(`Transfer ${txHash} is recorded with another amount`)
  }
  for (const { txHash, id } of validPayments) {
    if (!chainAmounts.has(txHash)) problems.push(`Payment ${txHash} is not on the chain`)
    if (!creditedIds.has(id)) problems.push(`Payment ${txHash} started no subscription`)
  }
  for (const { txHash } of unresolvedTransfers)
    if (!chainAmounts.has(txHash)) problems.push(`Unmatched ${txHash} is not on the chain`)
  if (creditedIds.size !== creditedPaymentIds.length) problems.push('A payment started two subscriptions')
  return problems
}
