import type { Socket } from 'node:net'
import { closeCodes, type ServerMessage } from '@tocsin/protocol'
import { WebSocket } from 'ws'
import type { ContractEvidence, StreamChallenge } from '../wallets/stream-challenge.ts'
import { encodeMessage, type Piece } from './frame.ts'
import type { Outbox, Sink } from './outbox.ts'
import { Quota } from './quota.ts'
import type { Target, WriteBatch } from './write-batch.ts'
import { writeNow } from './write-now.ts'

const MAX_UNSENT_BYTES = 1024 * 1024
const MAX_UNSENT_AGE_MS = 10_000
/**
 * Time limit for the pong to a ping sent after an alert. At least MIN_CHECKS checks must also have
 * passed, in case this process was suspended.
 */
const MAX_PONG_DELAY_MS = 9_000
const MIN_CHECKS = 8
/** A peer is pinged at most once in this many checks, staggered across connections. */
const PING_EVERY_CHECKS = 3
const MESSAGES_PER_MINUTE = 100
const MAX_MISSED_PONGS = 2
/** Messages that a peer may still have in flight when its socket is closed. */
const MAX_LATE_MESSAGES = 1_000

/** The owner of a socket: a page's session, or a program that has not proved its wallet yet. */
export type Owner = { sessionId: string; accountId: string; isAdmin: boolean } | { network: string }

let opened = 0

/** One open socket, with its right to read and its limits on memory and messages. */
export class Connection implements Sink, Target {
  /** The stream, while this socket may receive it. */
  outbox: Outbox | null = null
  walletAddress: string | null = null
  /** End of the right to read, checked at every send. */
  entitledUntilMs = 0
  /**
   * Incremented when the account's rights may have changed; rights read before are out of date
   * then.
   */
  changes = 0
  /** The stream whose rights are being read again. */
  checking: Outbox | null = null
  stopExpiry: () => void = () => {}
  /** Processes messages one after the other. */
  work: Promise<void> | null = null
  /** Null for a program. */
  readonly sessionId: string | null
  /** Null for a program until it has proved a wallet. */
  accountId: string | null
  /** True for an admin's session, which is also notified of changes in the admin area. */
  readonly isAdmin: boolean
  /** The network that a program connects from; empty for a page. */
  readonly network: string
  /** The challenge that a program must sign. Its first answer consumes it. */
  challenge: StreamChallenge | null = null
  stopDeadline: () => void = () => {}
  /** The signature that the wallet's contract accepted; null if a key signed. */
  evidence: ContractEvidence | null = null
  /** The program asked for the summary format. */
  isShort = false
  readonly quota = new Quota(MESSAGES_PER_MINUTE, 60_000)
  #lateMessages = 0
  #missedPongs = 0
  #unsentMark: { bytes: number; atMs: number } | null = null
  /** True if an alert was sent after which the peer has not answered yet. */
  #isUnconfirmed = false
  #pingedAtMs = 0
  #checks = 0
  readonly #turn = opened++ % PING_EVERY_CHECKS

  readonly ws: WebSocket
  readonly socket: Socket

  constructor(ws: WebSocket, socket: Socket, owner: Owner) {
    this.ws = ws
    this.socket = socket
    const isPage = 'sessionId' in owner
    this.sessionId = isPage ? owner.sessionId : null
    this.accountId = isPage ? owner.accountId : null
    this.isAdmin = isPage && owner.isAdmin
    this.network = isPage ? '' : owner.network
  }

  get isOpen(): boolean {
    return this.ws.readyState === WebSocket.OPEN
  }

  send(message: ServerMessage): void {
    this.write(encodeMessage(message))
  }

  /** Sends an alert, its proof, or a status message of the stream. */
  deliver(piece: Piece, writes?: WriteBatch): void {
    const bytes = this.isShort ? piece.short() : piece.bytes
    if (!bytes || !this.isOpen) return
    this.#isUnconfirmed = true
    if (writes) writes.add(this, bytes)
    else this.write(bytes)
  }

  /**
   * Writes whole frames directly to the socket, because ws would build a header per socket. Without
   * compression ws buffers nothing that this could overtake.
   */
  write(frames: Buffer): void {
    if (!this.isOpen) return
    const rest = writeNow(this.socket, frames)
    if (rest) this.keep(rest)
  }

  keep(bytes: Buffer): void {
    this.socket.write(bytes)
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.cutOff()
  }

  /** Resolves when the socket's buffer is empty, or the socket is closed. */
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

  /** Resets the connection, which also frees the kernel's buffer for a peer that does not read. */
  cutOff(): void {
    this.leaveStream()
    this.socket.resetAndDestroy()
  }

  ping(): void {
    this.#missedPongs += 1
    if (this.#missedPongs > MAX_MISSED_PONGS) this.cutOff()
    else if (this.isOpen) this.ws.ping()
  }

  /** @returns false if the pong was unsolicited */
  handlePong(): boolean {
    const isExpected = this.#missedPongs > 0 || this.#pingedAtMs > 0
    this.#missedPongs = 0
    this.#pingedAtMs = 0
    return isExpected
  }

  /** Counts a message that arrived after the close. Too many of them reset the connection. */
  handleLateMessage(): void {
    this.#lateMessages += 1
    if (this.#lateMessages > MAX_LATE_MESSAGES) this.cutOff()
  }

  /**
   * Called once a second with a monotonic clock. Resets the connection of a peer that does not
   * read. The kernel buffers megabytes, so a ping after an alert checks whether the peer has
   * received it. That ping is skipped during a backfill, which follows the reader's pace.
   */
  checkProgress(nowMs: number, check: number): void {
    this.#checkBuffer(nowMs)
    if (this.#pingedAtMs > 0) {
      this.#checks += 1
      if (this.#checks >= MIN_CHECKS && nowMs - this.#pingedAtMs > MAX_PONG_DELAY_MS) this.cutOff()
      return
    }
    if (!this.#isUnconfirmed || check % PING_EVERY_CHECKS !== this.#turn || !this.isOpen || this.outbox?.isHeld) return
    this.#isUnconfirmed = false
    this.#pingedAtMs = nowMs
    this.#checks = 0
    this.ws.ping()
  }

  /** The peer must read some of our buffered bytes every ten seconds. */
  #checkBuffer(nowMs: number): void {
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
