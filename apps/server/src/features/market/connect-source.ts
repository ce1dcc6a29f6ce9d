import { WebSocket } from 'ws'
import type { Scheduler } from '../../scheduler.ts'

export interface SourceConnection {
  url: string
  key: string | null
  onOpen(): void
  /** `raw` is null for a binary message. */
  onMessage(raw: string | null): void
  schedule: Scheduler
}

/**
 * Number of checks without a message after which the connection counts as frozen. A source sends
 * its clock every second.
 */
const MAX_SILENT_CHECKS = 6
const CHECK_MS = 5_000

/** Options of the connection. Untyped, because the package's types lack some of them. */
const clientOptions = {
  perMessageDeflate: false,
  followRedirects: false,
  maxPayload: 16 * 1024,
  maxFragments: 16,
  handshakeTimeout: 10_000,
  closeTimeout: 2_000,
}

/** Connects to a source of market data. Resolves with the reason when the connection ends. */
export async function connectSource(source: SourceConnection, signal: AbortSignal): Promise<string> {
  const headers = source.key === null ? {} : { authorization: `Bearer ${source.key}` }
  const ws = new WebSocket(source.url, { ...clientOptions, headers })
  let reason: string | null = null
  let checksSinceMessage = 0
  const endWithReason = (endReason: string) => {
    reason ??= endReason
    ws.terminate()
  }
  const stop = () => endWithReason('Stopped')
  const stopChecking = source.schedule.every(CHECK_MS, () => {
    checksSinceMessage += 1
    if (checksSinceMessage > MAX_SILENT_CHECKS) endWithReason('The source is silent')
  })
  ws.on('open', source.onOpen)
  ws.on('message', (data, isBinary) => {
    checksSinceMessage = 0
    source.onMessage(isBinary ? null : data.toString())
  })
  ws.on('error', (error) => {
    reason ??= error.message
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await new Promise((resolve) => ws.once('close', resolve))
    return reason ?? 'The source closed the connection'
  } finally {
    signal.removeEventListener('abort', stop)
    stopChecking()
  }
}
