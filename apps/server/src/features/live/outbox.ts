import type { Batch, Frame, Piece } from './frame.ts'
import type { Volley } from './volley.ts'

/** Where the stream of a socket goes. */
export interface Sink {
  /** At the latest with the volley's flush. */
  deliver(piece: Piece, volley?: Volley): void
}

/**
 * The order of one socket's stream. While it is held (its history is being read, or its right to read is being looked up again) live frames
 * wait; when the last hold is released they go out, without those that the history has already brought. Every delivery is written at most
 * once, in rising order of `seq`.
 */
export class Outbox {
  /** Highest `seq` written. */
  #lastSeq = 0
  #holds = 0
  #waiting: Frame[] = []
  readonly #sink: Sink

  constructor(sink: Sink) {
    this.#sink = sink
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  get waiting(): number {
    return this.#waiting.length
  }

  hold(): void {
    this.#holds += 1
  }

  release(): void {
    this.#holds -= 1
    if (this.#holds > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const frame of waiting) this.past(frame)
  }

  /** A frame of the history: it passes the holds. */
  past(frame: Frame): void {
    if (!isAfter(frame, this.#lastSeq)) return
    this.#lastSeq = frame.seq ?? this.#lastSeq
    this.#sink.deliver(frame)
  }

  /** The same of several, in one piece. */
  pastBatch(batch: Batch, volley?: Volley): void {
    const { frames } = batch
    const first = frames[0]
    const last = frames.at(-1)
    if (!first || !last || !isAfter(first, this.#lastSeq)) {
      for (const frame of frames) this.past(frame)
      return
    }
    this.#lastSeq = last.seq ?? this.#lastSeq
    this.#sink.deliver(batch, volley)
  }

  push(frame: Frame): void {
    if (this.#holds > 0) this.#waiting.push(frame)
    else this.past(frame)
  }

  pushBatch(batch: Batch, volley?: Volley): void {
    if (this.#holds > 0) this.#waiting.push(...batch.frames)
    else this.pastBatch(batch, volley)
  }
}

function isAfter(frame: Frame, seq: number): boolean {
  return frame.seq === null || frame.seq > seq
}
