import type { EngineEvent, Tick, Venue } from '@tocsin/engine'

/**
 * Encodes an event for the journal. Ticks have a short form, because nearly all events are ticks.
 * JSON preserves every binary64 value.
 */
export function encodeEvent(event: EngineEvent): unknown {
  if (event.type !== 'tick') return event
  const { venue, market, number, count, at, price, amount, takerSide } = event
  return [venue, market, number, count, at, price, amount, takerSide === 'buy' ? 1 : 0]
}

/** Decodes a line. Only lines of `encodeEvent` are read, so their types are known. */
export function decodeEvent(line: unknown): EngineEvent {
  if (!Array.isArray(line)) return line as EngineEvent
  const [venue, market, number, count, at, price, amount, isTakerBuy] = line as [
    Venue,
    string,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const tick: Tick = {
    type: 'tick',
    venue,
    market,
    number,
    count,
    at,
    price,
    amount,
    takerSide: isTakerBuy === 1 ? 'buy' : 'sell',
  }
  return tick
}
