import { type AdminOrder, getPlan, type OrderFlag, type orderResolutions } from '@tocsin/protocol'
import { formatItoAmount } from './ito-amount.ts'

/**
 * Flags of purchases that an admin may have to act on. The flag `under` is left out, because
 * underpayments are listed as unmatched payments.
 */
export const unusualFlags = ['over', 'late', 'multiple'] as const satisfies readonly OrderFlag[]
export type UnusualFlag = (typeof unusualFlags)[number]

export const flagLabels: Record<OrderFlag, string> = {
  over: 'Overpaid',
  late: 'Late',
  multiple: 'Several transfers',
  under: 'Underpaid at first',
}

const resolutionLabels: Record<(typeof orderResolutions)[number], string> = {
  refund_noted: 'Refund noted',
  ignore: 'Ignored',
}

export function formatOrderResolution({ resolution }: Pick<AdminOrder, 'resolution'>): string {
  return resolution === null ? 'Open' : resolutionLabels[resolution]
}

/** Formats the plan and the price of an order: "24 hours, 30 ITO". */
export function formatPlanAndPrice({ planType, priceWei }: Pick<AdminOrder, 'planType' | 'priceWei'>): string {
  return `${getPlan(planType).name}, ${formatItoAmount(priceWei)}`
}

/** Sums all transfers that are on the chain, including transfers that are not credited. */
export function sumReceivedWei({ transfers }: Pick<AdminOrder, 'transfers'>): bigint {
  return transfers
    .filter(({ standing }) => standing !== 'reverted')
    .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
}

/**
 * Formats the overpayment of an order, or returns null if it was not overpaid. Transfers that were
 * not credited do not count as overpayment, because they are listed as unmatched payments.
 */
export function formatExcess({ excessWei }: Pick<AdminOrder, 'excessWei'>): string | null {
  return BigInt(excessWei) > 0n ? formatItoAmount(excessWei) : null
}

const standingLabels: Record<AdminOrder['transfers'][number]['standing'], string> = {
  counted: 'counted',
  unmatched: 'not counted',
  reverted: 'removed by a reorg',
}

/** Formats a transfer: "28 ITO, not counted", or only the amount if it was credited. */
export function formatTransfer({ amountWei, standing }: AdminOrder['transfers'][number]): string {
  const amount = formatItoAmount(amountWei)
  return standing === 'counted' ? amount : `${amount}, ${standingLabels[standing]}`
}
