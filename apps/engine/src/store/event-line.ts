import type { EngineEvent, Tick, Venue } from '@tocsin/engine'

/**
 * The journal's form of an event. Ticks are nearly all of them, so they are short. JSON keeps every
 * binary64 value.
 */
export function encodeEvent(event: EngineEvent): unknown {
  if (event.type !== 'tick') return event
  const { venue, market, number, count, at, price, amount, takerSide } = event
  return [venue, market, number, count, at, price, amount, takerSide === 'buy' ? 1 : 0]
}

/** Only reads lines that `encodeEvent` wrote, so their types are known. */
export function decodeEvent(line: unknown): EngineEvent {
  if (!Array.isArray(line)) return line as EngineEvent
  const [venue, market, number, count, at, price, amount, bought] = line as [
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
    takerSide: bought === 1 ? 'buy' : 'sell',
  }
  return tick
}
