import type { Alert } from '@tocsin/protocol'

type Announcement = { kind: 'alert' | 'outcome'; alert: Alert } | { kind: 'caught_up'; count: number }

/**
 * Passes announcements from the stream to the notification code. The notification code is loaded
 * later than the stream, so announcements are queued until it listens.
 */
class Announcements {
  #queue: Announcement[] = []
  #listener: ((announcement: Announcement) => void) | null = null

  push(announcement: Announcement): void {
    if (this.#listener) this.#listener(announcement)
    else this.#queue.push(announcement)
  }

  /**
   * Registers the listener, which replaces any other, and passes it the queued announcements.
   * Returns a function that unsubscribes.
   */
  listen(listener: (announcement: Announcement) => void): () => void {
    this.#listener = listener
    for (const announcement of this.#queue.splice(0)) listener(announcement)
    return () => {
      if (this.#listener === listener) this.#listener = null
    }
  }
}

export const announcements = new Announcements()
