import type { NotificationBus, Topic } from './db/notification-bus.ts'

interface Options {
  notifications: Pick<NotificationBus, 'on'>
  topic: Topic
  /**
   * Maximum age of the cached value. An older value is read again even without a notification,
   * because notifications can be lost.
   */
  maxAgeMs: number
  nowMs?: () => number
}

/**
 * Caches the result of `read` until a notification of the topic arrives. Do not use it for access
 * decisions: the notification arrives some milliseconds after the commit of another instance.
 */
export function cacheUntilNotified<Value>(
  { notifications, topic, maxAgeMs, nowMs = () => performance.now() }: Options,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let cached: { value: Value; atMs: number } | null = null
  let notificationCount = 0
  notifications.on(topic, () => {
    notificationCount += 1
    cached = null
  })
  return async () => {
    const atMs = nowMs()
    if (cached && atMs - cached.atMs < maxAgeMs) return cached.value
    const countBeforeRead = notificationCount
    const value = await read()
    // Do not cache the value if a notification arrived during the read: it may be outdated.
    if (notificationCount === countBeforeRead) cached = { value, atMs }
    return value
  }
}
