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
