import type { ReactNode } from 'react'
import { ToastQueue } from './toast-queue.ts'

export type SystemToast = {
  title: string
  description?: string
  variant?: 'default' | 'destructive' | 'success'
  /** One link or button; it must be reachable elsewhere too, since the toast goes away. */
  action?: ReactNode
}

export const systemToasts = new ToastQueue<SystemToast>(1)

/** Says how something the user did came out. One at a time: a new one takes the place of the old. */
export function toast(message: SystemToast): void {
  systemToasts.add(message)
}

/** Long enough to read one. */
const readMs = 3000
/** One that came just before is about what led away from here. */
const ownStepMs = 1000

/** The place that toasts are about is left: each goes as soon as it can have been read, unless it tells of this very step. */
export function leaveToasts(): void {
  for (const { key, open, addedAtMs } of systemToasts.snapshot().shown) {
    const ageMs = performance.now() - addedAtMs
    if (open && ageMs >= ownStepMs) setTimeout(() => systemToasts.close(key), Math.max(0, readMs - ageMs))
  }
}
