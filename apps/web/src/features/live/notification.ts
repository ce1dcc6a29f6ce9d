import { useSyncExternalStore } from 'react'

/** `unsupported`: no such thing in this browser, or only for pages that came over HTTPS or are installed. */
export type NotificationState = 'granted' | 'default' | 'denied' | 'unsupported'

const listeners = new Set<() => void>()
let isBroken = false

function notificationState(): NotificationState {
  return 'Notification' in globalThis && !isBroken ? Notification.permission : 'unsupported'
}

/** Asks the person, from a click. */
export async function askForNotifications(): Promise<NotificationState> {
  if ('Notification' in globalThis) await Notification.requestPermission()
  for (const listener of listeners) listener()
  return notificationState()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // People change it in the browser's own settings and come back.
  addEventListener('focus', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('focus', listener)
  }
}

export function useNotificationState(): NotificationState {
  return useSyncExternalStore(subscribe, notificationState)
}

type Message = {
  title: string
  body: string
  /** Several tabs that show the same make one notification. */
  tag: string
  onClick: () => void
}

/** Shows a notification of the browser's own; a click brings this tab to the front. Answers whether it could be shown. */
export function showNotification({ title, body, tag, onClick }: Message): boolean {
  if (notificationState() !== 'granted') return false
  try {
    const notification = new Notification(title, { body, tag, icon: '/touch-icon.png' })
    notification.onclick = () => {
      window.focus()
      notification.close()
      onClick()
    }
    return true
  } catch {
    // Some browsers have the permission and let only service workers use it.
    isBroken = true
    for (const listener of listeners) listener()
    return false
  }
}
