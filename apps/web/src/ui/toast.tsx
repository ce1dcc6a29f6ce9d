import type { ReactNode } from 'react'
import { ToastQueue } from './toast-queue.ts'

export type SystemToast = {
  title: string
  description?: string
  variant?: 'default' | 'destructive' | 'success'
  /**
   * One link or button. The action must also be available elsewhere, since the toast disappears.
   */
  action?: ReactNode
}

export const systemToasts = new ToastQueue<SystemToast>(1)

/** Reports the result of a user action. Only one is shown; a new one replaces it. */
export function toast(message: SystemToast): void {
  systemToasts.add(message)
}

/** A navigation closes a toast only after it has been open this long, so that it can be read. */
const readMs = 3000
/** A toast that is younger than this is about the action that caused the navigation. */
const navigationToastMs = 1000

/**
 * Call on navigation. Closes toasts about the previous page once they were open for `readMs`,
 * except a toast about the navigation itself.
 */
export function dismissReadToasts(): void {
  for (const { key, open, addedAtMs } of systemToasts.snapshot().shown) {
    const ageMs = performance.now() - addedAtMs
    if (open && ageMs >= navigationToastMs) setTimeout(() => systemToasts.close(key), Math.max(0, readMs - ageMs))
  }
}
