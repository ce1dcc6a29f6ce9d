import { z } from 'zod'
import { ApiError, call } from '../../api/api.ts'
import { browserStorage } from '../../browser/browser-storage.ts'
import { readSubscriptionKeys } from '../../browser/push-subscription.ts'
import { readStoredValue, store } from '../../browser/stored-json.ts'
import { createAlertPath } from '../../paths.ts'

const STORAGE_KEY = 'push-device'
/** The destination of this browser, and its push subscription as the server knows it. */
const deviceSchema = z.object({
  accountId: z.string(),
  destinationId: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  serverKey: z.string(),
})
type Device = z.infer<typeof deviceSchema>

/**
 * Whether this browser supports web push. `install`: the user must first add the app to the Home
 * Screen, because iOS supports web push only in such apps.
 */
export type PushSupport = 'ready' | 'denied' | 'install' | 'unsupported'

export function getPushSupport(): PushSupport {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  if (!hasPush) return isIos() ? 'install' : 'unsupported'
  return Notification.permission === 'denied' ? 'denied' : 'ready'
}

/**
 * Returns whether the device runs iOS. iPads identify themselves as Macs, but have a touchscreen.
 */
const isIos = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

/** Returns a name for this browser, for example "Chrome on Android". */
export function createDeviceName(userAgent = navigator.userAgent): string {
  const findName = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = findName([
    [/Edg/, 'Edge'],
    [/OPR|Opera/, 'Opera'],
    [/Firefox|FxiOS/, 'Firefox'],
    [/Chrome|CriOS/, 'Chrome'],
    [/Safari/, 'Safari'],
  ])
  const system = findName([
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Windows/, 'Windows'],
    [/Macintosh/, 'Mac'],
    [/CrOS/, 'ChromeOS'],
    [/Linux/, 'Linux'],
  ])
  return [browser ?? 'Browser', system].filter((part) => part !== undefined).join(' on ')
}

/** Returns the id of the account's destination for this browser, or null. */
export function findOwnDestinationId(accountId: string): string | null {
  const device = readDevice()
  return device?.accountId === accountId ? device.destinationId : null
}

function readDevice(): Device | null {
  return deviceSchema.safeParse(readStoredValue(STORAGE_KEY)).data ?? null
}

/** An error whose message is shown to the user. */
export class PushRefused extends Error {}

/**
 * Asks for permission and replaces the push subscription of the browser, so that a subscription of
 * another account ends. Call it from a click handler, because browsers ask for the permission only
 * after a click.
 * @throws PushRefused
 */
export async function subscribePush(serverKey: string): Promise<PushSubscription> {
  await requestPermission()
  return subscribeAgain(serverKey)
}

async function requestPermission(): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted')
    throw new PushRefused(
      'This browser does not allow notifications from this site. Allow them in the browser settings, then try again.',
    )
}

async function subscribeAgain(serverKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  try {
    await (await pushManager.getSubscription())?.unsubscribe()
    const applicationServerKey = Uint8Array.from(atob(toBase64(serverKey)), (character) => character.charCodeAt(0))
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw new PushRefused(`The push service of this browser could not be reached. ${reason}`.trim())
  }
}

const toBase64 = (base64url: string) => base64url.replaceAll('-', '+').replaceAll('_', '/')

export function rememberDevice(
  ids: Pick<Device, 'accountId' | 'destinationId'>,
  subscription: PushSubscription,
  serverKey: string,
): void {
  const { endpoint, p256dh } = readSubscriptionKeys(subscription)
  store(STORAGE_KEY, { ...ids, endpoint, p256dh, serverKey } satisfies Device)
}

/** Ends the push subscription of this browser. */
export async function unsubscribeDevice(): Promise<void> {
  browserStorage.removeItem(STORAGE_KEY)
  if (!('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager?.getSubscription())?.unsubscribe()
}

/**
 * Renews the push subscription if its endpoint or key, or the key of the server, has changed since
 * this browser last reported it. Browsers replace subscriptions without telling the page.
 * @param isForced for a click of the user: asks for the permission, and replaces the subscription
 *   even if it is unchanged
 * @throws PushRefused
 */
export async function renewDevice(accountId: string, serverKey: string, isForced = false): Promise<void> {
  const device = readDevice()
  if (device?.accountId !== accountId) return
  if (isForced) await requestPermission()
  if (getPushSupport() !== 'ready' || Notification.permission !== 'granted') return
  const { pushManager } = await navigator.serviceWorker.ready
  const currentSubscription = await pushManager.getSubscription()
  const hasSameKey = device.serverKey === serverKey
  const { endpoint, p256dh } = currentSubscription ? readSubscriptionKeys(currentSubscription) : {}
  if (!isForced && hasSameKey && endpoint === device.endpoint && p256dh === device.p256dh) return
  const subscription =
    currentSubscription && hasSameKey && !isForced ? currentSubscription : await subscribeAgain(serverKey)
  // Try both endpoints: if the service worker has renewed the subscription, the server knows only
  // the new one.
  for (const previousEndpoint of [device.endpoint, subscription.endpoint]) {
    try {
      await call('renewPush', { body: { previousEndpoint, subscription: readSubscriptionKeys(subscription) } })
      return rememberDevice(device, subscription, serverKey)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'not_found')) throw error
    }
  }
  await unsubscribeDevice()
}

/**
 * Closes the displayed push messages of acknowledged alerts.
 * @param readAcknowledged called only if push messages are displayed
 */
export async function closePushes(readAcknowledged: () => Promise<{ logIndex: number }[]>): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.getRegistration()
  const shownNotifications = (await registration?.getNotifications()) ?? []
  if (shownNotifications.length === 0) return
  const paths = (await readAcknowledged()).map(({ logIndex }) => createAlertPath(logIndex))
  for (const notification of shownNotifications)
    if (paths.includes(Object(notification.data).path)) notification.close()
}

/**
 * Calls the listener with the code of a push message that confirms this browser. Returns a function
 * that removes the listener.
 */
export function onPushCode(listener: (code: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {}
  const { serviceWorker } = navigator
  const onMessage = ({ data }: MessageEvent) => {
    const { type, code } = Object(data)
    if (type === 'push-code' && typeof code === 'string') listener(code)
  }
  serviceWorker.addEventListener('message', onMessage)
  return () => serviceWorker.removeEventListener('message', onMessage)
}
