import type { AdminUser } from '@tocsin/protocol'
import { formatCountOf } from '../../ui/count.ts'
import { shortenHex } from '../../ui/short-hex.ts'

type Person = Pick<AdminUser, 'name'> & Partial<Pick<AdminUser, 'email' | 'walletAddress'>>

/** Returns the name, else the email address, else the shortened wallet address. */
export function getDisplayName({ name, email, walletAddress }: Person): string {
  if (name.trim() !== '') return name
  if (email) return email
  return walletAddress ? shortenHex(walletAddress) : 'Unknown User'
}

export function formatHours(hours: number): string {
  return formatCountOf(hours, 'hour')
}
