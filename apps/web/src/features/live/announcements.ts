import type { Announcement } from '../../stream/account-stream.ts'

type Listener = (announcement: Announcement) => void

let queue: Announcement[] = []
let currentListener: Listener | null = null

/**
 * Passes announcements from the stream to the notification code. The notification code is loaded
 * later than the stream, so announcements are queued until it listens.
 */
export const announcements = {
  push(announcement: Announcement): void {
    if (currentListener) currentListener(announcement)
    else queue.push(announcement)
  },

  /** Discards the queued announcements, because the next account must not get them. */
  clear(): void {
    queue = []
  },

  /**
   * Registers the listener, which replaces any other, and passes it the queued announcements.
   * Returns a function that unsubscribes.
   */
  listen(listener: Listener): () => void {
    currentListener = listener
    for (const announcement of queue.splice(0)) listener(announcement)
    return () => {
      if (currentListener === listener) currentListener = null
    }
  },
}
