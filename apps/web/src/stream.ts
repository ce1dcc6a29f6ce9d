import { closeCodes, type ServerMessage, serverMessage } from '@tocsin/protocol'

/** A quiet market still has a heartbeat every 20 s: silence of this length means a dead connection. */
const deadAfterMs = 45_000
const shortestWaitMs = 500
const longestWaitMs = 30_000

export type StreamState = 'live' | 'reconnecting' | 'offline'

/** What of a browser's socket is used; a test gives its own. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'readyState'> & {
  onopen: ((event: Event) => void) | null
  onmessage: ((event: MessageEvent) => void) | null
  onclose: ((event: CloseEvent) => void) | null
}

export type StreamOptions = {
  walletAddress: string
  /** The highest log index that the page has seen, asked at each connection. */
  lastIndex: () => number | null
  onMessage: (message: ServerMessage) => void
  onState: (state: StreamState) => void
  /** The server refused for good: this wallet or session gets no stream until something changes. */
  onRefused: (message: string) => void
  /** The server ended the connection for a reason that changes what the session may read. */
  onEnded: () => void
  open?: () => Socket
  random?: () => number
}

/** Full jitter over a doubling window: a server that restarts is not met by everybody at once. Between half of it and all of it. */
export function backoffMs(attempt: number, random: number): number {
  const window = Math.min(longestWaitMs, shortestWaitMs * 2 ** attempt)
  return Math.round(window * (0.5 + random / 2))
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

/** One socket to /ws that comes back by itself and says where it left off. */
export class AlertStream {
  readonly #options: StreamOptions
  readonly #open: () => Socket
  readonly #random: () => number
  #socket: Socket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  #isClosed = false
  #isRefused = false

  constructor(options: StreamOptions) {
    this.#options = options
    this.#open = options.open ?? (() => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`))
    this.#random = options.random ?? Math.random
    this.#connect()
  }

  /** Tries at once instead of at the end of the wait: the tab came back, or the network did. */
  probe(): void {
    if (this.#isClosed || this.#isRefused || this.#socket) return
    clearTimeout(this.#timer)
    this.#connect()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#drop()
    this.#options.onState('offline')
  }

  #connect(): void {
    const socket = this.#open()
    this.#socket = socket
    this.#watchSilence()
    socket.onopen = () => {
      const lastIndex = this.#options.lastIndex()
      const { walletAddress } = this.#options
      socket.send(JSON.stringify({ type: 'authenticate', walletAddress, ...(lastIndex === null ? {} : { lastIndex }) }))
    }
    socket.onmessage = ({ data }) => this.#receive(parseMessage(data))
    socket.onclose = ({ code }) => this.#handleClose(code)
  }

  #receive(message: ServerMessage | null): void {
    this.#watchSilence()
    if (!message) return
    if (message.type === 'authenticated') {
      this.#attempt = 0
      this.#options.onState('live')
    }
    if (message.type === 'authentication_failed') {
      this.#isRefused = true
      this.#drop()
      clearTimeout(this.#timer)
      this.#options.onState('offline')
      this.#options.onRefused(message.message)
      return
    }
    this.#options.onMessage(message)
  }

  #handleClose(code: number): void {
    if (code === closeCodes.sessionEnded || code === closeCodes.entitlementEnded) this.#options.onEnded()
    // With too many tabs open, coming back by itself would only push out the next one: the tab that gets focus may.
    if (code !== closeCodes.sessionEnded && code !== closeCodes.tooManySockets) {
      this.#retry()
      return
    }
    this.#drop()
    clearTimeout(this.#timer)
    this.#options.onState('offline')
  }

  /** A connection that went away without a word is only noticed by its silence. */
  #watchSilence(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#retry(), deadAfterMs)
  }

  #retry(): void {
    if (this.#isClosed || this.#isRefused) return
    this.#drop()
    clearTimeout(this.#timer)
    this.#options.onState('reconnecting')
    this.#timer = setTimeout(() => this.#connect(), backoffMs(this.#attempt, this.#random()))
    this.#attempt += 1
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = null
    if (!socket) return
    socket.onopen = null
    socket.onmessage = null
    socket.onclose = null
    socket.close()
  }
}
