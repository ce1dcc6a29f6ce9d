import { getPlan, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { formatItoAmount } from './ito-amount.ts'

/** Says why a payment was not matched and how far it was off: "2 ITO short of 24 hours". */
export function formatUnmatchedReason({
  reason,
  tokenAmount,
}: Pick<UnmatchedPayment, 'reason' | 'tokenAmount'>): string {
  if (reason === 'unknown_wallet') return 'No account has linked this wallet'
  if (reason === 'too_old') return 'Too old to be credited automatically'
  if (reason === 'late') return 'After the time limit of its purchase'
  if (reason === 'partial') return 'Partial payment of a purchase'
  return describeMissingAmount(BigInt(tokenAmount))
}

function describeMissingAmount(amountWei: bigint): string {
  const nextPlan = plans.find(({ priceWei }) => priceWei > amountWei)
  const paidPlan = plans.filter(({ priceWei }) => priceWei <= amountWei).at(-1)
  if (paidPlan?.priceWei === amountWei) return `Equals the price of ${paidPlan.name}`
  const excessWei = paidPlan && amountWei - paidPlan.priceWei
  const missingWei = nextPlan && nextPlan.priceWei - amountWei
  // Name the plan whose price is nearest to the amount.
  if (nextPlan && missingWei !== undefined && (excessWei === undefined || missingWei <= excessWei))
    return `${formatItoAmount(missingWei)} short of ${nextPlan.name}`
  if (paidPlan && excessWei !== undefined)
    return `${formatItoAmount(excessWei)} more than the price of ${paidPlan.name}`
  return 'No plan has this price'
}

const resolutionLabels = {
  credit: 'Credited',
  refund_noted: 'Refund noted',
  ignore: 'Ignored',
  matched: 'Matched automatically',
} as const

export function formatResolution({ resolution }: Pick<UnmatchedPayment, 'resolution'>): string {
  return resolution === null ? 'Open' : resolutionLabels[resolution]
}

/**
 * Label of the button that credits the payment: "Credit 6 hours". Null unless account and plan are
 * known.
 */
export function formatCreditLabel({ owner, suggestedPlan }: UnmatchedPayment): string | null {
  return owner && suggestedPlan ? `Credit ${getPlan(suggestedPlan).name}` : null
}
