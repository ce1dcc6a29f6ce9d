import { onlineManager } from '@tanstack/react-query'
import { isOfflinePage } from './use-online.ts'

const INTERVAL_MS = 3000
const TIMEOUT_MS = 10_000

let isProbing = false

/**
 * Checks whether the server answers. If it does, and the service worker opened this page because
 * the server did not answer before, marks the page as online and dispatches the `online` event.
 * Does nothing while an earlier call waits for the server.
 */
export async function probeServer(): Promise<void> {
  if (isProbing) return
  isProbing = true
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch('/api/config', { cache: 'no-store', signal }).catch(() => null)
  isProbing = false
  if (!response?.ok || !isOfflinePage()) return
  delete document.documentElement.dataset.offline
  window.dispatchEvent(new Event('online'))
}

/**
 * Calls `probeServer` every three seconds. Queries are paused until the server answers.
 * @returns a function that stops the calls
 */
export function awaitServer(): () => void {
  onlineManager.setOnline(false)
  const probe = () => void probeServer()
  const timer = setInterval(probe, INTERVAL_MS)
  window.addEventListener('online', probe)
  return () => {
    clearInterval(timer)
    window.removeEventListener('online', probe)
  }
}
