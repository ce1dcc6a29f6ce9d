import type { WireTrade } from './frame.ts'
import { type RestClient, RestError } from './rest-client.ts'
import type { NumberRange, Position } from './trade-sequence.ts'
import { readTradesPage, type VenueRest } from './venue-rest.ts'

export interface FetchedTrades {
  trades: WireTrade[]
  /** True if the pages reach from one end of the range to the other. */
  isCovered: boolean
}

/**
 * Fetches the trades of a range of numbers, page by page.
 * @param lastPosition the newest trade before the range
 * @throws RestError
 */
export async function fetchTrades(
  client: RestClient,
  rest: VenueRest,
  symbol: string,
  range: NumberRange,
  lastPosition: Position,
  maxPages: number,
): Promise<FetchedTrades> {
  const tradesByNumber = new Map<number, WireTrade>()
  const listTradesInRange = () =>
    [...tradesByNumber.values()].filter(({ number }) => number >= range.from && number <= range.to)
  for (let page = 0; page < maxPages; page++) {
    const path = rest.nextTrades(symbol, range, [...tradesByNumber.values()], lastPosition)
    if (path === null) return { trades: listTradesInRange(), isCovered: true }
    const countBefore = tradesByNumber.size
    for (const trade of await fetchPage(client, rest, symbol, path)) tradesByNumber.set(trade.number, trade)
    // Stop if a page has no new trades: the exchange has no more, or its pages lag behind its
    // stream.
    if (tradesByNumber.size === countBefore) break
  }
  const isCovered = rest.nextTrades(symbol, range, [...tradesByNumber.values()], lastPosition) === null
  return { trades: listTradesInRange(), isCovered }
}

/**
 * Fetches the newest page, oldest trade first.
 * @throws RestError
 */
export async function fetchNewestTrades(client: RestClient, rest: VenueRest, symbol: string): Promise<WireTrade[]> {
  const page = await fetchPage(client, rest, symbol, rest.newestTrades(symbol))
  return page.sort((a, b) => a.number - b.number)
}

async function fetchPage(client: RestClient, rest: VenueRest, symbol: string, path: string): Promise<WireTrade[]> {
  const text = await client.get(path).catch((error: unknown) => {
    const isKeyMissing = error instanceof RestError && [400, 401, 403].includes(error.status)
    if (!isKeyMissing) throw error
    return client.get(rest.newestTrades(symbol))
  })
  const page = readTradesPage(rest, text, symbol)
  if (!page) throw new RestError('The exchange returned an unknown page')
  return page
}
