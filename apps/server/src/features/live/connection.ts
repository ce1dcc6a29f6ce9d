import type { Socket } from 'node:net'
import { closeCodes, type Permission, type ServerMessage } from '@tocsin/protocol'
import type { WebSocket } from 'ws'
import { type CriticalAlert, type EncodedMessage, encodeMessage } from './frame.ts'
import { Liveness } from './liveness.ts'
import { ProgramState } from './program-state.ts'
import type { StreamOutput } from './send-queue.ts'
import { StreamSubscription } from './stream-subscription.ts'
import { Transport } from './transport.ts'
import type { WriteBatch } from './write-batch.ts'

/** The owner of a socket: a page's session, or a program, whose account is assigned later. */
export type Owner =
  | { sessionId: string; sessionEndsAt: Date; accountId: string; permissions: readonly Permission[] }
  | { network: string }

/** One open socket and its owner. Its parts, such as `liveness`, encapsulate their own state. */
export class Connection implements StreamOutput {
  /** Id of the session; null for a program. */
  readonly sessionId: string | null
  /**
   * The permissions of the session's role. Staff are also notified of changes in the admin area.
   */
  readonly permissions: readonly Permission[]
  /** The network from which a program connects; empty for a page. */
  readonly network: string
  readonly transport: Transport
  readonly liveness: Liveness
  readonly streamSubscription = new StreamSubscription()
  readonly program = new ProgramState()
  readonly #onCritical: (accountId: string, alert: CriticalAlert) => void
  #sessionEndsAt: Date | null
  #accountId: string | null
  #hasCompactProofs = false

  /** @param onCritical called for each critical alert that is written to an account's socket */
  constructor(
    ws: WebSocket,
    socket: Socket,
    owner: Owner,
    onCritical: (accountId: string, alert: CriticalAlert) => void = () => {},
  ) {
    this.#onCritical = onCritical
    this.transport = new Transport(ws, socket, () => this.streamSubscription.leave())
    this.liveness = new Liveness(this.transport)
    const isPage = 'sessionId' in owner
    this.sessionId = isPage ? owner.sessionId : null
    this.#sessionEndsAt = isPage ? owner.sessionEndsAt : null
    this.#accountId = isPage ? owner.accountId : null
    this.permissions = isPage ? owner.permissions : []
    this.network = isPage ? '' : owner.network
  }

  /** When the session ends unless it is used again, as last read. Null for a program. */
  get sessionEndsAt(): Date | null {
    return this.#sessionEndsAt
  }

  setSessionEnd(at: Date | null): void {
    this.#sessionEndsAt = at
  }

  /** Null for a program until it has proved a wallet or sent a valid API key. */
  get accountId(): string | null {
    return this.#accountId
  }

  /**
   * Assigns the account. Only Connections calls it, because it counts the sockets of each account.
   */
  assignAccount(accountId: string): void {
    this.#accountId = accountId
  }

  /** @param isCompact whether the client requested `alert_proof` instead of whole alerts */
  setProofFormat(isCompact: boolean): void {
    this.#hasCompactProofs = isCompact
  }

  get isOpen(): boolean {
    return this.transport.isOpen
  }

  /** True if this socket receives alerts. */
  get isListening(): boolean {
    return this.streamSubscription.sendQueue !== null
  }

  send(message: ServerMessage): void {
    this.write(encodeMessage(message))
  }

  write(frames: Buffer): void {
    this.transport.write(frames)
  }

  /** Sends an alert, its proof, or a status message of the stream. */
  deliver(encodedMessage: EncodedMessage, writeBatch?: WriteBatch): void {
    const { transport } = this
    const full = this.#hasCompactProofs && encodedMessage.compact ? encodedMessage.compact() : encodedMessage.bytes
    const bytes = this.program.usesSummaryFormat ? encodedMessage.summary() : full
    if (!bytes || !transport.isOpen) return
    this.liveness.expectConfirmation()
    if (writeBatch) writeBatch.add(transport, bytes)
    else transport.write(bytes)
    for (const alert of encodedMessage.critical ?? [])
      if (this.#accountId !== null) this.#onCritical(this.#accountId, alert)
  }

  leaveStream(): void {
    this.streamSubscription.leave()
  }

  end(code: number, reason: string): void {
    this.transport.close(code, reason)
  }

  closeForViolation(reason: string): void {
    this.end(closeCodes.policy, reason)
  }

  /**
   * Resets the connection if the peer does not read. Called once a second, with the time of a
   * monotonic clock.
   */
  checkProgress(nowMs: number, check: number): void {
    this.transport.checkBuffer(nowMs)
    this.liveness.checkConfirmation(nowMs, check, this.streamSubscription.sendQueue?.isHeld ?? false)
  }
}
