import type { Socket } from 'node:net'
import { closeCodes, type ServerMessage } from '@tocsin/protocol'
import { WebSocket } from 'ws'
import type { Challenge, Evidence } from './authorization.ts'
import { encodeMessage, type Piece } from './frame.ts'
import type { Outbox, Sink } from './outbox.ts'
import { Quota } from './quota.ts'
import type { Target, Volley } from './volley.ts'
import { writeNow } from './write-now.ts'

const MAX_UNSENT_BYTES = 1024 * 1024
const MAX_UNSENT_AGE_MS = 10_000
/** How long a peer may take to answer what it was asked behind an alert; and how often we must have looked, should we have slept meanwhile. */
const MAX_ANSWER_MS = 9_000
const MIN_LOOKS = 8
/** A peer is asked at most every so many looks, each at its turn. */
const TURNS = 3
const MESSAGES_PER_MINUTE = 100
const MAX_MISSED_PONGS = 2
/** What a peer may still have on its way when it is told that it is over. */
const MAX_LATE_MESSAGES = 1_000

/** Who a socket speaks for: a page's session, or a program that has yet to prove its wallet. */
export type Owner = { sessionId: string; accountId: string; isAdmin: boolean } | { network: string }

let opened = 0

/** One open socket: what it may hear, and how much of our memory it may take. */
export class Connection implements Sink, Target {
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
  work: Promise<void> | null = null
  /** Null for a program. */
  readonly sessionId: string | null
  /** Null for a program until it has proved a wallet. */
  accountId: string | null
  /** Of an admin’s session: it also hears that something of the admin area has changed. */
  readonly isAdmin: boolean
  /** Where a program connects from; empty for a page. */
  readonly network: string
  /** What a program has to sign: taken away by its first answer. */
  challenge: Challenge | null = null
  stopDeadline: () => void = () => {}
  /** What the contract of its wallet has accepted; null where a key has signed. */
  evidence: Evidence | null = null
  /** The program wants alerts in short. */
  isShort = false
  readonly quota = new Quota(MESSAGES_PER_MINUTE, 60_000)
  #lateMessages = 0
  #missedPongs = 0
  #unsentMark: { bytes: number; atMs: number } | null = null
  /** Whether an alert went out that nothing has come back after. */
  #isUnproved = false
  #askedAtMs = 0
  #looks = 0
  readonly #turn = opened++ % TURNS

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

  /** An alert, its proof, or a word among them. */
  deliver(piece: Piece, volley?: Volley): void {
    const bytes = this.isShort ? piece.short() : piece.bytes
    if (!bytes || !this.isOpen) return
    this.#isUnproved = true
    if (volley) volley.add(this, bytes)
    else this.write(bytes)
  }

  /** Whole frames, past ws: it would make a header for every socket. Without compression ws holds nothing back that this could overtake. */
  write(frames: Buffer): void {
    if (!this.isOpen) return
    const rest = writeNow(this.socket, frames)
    if (rest) this.keep(rest)
  }

  keep(bytes: Buffer): void {
    this.socket.write(bytes)
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

  /** @returns whether it was asked for */
  handlePong(): boolean {
    const isAsked = this.#missedPongs > 0 || this.#askedAtMs > 0
    this.#missedPongs = 0
    this.#askedAtMs = 0
    return isAsked
  }

  /** Something was said after the end. */
  hearLate(): void {
    this.#lateMessages += 1
    if (this.#lateMessages > MAX_LATE_MESSAGES) this.cutOff()
  }

  /**
   * Looked at once a second, of a clock that never steps back. Cuts off a peer that takes nothing: the kernel hides megabytes from us, so it is asked
   * behind an alert whether that has arrived. A long history goes at its reader's pace, as long as there is one.
   */
  checkProgress(nowMs: number, look: number): void {
    this.#checkBuffer(nowMs)
    if (this.#askedAtMs > 0) {
      this.#looks += 1
      if (this.#looks >= MIN_LOOKS && nowMs - this.#askedAtMs > MAX_ANSWER_MS) this.cutOff()
      return
    }
    if (!this.#isUnproved || look % TURNS !== this.#turn || !this.isOpen || this.outbox?.isHeld) return
    this.#isUnproved = false
    this.#askedAtMs = nowMs
    this.#looks = 0
    this.ws.ping()
  }

  /** Of what waits with us it must take something every ten seconds. */
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
