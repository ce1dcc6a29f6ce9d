import { type Clock, formatDecimal, type Gap, type Tick } from '@tocsin/engine'
import type { WebSocket } from 'ws'
import { formatMarketKey } from './market.ts'
import type { Scheduler } from './scheduler.ts'

/** An event that readers of market data receive. */
export type MarketEvent = Tick | Gap | Clock

const CLOCK_MS = 1_000
const PING_MS = 10_000
/** Maximum number of bytes that wait to be sent. A reader that is too slow is disconnected. */
const MAX_BUFFERED_BYTES = 1024 * 1024
export const MAX_TICK_READERS = 8

/**
 * Passes trades on to readers of market data (docs/engine.md, Ticks). Stores only the newest trade
 * of each market, which a new connection receives first.
 */
export function createTickFeed({ nowMs, schedule }: { nowMs(): number; schedule: Scheduler }) {
  const newestTicks = new Map<string, Tick>()
  const readers = new Set<WebSocket>()

  const sendTo = (socket: WebSocket, text: string) => {
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(text)
  }
  const sendEvent = (event: MarketEvent) => {
    if (readers.size === 0) return
    const text = encodeEvent(event)
    if (text !== null) for (const socket of readers) sendTo(socket, text)
  }
  const stop = schedule.every(CLOCK_MS, () => sendEvent({ type: 'clock', at: nowMs() }))
  return {
    offer(event: MarketEvent) {
      if (event.type === 'tick') newestTicks.set(formatMarketKey({ venue: event.venue, name: event.market }), event)
      sendEvent(event)
    },
    add(socket: WebSocket) {
      readers.add(socket)
      let isAnswered = true
      const stopPinging = schedule.every(PING_MS, () => {
        if (!isAnswered) return socket.terminate()
        isAnswered = false
        if (socket.readyState === socket.OPEN) socket.ping()
      })
      socket.on('pong', () => {
        isAnswered = true
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        stopPinging()
        readers.delete(socket)
      })
      for (const tick of newestTicks.values()) {
        const text = encodeEvent(tick)
        if (text !== null) sendTo(socket, text)
      }
    },
    readers: () => readers.size,
    stop,
  }
}

export type TickFeed = ReturnType<typeof createTickFeed>

function encodeEvent(event: MarketEvent): string | null {
  if (event.type !== 'tick') return JSON.stringify(event)
  const [price, amount] = [formatDecimal(event.price), formatDecimal(event.amount)]
  return price === null || amount === null ? null : JSON.stringify({ ...event, price, amount })
}
