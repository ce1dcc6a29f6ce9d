import type { Priority } from '@tocsin/protocol'
import { comparePriorities } from './attention.ts'

const intervalMs = 3_000

/**
 * Limits sounds to one every three seconds. If an alert with a higher priority arrives earlier, its
 * sound is played at the end of the three seconds.
 */
export class SoundLimiter {
  #lastPlayed: Priority | null = null
  #waiting: Priority | null = null
  readonly #play: (priority: Priority) => void

  constructor(play: (priority: Priority) => void) {
    this.#play = play
  }

  requestSound(priority: Priority): void {
    if (this.#lastPlayed === null) this.#start(priority)
    else if (comparePriorities(priority, this.#waiting ?? this.#lastPlayed) > 0) this.#waiting = priority
  }

  #start(priority: Priority): void {
    this.#lastPlayed = priority
    this.#play(priority)
    setTimeout(() => {
      const nextPriority = this.#waiting
      this.#lastPlayed = null
      this.#waiting = null
      if (nextPriority !== null) this.#start(nextPriority)
    }, intervalMs)
  }
}

/**
 * Plays a sound in only one tab of this browser: the first tab that can play sound and requests the
 * lock. That tab holds the lock until shortly before the next sound, so that the other tabs stay
 * silent for the same alert.
 */
export async function playInOneTab(canPlay: () => Promise<boolean>, play: () => Promise<void>): Promise<void> {
  // Check this before the request: a tab whose sound the browser blocks must not take the lock.
  if (!(await canPlay())) return
  // Locks need a secure context. Without them every tab plays the sound.
  if (!navigator.locks) return play()
  await navigator.locks.request('tocsin.sound', { ifAvailable: true }, async (lock) => {
    if (!lock) return
    await play()
    await new Promise((done) => setTimeout(done, intervalMs - 500))
  })
}
