import { useSyncExternalStore } from 'react'
import { Observable } from '../browser/observable.ts'

/** `addedAtMs` is a `performance.now()` time. */
export type QueuedToast<Item> = { key: number; item: Item; open: boolean; addedAtMs: number }
type State<Item> = { shown: readonly QueuedToast<Item>[]; droppedCount: number }

/** Delay after which a closed toast is unmounted, so that it can fade out. */
const removeDelayMs = 1000

/** The toasts of one region, newest first. Lives outside React so that any code can add to it. */
export class ToastQueue<Item> extends Observable {
  #state: State<Item> = { shown: [], droppedCount: 0 }
  #lastKey = 0
  readonly #limit: number

  /** @param limit maximum number of open toasts; adding one more drops the oldest */
  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  add(item: Item): number {
    this.#lastKey += 1
    const key = this.#lastKey
    const openEntries = [
      { key, item, open: true, addedAtMs: performance.now() },
      ...this.#state.shown.filter((entry) => entry.open),
    ]
    const shown = openEntries.slice(0, this.#limit)
    const wasIdle = openEntries.length === 1
    const droppedCount = (wasIdle ? 0 : this.#state.droppedCount) + openEntries.length - shown.length
    this.#set({ shown, droppedCount })
    return key
  }

  close(key: number): void {
    const shown = this.#state.shown.map((entry) => (entry.key === key ? { ...entry, open: false } : entry))
    const droppedCount = shown.some((entry) => entry.open) ? this.#state.droppedCount : 0
    this.#set({ shown, droppedCount })
    setTimeout(() => this.#remove(key), removeDelayMs)
  }

  clear(): void {
    this.#set({ shown: [], droppedCount: 0 })
  }

  snapshot = (): State<Item> => this.#state

  #remove(key: number): void {
    this.#set({ ...this.#state, shown: this.#state.shown.filter((entry) => entry.key !== key) })
  }

  #set(state: State<Item>): void {
    this.#state = state
    this.notify()
  }
}

export function useToastQueue<Item>(queue: ToastQueue<Item>): State<Item> {
  return useSyncExternalStore(queue.subscribe, queue.snapshot)
}
