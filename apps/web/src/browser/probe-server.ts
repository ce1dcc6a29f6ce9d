import { onlineManager } from '@tanstack/react-query'
import { isOfflinePage } from './use-online.ts'

const INTERVAL_MS = 3000

/**
 * Checks whether the server answers. If it does, and the service worker opened this page because
 * the server did not answer before, marks the page as online and dispatches the `online` event.
 */
export async function probeServer(): Promise<void> {
  const response = await fetch('/api/config', { cache: 'no-store' }).catch(() => null)
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
