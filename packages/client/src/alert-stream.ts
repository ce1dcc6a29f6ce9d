import {
  type Alert,
  type AlertProof,
  closeCodes,
  readRetryHint,
  type ServerMessage,
  serverMessage,
} from '@tocsin/protocol'
import type { Authenticate, Cursor } from './authenticate.ts'
import { backoffMs } from './backoff.ts'
import { DeliveryTracker } from './delivery-tracker.ts'
import { findWebSocket, type Socket, type SocketConstructor } from './socket.ts'

// The only platform globals of this file besides WebSocket. They are declared here, because this
// package compiles without the DOM and Node types.
declare function setTimeout(run: () => void, delayMs: number): unknown
declare function clearTimeout(timer: unknown): void

/**
 * Time without a message after which a connection is considered dead. The server sends a heartbeat
 * every 10 s.
 */
const DEAD_AFTER_MS = 18_000
/**
 * Time without a message after which a connection attempt is abandoned. Until the stream is live,
 * the server answers immediately. An instance that sends nothing is probably frozen, so the client
 * reconnects to reach another one. For slow networks, the timeout doubles with each retry from the
 * third on, up to DEAD_AFTER_MS. The first timeouts are short: if an instance freezes and the load
 * balancer selects a frozen instance twice, the third attempt still begins within 30 s
 * (DEAD_AFTER_MS, two timeouts of 5 s, and the backoffs).
 */
const OPENING_MS = 5_000

/** `delayed`: connected, but the server currently cannot read new alerts. */
export type StreamState = 'live' | 'delayed' | 'reconnecting' | 'offline'

export interface StreamOptions {
  /** URL of the stream, for example wss://tocsin.example/ws. */
  url: string
  authenticate: Authenticate
  /**
   * True if the socket does not authenticate. The server then sends only heartbeats, and the
   * messages that the session allows.
   */
  isPassive?: boolean
  /**
   * Called once per new alert. `missed`: the alert was issued while the client was disconnected;
   * missed alerts arrive in order, before `onLive`.
   */
  onAlert?: (alert: Alert, missed: boolean) => void
  /**
   * Called when a known alert arrives again, usually with its Merkle path and anchor transaction.
   */
  onUpdate?: (alert: Alert) => void
  /**
   * Called with the proof of an alert that was anchored. If this callback is set, the stream
   * requests only the proof after an anchor, and `onUpdate` is not called for it. The application
   * may not have the alert, because it was issued before the stream was opened.
   */
  onProof?: (proof: AlertProof) => void
  /**
   * Called when the backfill is complete. If `recovered` is false, the server could not send all
   * missed alerts, so reload the list. `isFirst` is true for the first connection, false after a
   * reconnect.
   */
  onLive?: (about: { missed: number; recovered: boolean; isFirst: boolean }) => void
  onState?: (state: StreamState) => void
  /** Called for every server message, before the other callbacks. */
  onMessage?: (message: ServerMessage) => void
  /** Called with the data of a message of an unknown type, so that the application can log it. */
  onUnknown?: (data: unknown) => void
  /** Called when authentication failed. The stream does not reconnect. */
  onRefused?: (message: string) => void
  /** Called when the server closed the connection because the session or the entitlement ended. */
  onEnded?: () => void
  /**
   * Called when this socket was closed because the account has more sockets than allowed. Each new
   * connection closes the oldest socket of the account, so the stream reconnects only when the
   * application calls `probe()`.
   */
  onReplaced?: () => void
  /** Called for client-side errors, for example a failed signature. The stream retries. */
  onError?: (error: unknown) => void
  /** Resume position. Without it the stream starts with new alerts. */
  from?: Cursor
  /** True if the application already has this alert from another source. */
  isKnown?: (id: string) => boolean
  WebSocket?: SocketConstructor
  /** Random number from 0 to 1 for the jitter of reconnects. */
  random?: () => number
}

export interface AlertStream {
  readonly state: StreamState
  /** Milliseconds since the epoch. Null before the first message. */
  readonly lastMessageAt: number | null
  /** Position from which the next start of the program resumes. */
  readonly cursor: Cursor
  /**
   * Reconnects immediately instead of waiting for the backoff, for example when the tab becomes
   * visible or the network returns.
   */
  probe(): void
  close(): void
}

/**
 * Opens a stream that reconnects automatically, resumes where it left off, and reports each alert
 * once.
 */
export function openAlertStream(options: StreamOptions): AlertStream {
  return new Stream(options)
}

class Stream implements AlertStream {
  readonly #options: StreamOptions
  readonly #WebSocket: SocketConstructor
  readonly #deliveries: DeliveryTracker
  #state: StreamState = 'offline'
  #lastMessageAt: number | null = null
  #logId: string | undefined
  #socket: Socket | null = null
  #timer: unknown
  #attempt = 0
  #hasBeenLive = false
  /** Whether the stream requests only the proof after an anchor. */
  #isCompact: boolean
  /**
   * True from the connection attempt until the message `live`, or until a passive socket is open.
   */
  #isOpening = false
  #isClosed = false

  constructor(options: StreamOptions) {
    this.#options = options
    this.#WebSocket = options.WebSocket ?? findWebSocket()
    this.#deliveries = new DeliveryTracker(options.from?.lastIndex ?? null)
    this.#logId = options.from?.logId
    this.#isCompact = options.onProof !== undefined
    this.#connect()
  }

  get state(): StreamState {
    return this.#state
  }

  get lastMessageAt(): number | null {
    return this.#lastMessageAt
  }

  get cursor(): Cursor {
    const { highestIndex } = this.#deliveries
    if (highestIndex === null) return {}
    return { lastIndex: highestIndex, ...(this.#logId === undefined ? {} : { logId: this.#logId }) }
  }

  probe(): void {
    if (this.#isClosed || this.#socket) return
    this.#connect()
  }

  close(): void {
    this.#isClosed = true
    this.#goOffline()
  }

  #connect(): void {
    this.#isOpening = true
    this.#restartSilenceTimer()
    let socket: Socket
    try {
      socket = new this.#WebSocket(this.#options.url)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#socket = socket
    this.#deliveries.startBackfill()
    socket.onopen = () => void this.#authenticate(socket, null)
    socket.onmessage = ({ data }: { data: unknown }) => this.#receive(socket, data)
    socket.onclose = ({ code, reason }: { code: number; reason?: unknown }) => this.#handleClose(code, String(reason))
    // Errors are followed by onclose, which handles them.
    socket.onerror = () => {}
  }

  async #authenticate(socket: Socket, received: ServerMessage | null): Promise<void> {
    try {
      const message = await this.#options.authenticate(received, this.cursor)
      if (this.#socket !== socket) return
      // A passive socket gets no answer, only the next heartbeat.
      if (this.#options.isPassive) {
        this.#isOpening = false
        this.#restartSilenceTimer()
      }
      const proofs = this.#isCompact ? { proofs: 'compact' } : {}
      if (message) socket.send(JSON.stringify({ ...message, ...proofs }))
    } catch (error) {
      if (this.#socket === socket) this.#fail(error)
    }
  }

  #receive(socket: Socket, data: unknown): void {
    this.#lastMessageAt = Date.now()
    this.#restartSilenceTimer()
    const message = parseMessage(data)
    if (!message) {
      this.#options.onUnknown?.(data)
      return
    }
    this.#options.onMessage?.(message)
    // The application may close the stream in `onMessage`.
    if (this.#socket !== socket) return
    switch (message.type) {
      case 'challenge':
        void this.#authenticate(socket, message)
        break
      case 'new_alert':
        this.#deliver(message)
        break
      case 'alert_proof': {
        const { type: _, ...proof } = message
        this.#options.onProof?.(proof)
        break
      }
      case 'live':
        this.#becomeLive(message)
        break
      case 'delayed':
        this.#setDelayed(message.since !== null)
        break
      case 'heartbeat':
        // A passive socket never becomes live.
        if (!this.#isOpening) this.#attempt = 0
        break
      case 'authentication_failed':
        // Earlier versions of the server reject the unknown field `proofs`. Such an instance may
        // still run during a rolling update.
        if (this.#isCompact && message.message.includes('"proofs"')) {
          this.#isCompact = false
          this.#retry()
          break
        }
        this.close()
        this.#options.onRefused?.(message.message)
        break
    }
  }

  #deliver({ alert, isUpdate }: Extract<ServerMessage, { type: 'new_alert' }>): void {
    const isKnown = this.#options.isKnown?.(alert.id) ?? false
    const delivery = isUpdate ? 'update' : this.#deliveries.classify(alert, isKnown)
    if (delivery === 'update') this.#options.onUpdate?.(alert)
    else this.#options.onAlert?.(alert, delivery === 'missed')
  }

  #becomeLive({ lastIndex, logId, recovered }: Extract<ServerMessage, { type: 'live' }>): void {
    this.#attempt = 0
    this.#isOpening = false
    this.#restartSilenceTimer()
    this.#logId = logId
    this.#deliveries.moveCursor(lastIndex, recovered)
    const isFirst = !this.#hasBeenLive
    this.#hasBeenLive = true
    const missed = this.#deliveries.endBackfill()
    this.#setState('live')
    this.#options.onLive?.({ missed, recovered, isFirst })
  }

  /**
   * Switches between `live` and `delayed`. The server sends the missed alerts before it reports the
   * end of a delay, so the application has nothing to reload.
   */
  #setDelayed(isDelayed: boolean): void {
    if (isDelayed && this.#state === 'live') this.#setState('delayed')
    if (!isDelayed && this.#state === 'delayed') this.#setState('live')
  }

  #handleClose(code: number, reason: string): void {
    const isLost = code !== closeCodes.sessionEnded && code !== closeCodes.tooManySockets
    // The wait that the server requests applies to the first attempt only. After a failed attempt,
    // the backoff applies.
    const hintMs = code === closeCodes.restart && this.#attempt === 0 ? readRetryHint(reason) : null
    if (isLost) this.#retry(hintMs ?? undefined)
    else this.#goOffline()
    if (code === closeCodes.tooManySockets) this.#options.onReplaced?.()
    if (code === closeCodes.sessionEnded || code === closeCodes.entitlementEnded) this.#options.onEnded?.()
  }

  #fail(error: unknown): void {
    this.#retry()
    this.#options.onError?.(error)
  }

  /** Detects connections that broke without a close event. */
  #restartSilenceTimer(): void {
    clearTimeout(this.#timer)
    const openingMs = Math.min(DEAD_AFTER_MS, OPENING_MS * 2 ** Math.max(0, this.#attempt - 2))
    // The silent time already was the pause between two attempts, so add only the shortest backoff.
    this.#timer = setTimeout(() => this.#retry(this.#backoffMs(0)), this.#isOpening ? openingMs : DEAD_AFTER_MS)
  }

  #retry(waitMs = this.#backoffMs(this.#attempt)): void {
    this.#closeSocket()
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.#connect(), waitMs)
    this.#attempt += 1
    // Reported last, because the application may close the stream or call `probe()` in `onState`.
    this.#setState('reconnecting')
  }

  #backoffMs(attempt: number): number {
    const { random = Math.random } = this.#options
    return backoffMs(attempt, random())
  }

  #goOffline(): void {
    this.#closeSocket()
    this.#setState('offline')
  }

  #setState(state: StreamState): void {
    this.#state = state
    this.#options.onState?.(state)
  }

  #closeSocket(): void {
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = null
    if (!socket) return
    socket.onopen = null
    socket.onmessage = null
    socket.onclose = null
    // Keep onerror: closing a socket that is still connecting fires an error event.
    socket.close()
  }
}

/** Parses a server message. Returns null for anything that this version does not know. */
export function parseMessage(text: unknown): ServerMessage | null {
  if (typeof text !== 'string') return null
  try {
    return serverMessage.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
