import { call } from './api.ts'
import { browserStorage } from './browser-storage.ts'

/** Also used by public/theme.js. */
const storageKey = 'logoutPending'

/**
 * True after a logout that the server has not confirmed. The session must not be used meanwhile.
 */
export function isLogoutPending(): boolean {
  return browserStorage.getItem(storageKey) !== null
}

/** Marks the logout as pending for all tabs, across page loads. */
export function markLogoutPending(): void {
  browserStorage.setItem(storageKey, 'true')
}

/**
 * Sends a pending logout to the server.
 * @throws if the call fails; the logout stays pending
 */
export async function endPendingLogout(): Promise<void> {
  if (!isLogoutPending()) return
  await call('logout')
  forgetPendingLogout()
}

/** Clears the mark: the logout was confirmed, or a new session replaced the old one. */
export function forgetPendingLogout(): void {
  browserStorage.removeItem(storageKey)
}
