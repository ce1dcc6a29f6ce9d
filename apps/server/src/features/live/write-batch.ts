import type { Socket } from 'node:net'
import { descriptorOf, writeTo } from './write-now.ts'

export interface Target {
  readonly socket: Socket
  /** Queues in the socket's stream what the kernel did not accept. */
  keep(bytes: Buffer): void
}

const SIZE = 64

/**
 * Writes to many sockets back to back, in batches of 64. All lookups come first, so only writes
 * remain. Back-to-back writes keep the receiver awake; interleaved work costs one wake-up per
 * write, which is more than the work itself.
 * Each target may be added once per batch, and nothing else may write to it until `flush`. Callers
 * must not await in between.
 */
export class Volley {
  readonly #descriptors = new Int32Array(SIZE)
  readonly #aimed: { target: Target; bytes: Buffer }[] = []
  readonly #wrote: () => void

  /** @param wrote called after each write */
  constructor(wrote: () => void = () => {}) {
    this.#wrote = wrote
  }

  add(target: Target, bytes: Buffer): void {
    const descriptor = descriptorOf(target.socket)
    if (descriptor < 0) {
      target.keep(bytes)
      return
    }
    this.#descriptors[this.#aimed.length] = descriptor
    this.#aimed.push({ target, bytes })
    if (this.#aimed.length === SIZE) this.flush()
  }

  flush(): void {
    const aimed = this.#aimed.splice(0)
    aimed.forEach(({ target, bytes }, at) => {
      const rest = writeTo(this.#descriptors[at] ?? -1, bytes)
      if (rest) target.keep(rest)
      this.#wrote()
    })
  }
}
