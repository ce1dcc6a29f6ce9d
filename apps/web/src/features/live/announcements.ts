import type { Alert } from '@tocsin/protocol'

type Announcement = { kind: 'alert'; alert: Alert } | { kind: 'caught_up'; count: number }

/** What the stream has brought, on its way to whatever tells the reader. That is loaded late: until it listens, announcements wait here. */
class Announcements {
  #waiting: Announcement[] = []
  #listener: ((announcement: Announcement) => void) | null = null

  push(announcement: Announcement): void {
    if (this.#listener) this.#listener(announcement)
    else this.#waiting.push(announcement)
  }

  /** One listener at a time; it gets what waits first. Answers how to stop. */
  listen(listener: (announcement: Announcement) => void): () => void {
    this.#listener = listener
    for (const announcement of this.#waiting.splice(0)) listener(announcement)
    return () => {
      if (this.#listener === listener) this.#listener = null
    }
  }
}

export const announcements = new Announcements()
