import { type AdminOrder, getPlan, type OrderFlag, type orderResolutions } from '@tocsin/protocol'
import { itoAmount } from './ito-amount.ts'

/** What there may be something to do about. Too little is among the unmatched payments. */
export const unusualFlags = ['over', 'late', 'multiple'] as const satisfies readonly OrderFlag[]
export type UnusualFlag = (typeof unusualFlags)[number]

export const flagWords: Record<OrderFlag, string> = {
  over: 'Overpaid',
  late: 'Late',
  multiple: 'Several transfers',
  under: 'Short at first',
}

const resolutionWords: Record<(typeof orderResolutions)[number], string> = {
  refund_noted: 'Refund noted',
  ignore: 'Set aside',
}

export function orderResolutionOf({ resolution }: Pick<AdminOrder, 'resolution'>): string {
  return resolution === null ? 'Open' : resolutionWords[resolution]
}

/** "24 hours, 30 ITO" */
export function askedFor({ planType, priceWei }: Pick<AdminOrder, 'planType' | 'priceWei'>): string {
  return `${getPlan(planType).name}, ${itoAmount(priceWei)}`
}

/** What has arrived for it in all, also what was not counted. */
export function receivedWei({ transfers }: Pick<AdminOrder, 'transfers'>): bigint {
  return transfers
    .filter(({ standing }) => standing !== 'reverted')
    .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
}

/** Of what counts, beside the price; null where nothing is left over. What does not count waits among the unmatched payments. */
export function excessOf({ excessWei }: Pick<AdminOrder, 'excessWei'>): string | null {
  return BigInt(excessWei) > 0n ? itoAmount(excessWei) : null
}

const standingWords: Record<AdminOrder['transfers'][number]['standing'], string> = {
  counted: 'counted',
  unmatched: 'not counted',
  reverted: 'left the chain',
}

/** "28 ITO, not counted"; where it counts the amount alone. */
export function transferWords({ amountWei, standing }: AdminOrder['transfers'][number]): string {
  const amount = itoAmount(amountWei)
  return standing === 'counted' ? amount : `${amount}, ${standingWords[standing]}`
}
