import { readSubscriptionKeys } from '../browser/push-subscription.ts'
import type { ChangeEvent, ClickEvent, WindowClient, WorkerScope } from './worker-scope.ts'

const ICON = '/icon-192.png'
/** Action id of the button that opens the proof. */
const PROOF_ACTION = 'proof'
const ANSWER_TIMEOUT_MS = 300

interface ShownNotification {
  title: string
  body: string
  path: string
  proofPath: string | undefined
  tag: string
  /** Confirms this browser as a destination of push messages. Sent to the open pages. */
  code: string | undefined
}

/**
 * Shows push messages as notifications, opens their pages on a click, and shows the number of
 * notifications on the app's icon. Stores nothing.
 */
export function receivePush(worker: WorkerScope): void {
  worker.addEventListener('push', (event) => event.waitUntil(showNotification(worker, parseNotification(event.data))))
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close()
    event.waitUntil(Promise.all([openNotification(worker, event), updateBadge(worker)]))
  })
  worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription(worker, event)))
}

/**
 * Parses a push message. If the message is invalid, returns a general text, because browsers
 * require a notification for each push.
 */
function parseNotification(data: { json(): unknown } | null): ShownNotification {
  try {
    const { title, body, path, tag, proofPath, code } = Object(data?.json())
    const isText = [title, body, path, tag].every((value) => typeof value === 'string')
    if (isText) return { title, body, path, tag, proofPath: parseText(proofPath), code: parseText(code) }
  } catch {
    // Use the general text below.
  }
  const body = 'There is a new alert.'
  return { title: 'Tocsin', body, path: '/dashboard', tag: 'unknown', proofPath: undefined, code: undefined }
}

const parseText = (value: unknown) => (typeof value === 'string' ? value : undefined)

async function showNotification(
  worker: WorkerScope,
  { title, body, path, proofPath, tag, code }: ShownNotification,
): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (code !== undefined) for (const page of windows) page.postMessage({ type: 'push-code', code })
  // A focused page with a live stream shows a toast and plays a sound, so the notification is
  // silent.
  const focusedPage = windows.find(({ focused }) => focused)
  const silent = focusedPage !== undefined && (await hasLiveStream(focusedPage))
  // Browsers without notification buttons ignore them.
  const actions = proofPath === undefined ? [] : [{ action: PROOF_ACTION, title: 'Check proof' }]
  const data = { path, proofPath }
  await worker.registration.showNotification(title, { body, tag, silent, icon: ICON, badge: ICON, data, actions })
  await updateBadge(worker)
}

/** Asks the page. Pages without a live stream do not answer. */
async function hasLiveStream(page: WindowClient): Promise<boolean> {
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise<boolean>((resolve) => {
    port1.onmessage = () => resolve(true)
    setTimeout(() => resolve(false), ANSWER_TIMEOUT_MS)
  })
  page.postMessage({ type: 'is-live' }, [port2])
  return answer.finally(() => port1.close())
}

async function openNotification(worker: WorkerScope, { notification, action }: ClickEvent): Promise<void> {
  const { path, proofPath } = Object(notification.data)
  const { origin } = worker.location
  const url = new URL(parseText(action === PROOF_ACTION ? proofPath : path) ?? '/', origin)
  const target = url.origin === origin ? formatPath(url) : '/'
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shownPage = windows.find((page) => formatPath(new URL(page.url)) === target)
  // Open a new window and do not reuse another page, because a purchase may be in progress there.
  await (shownPage?.focus() ?? worker.clients.openWindow(target))
}

const formatPath = ({ pathname, search }: URL) => pathname + search

async function updateBadge({ registration, navigator }: WorkerScope): Promise<void> {
  const { length } = await registration.getNotifications()
  await (length === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(length))?.catch(() => {})
}

/**
 * Renews a changed subscription. Some browsers do not name the former subscription in the event.
 * For them, the next page that is opened renews the subscription.
 */
async function renewSubscription(
  worker: WorkerScope,
  { oldSubscription, newSubscription }: ChangeEvent,
): Promise<void> {
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
      subscription: readSubscriptionKeys(subscription),
    }),
  })
}
