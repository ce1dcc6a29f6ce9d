import type { Socket } from 'node:net'
import { closeCodes, type ServerMessage } from '@tocsin/protocol'
import { WebSocket } from 'ws'
import { encodeMessage } from './frame.ts'
import type { Outbox } from './outbox.ts'
import { Quota } from './quota.ts'

const MAX_UNSENT_BYTES = 1024 * 1024
const MAX_UNSENT_AGE_MS = 10_000
const MESSAGES_PER_MINUTE = 100
const MAX_MISSED_PONGS = 2

/** One open socket: what it may hear, and how much of our memory it may take. */
export class Connection {
  /** The stream, while this socket may hear it. */
  outbox: Outbox | null = null
  walletAddress: string | null = null
  /** Until when it may hear: checked again at every send. */
  entitledUntilMs = 0
  /** Rises when the account's rights may have changed: what was read before is then out of date. */
  changes = 0
  /** The stream whose rights are being read again. */
  checking: Outbox | null = null
  stopExpiry: () => void = () => {}
  /** One message after the other. */
  work: Promise<void> = Promise.resolve()
  readonly quota = new Quota(MESSAGES_PER_MINUTE, 60_000)
  #missedPongs = 0
  #unsentMark: { bytes: number; atMs: number } | null = null

  readonly ws: WebSocket
  readonly socket: Socket
  readonly accountId: string
  readonly sessionId: string

  constructor(ws: WebSocket, socket: Socket, owner: { accountId: string; sessionId: string }) {
    this.ws = ws
    this.socket = socket
    this.accountId = owner.accountId
    this.sessionId = owner.sessionId
    ws.on('pong', () => {
      this.#missedPongs = 0
    })
  }

  get isOpen(): boolean {
    return this.ws.readyState === WebSocket.OPEN
  }

  send(message: ServerMessage): void {
    this.write(encodeMessage(message))
  }

  /** Whole frames, past ws: it would make a header for every socket. Without compression ws holds nothing back that this could overtake. */
  write(frames: Buffer): void {
    if (!this.isOpen) return
    this.socket.write(frames)
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.cutOff()
  }

  /** Resolves when what was written is on its way, or the socket is gone. */
  drained(): Promise<void> {
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

  leaveStream(): void {
    this.stopExpiry()
    this.outbox = null
    this.entitledUntilMs = 0
  }

  end(code: number, reason: string): void {
    this.leaveStream()
    if (this.isOpen) this.ws.close(code, reason)
  }

  breakRules(reason: string): void {
    this.end(closeCodes.policy, reason)
  }

  /** Also frees what the kernel holds for a peer that does not read. */
  cutOff(): void {
    this.leaveStream()
    this.socket.resetAndDestroy()
  }

  ping(): void {
    this.#missedPongs += 1
    if (this.#missedPongs > MAX_MISSED_PONGS) this.cutOff()
    else if (this.isOpen) this.ws.ping()
  }

  /** Cuts off a peer that has not taken for ten seconds what was written before. */
  checkProgress(nowMs: number): void {
    const { bytesWritten, writableLength } = this.socket
    if (writableLength === 0) {
      this.#unsentMark = null
      return
    }
    const mark = this.#unsentMark
    if (!mark || bytesWritten - writableLength >= mark.bytes) this.#unsentMark = { bytes: bytesWritten, atMs: nowMs }
    else if (nowMs - mark.atMs > MAX_UNSENT_AGE_MS) this.cutOff()
  }
}
