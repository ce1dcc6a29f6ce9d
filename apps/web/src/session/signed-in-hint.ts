import type { Preferences, SessionUser } from '@tocsin/protocol'
import { isLogoutPending } from '../api/pending-logout.ts'
import { browserStorage } from '../browser/browser-storage.ts'
import { readStoredRecord, store } from '../browser/stored-json.ts'

/**
 * The last signed-in user, stored in this browser. A hint for rendering only; it grants no access.
 */
export interface SignedInHint {
  name: string
  isAdmin: boolean
}

export function readHint(): SignedInHint | null {
  if (browserStorage.getItem('userAuth') !== 'true' || isLogoutPending()) return null
  const { name } = readStoredRecord('userData')
  return typeof name === 'string' ? { name, isAdmin: browserStorage.getItem('adminAuth') === 'true' } : null
}

export function writeHint({ email, name, isAdmin }: SessionUser): void {
  browserStorage.setItem('userAuth', 'true')
  store('userData', { email, name })
  if (isAdmin) browserStorage.setItem('adminAuth', 'true')
  else browserStorage.removeItem('adminAuth')
}

type TimeHint = Pick<Preferences, 'timeZone' | 'hourCycle'>

/**
 * Time zone and clock of the last signed-in user, for pages that open without a network. Null if
 * none is stored.
 */
export function readTimeHint(): TimeHint | null {
  const { timeZone, hourCycle } = readStoredRecord('userTimes')
  return typeof timeZone === 'string' && (hourCycle === '12' || hourCycle === '24') ? { timeZone, hourCycle } : null
}

export function writeTimeHint({ timeZone, hourCycle }: TimeHint): void {
  store('userTimes', { timeZone, hourCycle })
}

export function clearHint(): void {
  browserStorage.removeItem('userAuth')
  browserStorage.removeItem('userData')
  browserStorage.removeItem('userTimes')
}
