import { getPlan, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { itoAmount } from './ito-amount.ts'

/** Why a payment waits, and by how much it missed: "2 ITO short of 24 hours". */
export function whyUnmatched({ reason, tokenAmount }: Pick<UnmatchedPayment, 'reason' | 'tokenAmount'>): string {
  if (reason === 'unknown_wallet') return 'No account holds this wallet'
  if (reason === 'too_old') return 'Too old to be credited by itself'
  if (reason === 'late') return 'Too late for its purchase'
  if (reason === 'partial') return 'Part of a purchase, the rest is missing'
  return missedBy(BigInt(tokenAmount))
}

function missedBy(amountWei: bigint): string {
  const next = plans.find(({ priceWei }) => priceWei > amountWei)
  const paid = plans.filter(({ priceWei }) => priceWei <= amountWei).at(-1)
  if (paid?.priceWei === amountWei) return `The price of ${paid.name}`
  const over = paid && amountWei - paid.priceWei
  const short = next && next.priceWei - amountWei
  // The plan that it was most likely meant for: the nearer one.
  if (next && short !== undefined && (over === undefined || short <= over))
    return `${itoAmount(short)} short of ${next.name}`
  if (paid && over !== undefined) return `${itoAmount(over)} more than ${paid.name} cost`
  return 'No plan has this price'
}

const resolutionWords = {
  credit: 'Credited',
  refund_noted: 'Refund noted',
  ignore: 'Ignored',
  matched: 'Found its account by itself',
} as const

export function resolutionOf({ resolution }: Pick<UnmatchedPayment, 'resolution'>): string {
  return resolution === null ? 'Open' : resolutionWords[resolution]
}

/** "Credit 6 hours", where it is plain to whom and for what. */
export function readyCredit({ owner, suggestedPlan }: UnmatchedPayment): string | null {
  return owner && suggestedPlan ? `Credit ${getPlan(suggestedPlan).name}` : null
}
