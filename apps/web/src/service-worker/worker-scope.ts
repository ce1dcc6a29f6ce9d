/**
 * The part of the service worker API that the worker uses. TypeScript's own types for service
 * workers conflict with its types for pages, which the rest of the app needs.
 */
export interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void
  addEventListener(type: 'pushsubscriptionchange', listener: (event: ChangeEvent) => void): void
  skipWaiting(): Promise<void>
  readonly clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowClient[]>
    openWindow(path: string): Promise<unknown>
  }
  readonly registration: {
    readonly navigationPreload?: { enable(): Promise<void> }
    readonly pushManager: PushManager
    showNotification(title: string, options: ShownOptions): Promise<void>
    getNotifications(): Promise<unknown[]>
  }
  readonly navigator: {
    setAppBadge?(count: number): Promise<void>
    clearAppBadge?(): Promise<void>
  }
  readonly location: { readonly origin: string }
}

/** TypeScript's DOM types lack the buttons of notifications. */
interface ShownOptions extends NotificationOptions {
  badge: string
  actions: { action: string; title: string }[]
}

export interface WindowClient {
  readonly url: string
  readonly focused: boolean
  focus(): Promise<unknown>
  postMessage(message: unknown, transfer?: MessagePort[]): void
}

interface LifeEvent {
  waitUntil(work: Promise<unknown>): void
}

interface RequestEvent extends LifeEvent {
  readonly request: Request
  readonly preloadResponse?: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}

interface PushEvent extends LifeEvent {
  readonly data: { json(): unknown } | null
}

export interface ClickEvent extends LifeEvent {
  /** The id of the button that was pressed. Empty if the notification itself was pressed. */
  readonly action: string
  readonly notification: { readonly data: unknown; close(): void }
}

export interface ChangeEvent extends LifeEvent {
  /** Both subscriptions are optional, because some browsers omit them. */
  readonly oldSubscription?: PushSubscription | null
  readonly newSubscription?: PushSubscription | null
}
