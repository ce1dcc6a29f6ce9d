import { getPlan, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'
import { itoAmount } from './ito-amount.ts'

const texts = adminPaymentsTexts.unmatchedWords

/** Why a payment waits, and by how much it missed: "2 ITO short of 24 hours". */
export function whyUnmatched({ reason, tokenAmount }: Pick<UnmatchedPayment, 'reason' | 'tokenAmount'>): string {
  if (reason === 'unknown_wallet') return texts.noAccountHoldsThisWallet
  if (reason === 'too_old') return texts.tooOldToBeCredited
  if (reason === 'late') return texts.tooLateForItsPurchase
  if (reason === 'partial') return texts.partOfAPurchase
  return missedBy(BigInt(tokenAmount))
}

function missedBy(amountWei: bigint): string {
  const next = plans.find(({ priceWei }) => priceWei > amountWei)
  const paid = plans.filter(({ priceWei }) => priceWei <= amountWei).at(-1)
  if (paid?.priceWei === amountWei) return texts.priceOf({ paid: paid.name })
  const over = paid && amountWei - paid.priceWei
  const short = next && next.priceWei - amountWei
  // The plan that it was most likely meant for: the nearer one.
  if (next && short !== undefined && (over === undefined || short <= over))
    return texts.shortOf({ short: itoAmount(short), next: next.name })
  if (paid && over !== undefined) return texts.overOverPaid({ over: itoAmount(over), paid: paid.name })
  return texts.noPlanHasThisPrice
}

const resolutionWords = {
  credit: texts.credited,
  refund_noted: texts.refundNoted,
  ignore: texts.ignored,
  matched: texts.foundItsAccountByItself,
} as const

export function resolutionOf({ resolution }: Pick<UnmatchedPayment, 'resolution'>): string {
  return resolution === null ? texts.open : resolutionWords[resolution]
}

/** "Credit 6 hours", where it is plain to whom and for what. */
export function readyCredit({ owner, suggestedPlan }: UnmatchedPayment): string | null {
  return owner && suggestedPlan ? texts.creditSuggestedPlan({ suggestedPlan: getPlan(suggestedPlan).name }) : null
}
