import { type Alert, closeCodes, type ServerMessage, serverMessage } from '@tocsin/protocol'
import { Arrivals } from './arrivals.ts'
import type { Authenticate, Cursor } from './authenticate.ts'
import { backoffMs } from './backoff.ts'
import { findWebSocket, type Socket, type SocketConstructor } from './socket.ts'

// All that is used of the platform beside its socket: this package compiles without DOM and Node.
declare function setTimeout(run: () => void, delayMs: number): unknown
declare function clearTimeout(timer: unknown): void

/** A quiet market still has a heartbeat every 20 s: silence of this length means a dead connection. */
const DEAD_AFTER_MS = 45_000

/** `delayed`: connected to a server that cannot see new alerts now. */
export type StreamState = 'live' | 'delayed' | 'reconnecting' | 'offline'

export interface StreamOptions {
  /** Of the stream, such as wss://tocsin.example/ws. */
  url: string
  authenticate: Authenticate
  /** An alert that is new to this client, once. `missed`: issued while it was away, told in order before `onLive`. */
  onAlert?: (alert: Alert, missed: boolean) => void
  /** An alert that the client has, again: mostly with its Merkle path and transaction. */
  onUpdate?: (alert: Alert) => void
  /**
   * From here on everything is fresh. `recovered` false: what was missed could not all be sent, so read the list again.
   * `isFirst`: since the stream was opened, not after a lost connection.
   */
  onLive?: (about: { missed: number; recovered: boolean; isFirst: boolean }) => void
  onState?: (state: StreamState) => void
  /** Everything that the server says, before anything else is told of it. */
  onMessage?: (message: ServerMessage) => void
  /** The server refused for good: nothing more happens until another stream is opened. */
  onRefused?: (message: string) => void
  /** The server ended the connection for a reason that changes what this client may read. */
  onEnded?: () => void
  /** Something of this side failed, such as signing. The stream tries again. */
  onError?: (error: unknown) => void
  /** Where the application left off; without it the stream begins with what comes from now on. */
  from?: Cursor
  /** Whether the application has this alert from elsewhere. */
  isKnown?: (id: string) => boolean
  WebSocket?: SocketConstructor
  /** From 0 to 1, to spread attempts. */
  random?: () => number
}

export interface AlertStream {
  readonly state: StreamState
  /** In ms since 1970; null before the first. */
  readonly lastMessageAt: number | null
  /** Where to begin next time, should the program end here. */
  readonly cursor: Cursor
  /** Tries at once instead of at the end of the wait: the tab came back, or the network did. */
  probe(): void
  close(): void
}

/** Opens a stream that comes back by itself, says where it left off, and tells each alert once. */
export function openAlertStream(options: StreamOptions): AlertStream {
  return new Stream(options)
}

class Stream implements AlertStream {
  readonly #options: StreamOptions
  readonly #WebSocket: SocketConstructor
  readonly #arrivals: Arrivals
  #state: StreamState = 'offline'
  #lastMessageAt: number | null = null
  #logId: string | undefined
  #socket: Socket | null = null
  #timer: unknown
  #attempt = 0
  #hasBeenLive = false
  #isOver = false

  constructor(options: StreamOptions) {
    this.#options = options
    this.#WebSocket = options.WebSocket ?? findWebSocket()
    this.#arrivals = new Arrivals(options.from?.lastIndex ?? null)
    this.#logId = options.from?.logId
    this.#connect()
  }

  get state(): StreamState {
    return this.#state
  }

  get lastMessageAt(): number | null {
    return this.#lastMessageAt
  }

  get cursor(): Cursor {
    const { highestIndex } = this.#arrivals
    if (highestIndex === null) return {}
    return { lastIndex: highestIndex, ...(this.#logId === undefined ? {} : { logId: this.#logId }) }
  }

  probe(): void {
    if (this.#isOver || this.#socket) return
    this.#connect()
  }

  close(): void {
    this.#isOver = true
    this.#rest()
  }

  #connect(): void {
    this.#watchSilence()
    let socket: Socket
    try {
      socket = new this.#WebSocket(this.#options.url)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#socket = socket
    this.#arrivals.begin()
    socket.onopen = () => void this.#authenticate(socket, null)
    socket.onmessage = ({ data }: { data: unknown }) => this.#receive(socket, parseMessage(data))
    socket.onclose = ({ code }: { code: number }) => this.#handleClose(code)
    // What failed is told by onclose.
    socket.onerror = () => {}
  }

  async #authenticate(socket: Socket, heard: ServerMessage | null): Promise<void> {
    try {
      const message = await this.#options.authenticate(heard, this.cursor)
      if (message && this.#socket === socket) socket.send(JSON.stringify(message))
    } catch (error) {
      if (this.#socket === socket) this.#fail(error)
    }
  }

  #receive(socket: Socket, message: ServerMessage | null): void {
    this.#lastMessageAt = Date.now()
    this.#watchSilence()
    if (!message) return
    this.#options.onMessage?.(message)
    switch (message.type) {
      case 'challenge':
        void this.#authenticate(socket, message)
        break
      case 'new_alert':
        this.#tell(message)
        break
      case 'live':
        this.#becomeLive(message)
        break
      case 'delayed':
        this.#delay(message.since !== null)
        break
      case 'authentication_failed':
        this.close()
        this.#options.onRefused?.(message.message)
        break
    }
  }

  #tell({ alert, isUpdate }: Extract<ServerMessage, { type: 'new_alert' }>): void {
    const isKnown = this.#options.isKnown?.(alert.id) ?? false
    const arrival = isUpdate ? 'update' : this.#arrivals.take(alert, isKnown)
    if (arrival === 'update') this.#options.onUpdate?.(alert)
    else this.#options.onAlert?.(alert, arrival === 'missed')
  }

  #becomeLive({ lastIndex, logId, recovered }: Extract<ServerMessage, { type: 'live' }>): void {
    this.#attempt = 0
    this.#logId = logId
    this.#arrivals.reach(lastIndex, recovered)
    const isFirst = !this.#hasBeenLive
    this.#hasBeenLive = true
    const missed = this.#arrivals.end()
    this.#moveTo('live')
    this.#options.onLive?.({ missed, recovered, isFirst })
  }

  /** What was missed meanwhile has arrived before the delay ends. */
  #delay(isDelayed: boolean): void {
    if (isDelayed && this.#state === 'live') this.#moveTo('delayed')
    if (!isDelayed && this.#state === 'delayed') this.#moveTo('live')
  }

  #handleClose(code: number): void {
    // With too many sockets open, coming back by itself would only push out the next one: whoever is looked at may.
    const isLost = code !== closeCodes.sessionEnded && code !== closeCodes.tooManySockets
    if (isLost) this.#retry()
    else this.#rest()
    if (code === closeCodes.sessionEnded || code === closeCodes.entitlementEnded) this.#options.onEnded?.()
  }

  #fail(error: unknown): void {
    this.#retry()
    this.#options.onError?.(error)
  }

  /** A connection that went away without a word is only noticed by its silence. */
  #watchSilence(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#retry(), DEAD_AFTER_MS)
  }

  #retry(): void {
    this.#drop()
    if (this.#isOver) return
    this.#moveTo('reconnecting')
    const { random = Math.random } = this.#options
    this.#timer = setTimeout(() => this.#connect(), backoffMs(this.#attempt, random()))
    this.#attempt += 1
  }

  #rest(): void {
    this.#drop()
    this.#moveTo('offline')
  }

  #moveTo(state: StreamState): void {
    this.#state = state
    this.#options.onState?.(state)
  }

  #drop(): void {
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = null
    if (!socket) return
    socket.onopen = null
    socket.onmessage = null
    socket.onclose = null
    // Its handler of errors stays: closing one that is not open yet is one.
    socket.close()
  }
}

/** A message of the server; null for anything that this version does not know. */
export function parseMessage(text: unknown): ServerMessage | null {
  if (typeof text !== 'string') return null
  try {
    return serverMessage.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
