import { decimalSign, numberLocale } from '../../ui/locale.ts'

const base = 10n ** 18n

/**
 * Formats an amount: "28 ITO", "1,284.5 ITO". Never rounds, because amounts must match the chain.
 */
export function itoAmount(amountWei: string | bigint): string {
  const wei = BigInt(amountWei)
  const fraction = (wei % base).toString().padStart(18, '0').replace(/0+$/, '')
  return `${(wei / base).toLocaleString(numberLocale)}${fraction === '' ? '' : `${decimalSign}${fraction}`} ITO`
}
