import { cpus } from 'node:os'
import type { Gap, Tick } from '@tocsin/engine'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import { type LiveVenue, liveVenues } from '../../apps/engine/src/market.ts'
import { systemScheduler } from '../../apps/engine/src/scheduler.ts'
import { createMarketFeed, type MarketFeed } from '../../apps/engine/src/sources/market-feed.ts'
import { venueStreams } from '../../apps/engine/src/sources/venues.ts'
import { getFrame, startAt, symbols } from '../../apps/engine/test/wire.ts'

// Compares the frames per second of two paths on one core: from the bytes of a frame to one-minute
// bars, and JSON.parse alone. The first path decodes, reads, checks and orders each trade.
// JSON.parse gets the decoded text.
// Usage: node --import tsx bench/engine/wire.ts [frames] [rounds]

const frames = Number(process.argv[2] ?? 200_000)
const rounds = Number(process.argv[3] ?? 7)

interface Bar {
  minute: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  bought: number
  trades: number
}

/** Builds minimal bars in place of the engine core, which throughput.ts measures. */
function createBars() {
  let bar: Bar | null = null
  let closedBars = 0
  return {
    add(event: Tick | Gap) {
      if (event.type === 'gap') return
      const { at, price, amount, takerSide } = event
      const minute = at - (at % 60_000)
      if (bar === null || bar.minute !== minute) {
        if (bar) closedBars += 1
        bar = { minute, open: price, high: price, low: price, close: price, volume: 0, bought: 0, trades: 0 }
      }
      if (price > bar.high) bar.high = price
      if (price < bar.low) bar.low = price
      bar.close = price
      bar.volume += amount
      if (takerSide === 'buy') bar.bought += amount
      bar.trades += 1
    },
    count: () => closedBars + (bar ? 1 : 0),
  }
}

/**
 * Creates frames of trades. Their prices have two decimals and move in small steps, as on the
 * exchange.
 */
function writeFrames(venue: LiveVenue): Buffer[] {
  const random = createRandom(18)
  let price = 61_204.11
  return Array.from({ length: frames }, (_, index) => {
    price += random() - 0.5
    const trade = {
      number: 4_700_000_000 + index,
      at: startAt + index,
      price: price.toFixed(2),
      amount: (random() / 10 + 0.00001).toFixed(8),
      takerSide: random() < 0.5 ? ('buy' as const) : ('sell' as const),
    }
    return Buffer.from(getFrame(venue, trade))
  })
}

function measureParsing(texts: readonly string[]): number {
  let keys = 0
  const startedAt = performance.now()
  for (const text of texts) keys += typeof JSON.parse(text) === 'object' ? 1 : 0
  const seconds = (performance.now() - startedAt) / 1_000
  if (keys !== texts.length) throw new Error('A frame is not an object')
  return texts.length / seconds
}

function measureWireToBars(venue: LiveVenue, buffers: readonly Buffer[]): number {
  const bars = createBars()
  const stream = venueStreams[venue]
  const client = { get: () => Promise.reject(new Error('There is no network')), statedMs: () => 0 }
  const nowMs = () => startAt + frames
  const dependencies = { nowMs, schedule: systemScheduler, emit: bars.add, noteLiveTrade() {} }
  const market = { venue, name: symbols[venue].name }
  const feeds = new Map<string, MarketFeed>()
  feeds.set(symbols[venue].stream, createMarketFeed(market, stream, client, dependencies, null))
  const startedAt = performance.now()
  for (const buffer of buffers) {
    const frame = stream.read(buffer.toString())
    if (frame.kind !== 'trades') throw new Error('A frame is not a trade')
    for (const trade of frame.trades) feeds.get(trade.symbol)?.ingest(trade, false)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const trades = feeds.get(symbols[venue].stream)?.status().trades
  if (trades !== buffers.length || bars.count() === 0) throw new Error(`Only ${trades} trades of ${buffers.length}`)
  return buffers.length / seconds
}

const computeMedian = (list: readonly number[]) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN
const formatMillions = (perSecond: number) => `${(perSecond / 1e6).toFixed(2)} M/s`

console.log(
  `${new Date().toISOString()}  ${cpus()[0]?.model}  Node ${process.version}  ${frames} frames, median of ${rounds}`,
)
for (const venue of liveVenues) {
  const buffers = writeFrames(venue)
  const texts = buffers.map((buffer) => buffer.toString())
  const parseRates: number[] = []
  const wireRates: number[] = []
  for (let round = -1; round < rounds; round++) {
    // Alternate the two paths, so that other load affects both. The first round is a warm-up.
    const [parse, wire] = [measureParsing(texts), measureWireToBars(venue, buffers)]
    if (round < 0) continue
    parseRates.push(parse)
    wireRates.push(wire)
  }
  const ratio = computeMedian(wireRates.map((wire, index) => wire / (parseRates[index] ?? Number.NaN)))
  console.log(
    `${venue.padEnd(9)} JSON.parse ${formatMillions(computeMedian(parseRates))}   wire to bars ${formatMillions(computeMedian(wireRates))}   ratio ${ratio.toFixed(2)}`,
  )
}
