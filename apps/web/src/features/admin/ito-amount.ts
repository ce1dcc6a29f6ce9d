import { decimalSeparator, numberLocale } from '../../ui/locale.ts'

const weiPerIto = 10n ** 18n

/**
 * Formats an amount: "28 ITO", "1,284.5 ITO", "−2.5 ITO" with a minus sign (U+2212). Never rounds,
 * because amounts must match the chain.
 */
export function formatItoAmount(amountWei: string | bigint): string {
  const signed = BigInt(amountWei)
  const wei = signed < 0n ? -signed : signed
  const fraction = (wei % weiPerIto).toString().padStart(18, '0').replace(/0+$/, '')
  return `${signed < 0n ? '−' : ''}${(wei / weiPerIto).toLocaleString(numberLocale)}${fraction === '' ? '' : `${decimalSeparator}${fraction}`} ITO`
}
