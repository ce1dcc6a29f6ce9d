import type { Batch, EncodedMessage, Frame } from './frame.ts'
import type { WriteBatch } from './write-batch.ts'

/** Receives the output of a socket's stream. */
export interface StreamOutput {
  /** Writes a message, at the latest when the batch `writes` is flushed. */
  deliver(encodedMessage: EncodedMessage, writes?: WriteBatch): void
}

/**
 * Orders one socket's stream. Live frames wait while the send queue is held, during a backfill or a
 * recheck of the right to read. When the last hold is released, the waiting frames are written,
 * except those that the backfill has already written. Every delivery is written at most once, in
 * ascending order of `seq`.
 */
export class SendQueue {
  /** Highest `seq` written. */
  #lastSeq = 0
  #holds = 0
  #waiting: Frame[] = []
  readonly #output: StreamOutput

  constructor(output: StreamOutput) {
    this.#output = output
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  hold(): void {
    this.#holds += 1
  }

  release(): void {
    this.#holds -= 1
    if (this.#holds > 0) return
    const waitingFrames = this.#waiting
    this.#waiting = []
    for (const frame of waitingFrames) this.#write(frame)
  }

  /** Writes frames of the backfill immediately, even while the send queue is held. */
  backfill(batch: Batch): void {
    this.#writeBatch(batch)
  }

  push(frame: Frame): void {
    if (this.#holds > 0) this.#waiting.push(frame)
    else this.#write(frame)
  }

  pushBatch(batch: Batch, writes?: WriteBatch): void {
    if (this.#holds > 0) this.#waiting.push(...batch.frames)
    else this.#writeBatch(batch, writes)
  }

  #write(frame: Frame): void {
    if (!isAfter(frame, this.#lastSeq)) return
    this.#lastSeq = frame.seq ?? this.#lastSeq
    this.#output.deliver(frame)
  }

  #writeBatch(batch: Batch, writes?: WriteBatch): void {
    const { frames } = batch
    const first = frames[0]
    const last = frames.at(-1)
    if (!first || !last || !isAfter(first, this.#lastSeq)) {
      for (const frame of frames) this.#write(frame)
      return
    }
    this.#lastSeq = last.seq ?? this.#lastSeq
    this.#output.deliver(batch, writes)
  }
}

function isAfter(frame: Frame, seq: number): boolean {
  return frame.seq === null || frame.seq > seq
}
