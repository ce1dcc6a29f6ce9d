import { WebSocket } from 'ws'
import type { Scheduler } from '../scheduler.ts'
import type { RefusalReason } from './frame.ts'
import type { VenueStream } from './venues.ts'

export interface ConnectionEvents {
  onOpen(): void
  onText(text: string): void
  onRefused(reason: RefusalReason): void
}

export interface Connection {
  /** Resolves with the reason when the connection has ended. */
  ended: Promise<string>
  close(reason: string): void
}

/**
 * Maximum size of a frame, far above any frame of these streams. The default of `ws` is 100 MiB.
 */
const MAX_FRAME_BYTES = 1024 * 1024
const CHECKS_PER_LIMIT = 10

/** Options of the socket. The package's types lack `closeTimeout`. */
const webSocketOptions = {
  perMessageDeflate: false,
  followRedirects: false,
  maxPayload: MAX_FRAME_BYTES,
  maxFragments: 64,
  handshakeTimeout: 10_000,
  closeTimeout: 2_000,
}

/** Opens one connection, subscribes, and closes it when no messages arrive. */
export function connect(
  stream: VenueStream,
  symbols: readonly string[],
  { onOpen, onText, onRefused }: ConnectionEvents,
  { nowMs, schedule }: { nowMs(): number; schedule: Scheduler },
): Connection {
  const ws = new WebSocket(stream.streamUrl, webSocketOptions)
  let reason: string | null = null
  let receivedAtMs = nowMs()
  let pingedAtMs = 0

  const close = (closeReason: string) => {
    reason ??= closeReason
    ws.terminate()
  }
  const check = () => {
    if (ws.readyState !== WebSocket.OPEN) return
    const silentMs = nowMs() - receivedAtMs
    if (silentMs >= stream.silentAfterMs) return close(`silent for ${Math.round(silentMs / 1_000)} s`)
    if (stream.ping === null || silentMs < stream.pingAfterMs || pingedAtMs >= receivedAtMs) return
    pingedAtMs = nowMs()
    ws.send(stream.ping)
  }
  const stopChecking = schedule.every(stream.silentAfterMs / CHECKS_PER_LIMIT, check)
  ws.on('open', () => {
    receivedAtMs = nowMs()
    onOpen()
    for (const frame of stream.subscribe(symbols)) ws.send(frame)
  })
  ws.on('message', (data, isBinary) => {
    receivedAtMs = nowMs()
    if (isBinary) onRefused('not-text')
    else onText(data.toString())
  })
  ws.on('error', (error: Error & { code?: string }) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') onRefused('too-large')
    reason ??= error.message || (error.code ?? 'failed')
  })
  const ended = new Promise<string>((resolve) => {
    ws.once('close', (code) => {
      stopChecking()
      resolve(reason ?? `closed by the exchange (${code})`)
    })
  })
  return { ended, close }
}
