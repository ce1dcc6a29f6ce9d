import type { BrowserContext, CDPSession, Page, Worker } from '@playwright/test'
import { decryptPush, startPushService } from '@tocsin/testkit/push-service'

export interface PushDevice {
  /** From now on, messages are delivered to the service worker of this page. */
  connect(page: Page): Promise<void>
  /** Bodies of the notifications that the service worker has shown. */
  shown(): Promise<string[]>
  /** Decrypted messages, in order. */
  messages: string[]
  close(): void
}

/**
 * Gives pages of the context a local push service, because headless Chromium has none. The product
 * sends to it as to any other push service. The messages are decrypted by RFC 8291 and passed to
 * the real service worker as push events.
 */
export async function startPushDevice(context: BrowserContext, origin: string): Promise<PushDevice> {
  const messages: string[] = []
  let worker: { session: CDPSession; registrationId: string; scope: Worker } | null = null
  const service = await startPushService(({ path, body }) => {
    if (path !== device.path) return
    const data = decryptPush(device.keys, body)
    messages.push(data)
    const { session, registrationId } = worker ?? {}
    if (registrationId) void session?.send('ServiceWorker.deliverPushMessage', { registrationId, origin, data })
  })
  const device = service.subscribe()
  await context.grantPermissions(['notifications'], { origin })
  await context.addInitScript(stubPushManager, device.subscription)
  return {
    messages,
    async connect(page) {
      const session = await context.newCDPSession(page)
      const pendingRegistrationId = new Promise<string>((resolve) => {
        session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const ownRegistration = registrations.find(
            ({ scopeURL, isDeleted }) => scopeURL.startsWith(origin) && !isDeleted,
          )
          if (ownRegistration) resolve(ownRegistration.registrationId)
        })
      })
      await session.send('ServiceWorker.enable')
      const scope = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
      await scope.evaluate(keepNotifications)
      worker = { session, registrationId: await pendingRegistrationId, scope }
    },
    shown: () => worker?.scope.evaluate('shown') ?? Promise.resolve([]),
    close: () => service.close(),
  }
}

/**
 * Runs in the service worker. Records notifications, because headless Chromium does not show or
 * store them. Replaces the badge functions, because headless Chromium has no icon with a badge and
 * ends a worker that calls them.
 */
function keepNotifications(): void {
  const shownNotifications: string[] = []
  Object.assign(globalThis, { shown: shownNotifications })
  Object.assign(navigator, { setAppBadge: async () => {}, clearAppBadge: async () => {} })
  const { registration }: { registration: { showNotification: unknown } } = Object(globalThis)
  registration.showNotification = async (_title: string, { body }: { body: string }) =>
    void shownNotifications.push(body)
}

/** Runs in the page. */
function stubPushManager({ endpoint, p256dh, auth }: { endpoint: string; p256dh: string; auth: string }): void {
  const subscription = {
    endpoint,
    options: {},
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    unsubscribe: async () => localStorage.removeItem('stub-push') ?? true,
  }
  Object.assign(PushManager.prototype, {
    async subscribe() {
      localStorage.setItem('stub-push', 'on')
      return subscription
    },
    getSubscription: async () => (localStorage.getItem('stub-push') === null ? null : subscription),
  })
  Notification.requestPermission = async () => 'granted'
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
}
