import type { AdminUser } from '@tocsin/protocol'
import { numberLocale } from '../../ui/locale.ts'
import { shortenHex } from '../../ui/short-hex.ts'

/** Returns the name, else the email address, else the shortened wallet address. */
export function getDisplayName({
  name,
  email,
  walletAddress,
}: Pick<AdminUser, 'name' | 'email' | 'walletAddress'>): string {
  if (name.trim() !== '') return name
  if (email) return email
  return walletAddress ? shortenHex(walletAddress) : 'Unknown User'
}

export function formatHours(hours: number): string {
  return `${hours.toLocaleString(numberLocale)} ${hours === 1 ? 'hour' : 'hours'}`
}
