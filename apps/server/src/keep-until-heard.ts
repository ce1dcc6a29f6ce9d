import type { Topic, Wake } from './db/wake.ts'

interface Options {
  wake: Pick<Wake, 'on'>
  topic: Topic
  /** Age from which the value is read again in any case, because notifications can be lost. */
  mostMs: number
  nowMs?: () => number
}

/**
 * Caches the result of `read` until a notification of the topic arrives. Do not use it for access
 * decisions: the notification arrives some milliseconds after the commit of another instance.
 */
export function keepUntilHeard<Value>(
  { wake, topic, mostMs, nowMs = () => performance.now() }: Options,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let kept: { value: Value; atMs: number } | null = null
  let heard = 0
  wake.on(topic, () => {
    heard += 1
    kept = null
  })
  return async () => {
    const atMs = nowMs()
    if (kept && atMs - kept.atMs < mostMs) return kept.value
    const before = heard
    const value = await read()
    // What was read before a notification may be what it replaces.
    if (heard === before) kept = { value, atMs }
    return value
  }
}
