import { browserStorage } from '../browser/browser-storage.ts'
import { call } from './api.ts'

/** The same key is used in public/theme.js. */
const storageKey = 'logoutPending'
/** Timeout of the calls that the guard of signed-in pages waits for. */
export const answerTimeoutMs = 10_000

/** True until the server confirms a logout. The session must not be used until then. */
export function isLogoutPending(): boolean {
  return browserStorage.getItem(storageKey) !== null
}

/** Marks the logout as pending for all tabs, across page loads. */
export function markLogoutPending(): void {
  browserStorage.setItem(storageKey, 'true')
}

/**
 * Calls the listener when another tab marks a logout as pending or removes that mark. The message
 * of `notifyOtherTabs` is not enough: it can arrive before the storage has changed, and this tab
 * would then keep its session. Returns a function that unsubscribes.
 */
export function onOtherTabsLogout(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === storageKey) listener()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

let runningLogout: Promise<void> | null = null

/**
 * Sends a pending logout to the server. Concurrent callers share one request.
 * @throws if the call fails or times out; the logout stays pending
 */
export async function endPendingLogout(): Promise<void> {
  if (!isLogoutPending()) return
  runningLogout ??= withTimeout((signal) => call('logout', { signal }))
    .then(forgetPendingLogout)
    .finally(() => {
      runningLogout = null
    })
  await runningLogout
}

/**
 * Ends the pending state: the server has confirmed the logout, or a new session has replaced the
 * old one.
 */
export function forgetPendingLogout(): void {
  browserStorage.removeItem(storageKey)
}

/** Runs `work` with a signal that aborts after the timeout, or when `outerSignal` aborts. */
export async function withTimeout<T>(work: (signal: AbortSignal) => Promise<T>, outerSignal?: AbortSignal): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort(outerSignal?.reason)
  const timer = setTimeout(
    () => controller.abort(new DOMException('No response in time', 'TimeoutError')),
    answerTimeoutMs,
  )
  outerSignal?.addEventListener('abort', abort)
  if (outerSignal?.aborted) abort()
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    outerSignal?.removeEventListener('abort', abort)
  }
}
