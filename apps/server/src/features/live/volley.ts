import type { Socket } from 'node:net'
import { descriptorOf, writeTo } from './write-now.ts'

export interface Target {
  readonly socket: Socket
  /** For the socket's stream: what the kernel has not taken. */
  keep(bytes: Buffer): void
}

const SIZE = 64

/**
 * Writes to many sockets back to back, 64 at a time: first everything is looked up, then there is nothing but writes. Where something lies between two writes, the
 * other side runs dry and has to be woken for each of them, which costs more than what lies between. A target comes once, and nothing else may be written to it
 * until `flush`; both hold while no event is let in.
 */
export class Volley {
  readonly #descriptors = new Int32Array(SIZE)
  readonly #aimed: { target: Target; bytes: Buffer }[] = []
  readonly #wrote: () => void

  /** @param wrote told after each write */
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
