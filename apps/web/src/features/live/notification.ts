import { useSyncExternalStore } from 'react'

/**
 * `unsupported`: the browser has no notifications, or has them only for HTTPS pages or installed
 * apps.
 */
export type NotificationState = 'granted' | 'default' | 'denied' | 'unsupported'

const listeners = new Set<() => void>()
let hasFailed = false

function getNotificationState(): NotificationState {
  return 'Notification' in globalThis && !hasFailed ? Notification.permission : 'unsupported'
}

/** Asks the user for the permission. Must be called from a click handler. */
export async function askForNotifications(): Promise<NotificationState> {
  if ('Notification' in globalThis) await Notification.requestPermission()
  for (const listener of listeners) listener()
  return getNotificationState()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // On focus, read the permission again: the user may have changed it in the settings of the
  // browser.
  addEventListener('focus', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('focus', listener)
  }
}

export function useNotificationState(): NotificationState {
  return useSyncExternalStore(subscribe, getNotificationState)
}

type Message = {
  title: string
  body: string
  /** Notifications with the same tag replace each other, even across tabs. */
  tag: string
  onClick: () => void
}

/**
 * Shows a browser notification. A click on it focuses this tab. Returns false if the notification
 * could not be shown.
 */
export function showNotification({ title, body, tag, onClick }: Message): boolean {
  if (getNotificationState() !== 'granted') return false
  try {
    const notification = new Notification(title, { body, tag, icon: '/touch-icon.png' })
    notification.onclick = () => {
      window.focus()
      notification.close()
      onClick()
    }
    return true
  } catch {
    // Some browsers grant the permission, but let only service workers show notifications.
    hasFailed = true
    for (const listener of listeners) listener()
    return false
  }
}
