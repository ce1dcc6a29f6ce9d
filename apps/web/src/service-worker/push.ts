import { subscriptionKeys } from '../browser/push-subscription.ts'
import type { ChangeEvent, WorkerScope } from './worker-scope.ts'

const ICON = '/icon-192.png'

interface Shown {
  title: string
  body: string
  path: string
  tag: string
  /** Confirms this browser. */
  code: string | undefined
}

/**
 * Shows push messages, opens what they are about, and counts them on the app's icon. Stores
 * nothing.
 */
export function receivePush(worker: WorkerScope): void {
  worker.addEventListener('push', (event) => event.waitUntil(show(worker, read(event.data))))
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(Promise.all([open(worker, event.notification.data), updateBadge(worker)]))
  })
  worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(worker, event)))
}

/** Browsers require a notification for each push, so one that cannot be read is shown too. */
function read(data: { json(): unknown } | null): Shown {
  try {
    const { title, body, path, tag, code } = Object(data?.json())
    const isText = [title, body, path, tag].every((value) => typeof value === 'string')
    if (isText) return { title, body, path, tag, code: typeof code === 'string' ? code : undefined }
  } catch {
    // Shown as below.
  }
  return { title: 'Tocsin', body: 'There is a new alert.', path: '/dashboard', tag: 'unknown', code: undefined }
}

async function show(worker: WorkerScope, { title, body, path, tag, code }: Shown): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (code !== undefined) for (const page of windows) page.postMessage({ type: 'push-code', code })
  // A page that is in front has its own toast and sound.
  const silent = windows.some(({ focused }) => focused)
  await worker.registration.showNotification(title, { body, tag, silent, icon: ICON, badge: ICON, data: { path } })
  await updateBadge(worker)
}

async function open(worker: WorkerScope, data: unknown): Promise<void> {
  const { path } = Object(data)
  const { origin } = worker.location
  const url = new URL(typeof path === 'string' ? path : '/', origin)
  const target = url.origin === origin ? url.pathname : '/'
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find((page) => new URL(page.url).pathname === target)
  // A new window: another page may be in the middle of a purchase.
  await (shown?.focus() ?? worker.clients.openWindow(target))
}

async function updateBadge({ registration, navigator }: WorkerScope): Promise<void> {
  const { length } = await registration.getNotifications()
  await (length === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(length))?.catch(() => {})
}

/** Some browsers name the former subscription. Otherwise the next page that opens renews it. */
async function renew(worker: WorkerScope, { oldSubscription, newSubscription }: ChangeEvent): Promise<void> {
  if (!oldSubscription) return
  const { applicationServerKey } = oldSubscription.options
  const subscription =
    newSubscription ??
    (await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }))
  await fetch('/api/channels/push-subscription', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      previousEndpoint: oldSubscription.endpoint,
      subscription: subscriptionKeys(subscription),
    }),
  })
}
