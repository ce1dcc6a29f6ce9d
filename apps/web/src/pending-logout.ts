import { call } from './api.ts'
import { browserStorage } from './browser-storage.ts'

/** The same key as in public/theme.js. */
const storageKey = 'logoutPending'

/** True while somebody has logged out here and the server has not confirmed it: then no session of this browser may be used. */
export function isLogoutPending(): boolean {
  return browserStorage.getItem(storageKey) !== null
}

/** From now on, until the server has confirmed it: for this page, for other tabs and for the next load. */
export function markLogoutPending(): void {
  browserStorage.setItem(storageKey, 'true')
}

/** Makes the call of a pending logout. @throws when it fails: then it stays pending */
export async function endPendingLogout(): Promise<void> {
  if (!isLogoutPending()) return
  await call('logout')
  forgetPendingLogout()
}

/** A new session has taken the place of the one that was to be ended. */
export function forgetPendingLogout(): void {
  browserStorage.removeItem(storageKey)
}
