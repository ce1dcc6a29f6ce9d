import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { WriteTarget } from './write-batch.ts'
import { writeNow } from './write-now.ts'

const MAX_UNSENT_BYTES = 1024 * 1024
const MAX_UNSENT_AGE_MS = 10_000

/** Writes frames to one socket, limits the unsent bytes, and closes or resets the socket. */
export class Transport implements WriteTarget {
  readonly socket: Socket
  readonly #ws: WebSocket
  readonly #onEnd: () => void
  #unsentMark: { bytes: number; atMs: number } | null = null

  /** @param onEnd called each time before this side closes or resets the socket */
  constructor(ws: WebSocket, socket: Socket, onEnd: () => void) {
    this.#ws = ws
    this.socket = socket
    this.#onEnd = onEnd
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN
  }

  /** True if the kernel has not accepted all bytes that were written before. */
  get hasUnsentBytes(): boolean {
    return this.socket.writableLength > 0
  }

  /**
   * Writes whole frames directly to the socket, because ws would build a header per socket. The
   * order is kept: without compression, ws buffers nothing.
   */
  write(frames: Buffer): void {
    if (!this.isOpen) return
    const unwrittenBytes = writeNow(this.socket, frames)
    if (unwrittenBytes) this.queue(unwrittenBytes)
  }

  queue(bytes: Buffer): void {
    this.socket.write(bytes)
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.reset()
  }

  /** Resolves when the socket's buffer is empty, or the socket is closed. */
  waitForDrain(): Promise<void> {
    const { socket } = this
    if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
  }

  ping(): void {
    if (this.isOpen) this.#ws.ping()
  }

  close(code: number, reason: string): void {
    this.#onEnd()
    if (this.isOpen) this.#ws.close(code, reason)
  }

  /** Resets the connection. This also frees the kernel's buffer for a peer that does not read. */
  reset(): void {
    this.#onEnd()
    this.socket.resetAndDestroy()
  }

  onClose(listener: () => void): void {
    this.#ws.once('close', listener)
  }

  /**
   * Resets the connection if bytes that were buffered at an earlier check are still unsent after
   * more than ten seconds.
   */
  checkBuffer(nowMs: number): void {
    const { bytesWritten, writableLength } = this.socket
    if (writableLength === 0) {
      this.#unsentMark = null
      return
    }
    const unsentMark = this.#unsentMark
    if (!unsentMark || bytesWritten - writableLength >= unsentMark.bytes)
      this.#unsentMark = { bytes: bytesWritten, atMs: nowMs }
    else if (nowMs - unsentMark.atMs > MAX_UNSENT_AGE_MS) this.reset()
  }
}
