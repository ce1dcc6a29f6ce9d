import { type Priority, priorities } from '@tocsin/protocol'

const gapMs = 3_000

/** At most one sound in three seconds. Of what comes in between, the gravest is heard at their end if it is graver than what was heard. */
export class SoundGate {
  #heard: Priority | null = null
  #waiting: Priority | null = null
  readonly #play: (priority: Priority) => void

  constructor(play: (priority: Priority) => void) {
    this.#play = play
  }

  offer(priority: Priority): void {
    if (this.#heard === null) this.#open(priority)
    else if (isGraver(priority, this.#waiting ?? this.#heard)) this.#waiting = priority
  }

  #open(priority: Priority): void {
    this.#heard = priority
    this.#play(priority)
    setTimeout(() => {
      const next = this.#waiting
      this.#heard = null
      this.#waiting = null
      if (next !== null) this.#open(next)
    }, gapMs)
  }
}

function isGraver(one: Priority, other: Priority): boolean {
  return priorities.indexOf(one) > priorities.indexOf(other)
}

/** Runs it in one of this browser's tabs: whichever is first keeps the others silent for the gap. */
export function inOneTab(run: () => void): void {
  // Without a secure context there are no locks: then each tab is heard.
  if (!navigator.locks) {
    run()
    return
  }
  void navigator.locks.request('tocsin.sound', { ifAvailable: true }, async (lock) => {
    if (!lock) return
    run()
    await new Promise((done) => setTimeout(done, gapMs - 500))
  })
}
