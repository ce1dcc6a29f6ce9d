import { decimalSign, numberLocale } from '../ui/locale.ts'

const decimals = 18n
const base = 10n ** decimals

/**
 * Base units as people read them, "1,284.50": en-US grouping, a fixed number of decimals. Rounds
 * half up, or down for what one may spend.
 */
export function formatAmount(amountWei: bigint, fractionDigits: number, round: 'half-up' | 'down' = 'half-up'): string {
  const scale = 10n ** (decimals - BigInt(fractionDigits))
  const units = (amountWei + (round === 'half-up' ? scale / 2n : 0n)) / scale
  const perToken = base / scale
  const whole = (units / perToken).toLocaleString(numberLocale)
  if (fractionDigits === 0) return whole
  return `${whole}${decimalSign}${(units % perToken).toString().padStart(fractionDigits, '0')}`
}

/**
 * A fee with up to three figures that count: "0.0004", "0.0123". Rounds up: nobody is asked for
 * more than was said.
 */
export function formatFee(amountWei: bigint): string {
  if (amountWei <= 0n) return '0'
  const digits = amountWei.toString().length
  const step = 10n ** BigInt(Math.max(0, digits - 2))
  const rounded = ((amountWei + step - 1n) / step) * step
  const fraction = (rounded % base).toString().padStart(Number(decimals), '0').replace(/0+$/, '')
  return fraction ? `${rounded / base}${decimalSign}${fraction}` : (rounded / base).toString()
}
