import type { Socket } from 'node:net'
import { getDescriptor, writeTo } from './write-now.ts'

export interface WriteTarget {
  readonly socket: Socket
  /** Queues bytes that the kernel did not accept. The socket's stream sends them later. */
  queue(bytes: Buffer): void
}

const BATCH_SIZE = 64

/**
 * Writes to many sockets back to back, in batches of 64. All descriptors of a batch are looked up
 * before the first write. Back-to-back writes keep the receiver awake; interleaved work costs one
 * wake-up per write, which is more than the work itself.
 * Each target may be added once per batch, and nothing else may write to it until `flush`. Callers
 * must not await between `add` and `flush`.
 */
export class WriteBatch {
  readonly #descriptors = new Int32Array(BATCH_SIZE)
  readonly #pending: { target: WriteTarget; bytes: Buffer }[] = []
  readonly #onWrite: () => void

  /** @param onWrite called after each write */
  constructor(onWrite: () => void = () => {}) {
    this.#onWrite = onWrite
  }

  add(target: WriteTarget, bytes: Buffer): void {
    const descriptor = getDescriptor(target.socket)
    if (descriptor < 0) {
      target.queue(bytes)
      return
    }
    this.#descriptors[this.#pending.length] = descriptor
    this.#pending.push({ target, bytes })
    if (this.#pending.length === BATCH_SIZE) this.flush()
  }

  flush(): void {
    const pendingWrites = this.#pending.splice(0)
    pendingWrites.forEach(({ target, bytes }, index) => {
      const unwrittenBytes = writeTo(this.#descriptors[index] ?? -1, bytes)
      if (unwrittenBytes) target.queue(unwrittenBytes)
      this.#onWrite()
    })
  }
}
