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

/** Shows a toast with the result of a user action. It replaces the toast that is shown, if any. */
export function toast(message: SystemToast): void {
  systemToasts.add(message)
}

/** A navigation closes a toast only after it has been open this long, so that it can be read. */
const minShownMs = 3000
/**
 * A navigation does not close a toast that is younger than this, because the toast reports the
 * action that caused the navigation.
 */
const minDismissAgeMs = 1000

/**
 * Call on navigation. Closes a toast of the previous page when it has been open for `minShownMs`.
 * Keeps a toast that is younger than `minDismissAgeMs`.
 */
export function dismissToastsOnNavigation(): void {
  for (const { key, open, addedAtMs } of systemToasts.snapshot().shown) {
    const ageMs = performance.now() - addedAtMs
    if (open && ageMs >= minDismissAgeMs) setTimeout(() => systemToasts.close(key), Math.max(0, minShownMs - ageMs))
  }
}
