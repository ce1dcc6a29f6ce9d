import { formatCount } from '../ui/count.ts'
import { decimalSeparator } from '../ui/locale.ts'

const decimals = 18n
const weiPerToken = 10n ** decimals

/**
 * Formats base units with en-US grouping and a fixed number of decimals, for example "1,284.50".
 * Use 'down' for amounts that a user can spend, so that they are never overstated.
 */
export function formatAmount(amountWei: bigint, fractionDigits: number, round: 'half-up' | 'down' = 'half-up'): string {
  const scale = 10n ** (decimals - BigInt(fractionDigits))
  const units = (amountWei + (round === 'half-up' ? scale / 2n : 0n)) / scale
  const perToken = weiPerToken / scale
  const wholeText = formatCount(units / perToken)
  if (fractionDigits === 0) return wholeText
  return `${wholeText}${decimalSeparator}${(units % perToken).toString().padStart(fractionDigits, '0')}`
}

/**
 * Formats an estimated fee with two significant digits, for example "0.0004" or "0.013". Rounds up,
 * so that the wallet does not show a higher fee than this page.
 */
export function formatFee(amountWei: bigint): string {
  if (amountWei <= 0n) return '0'
  const digits = amountWei.toString().length
  const step = 10n ** BigInt(Math.max(0, digits - 2))
  const roundedWei = ((amountWei + step - 1n) / step) * step
  const fraction = (roundedWei % weiPerToken).toString().padStart(Number(decimals), '0').replace(/0+$/, '')
  return fraction ? `${roundedWei / weiPerToken}${decimalSeparator}${fraction}` : (roundedWei / weiPerToken).toString()
}
