import type { PastMessage } from '@tocsin/demo/engine-history.ts'
import {
  type Candle,
  computeWindow,
  evaluatePrediction,
  formatDay,
  getDaySpan,
  hashSignal,
  listMissingMinutes,
  type Prediction,
  parseCandleLists,
} from '@tocsin/proof'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'

/**
 * Interval between two batches of signals: one minute before the horizon, the horizon of an hour,
 * and one minute for the outcomes.
 */
export const PERIOD_MS = 62 * 60_000
const MARKETS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT']
const RULES = [
  { type: 'Price move', metric: 'maxExcursion', threshold: 0.8 },
  { type: 'Price move', metric: 'maxExcursion', threshold: 1.2 },
  { type: 'Volume spike', metric: 'volume', threshold: 310 },
  { type: 'Volume spike', metric: 'volume', threshold: 290 },
  { type: 'Volatility shift', metric: 'realisedVariance', threshold: 0.6 },
] as const
export const SIGNALS_PER_PERIOD = MARKETS.length * RULES.length

const model = { name: 'engine', version: '1.0.0', settingsHash: `0x${'22'.repeat(32)}` }

/**
 * Creates the messages of a synthetic feed: signals of four markets every 62 minutes, each with a
 * prediction for an hour and an outcome with 60 candles, and the candles of each day. Prices are a
 * random walk.
 */
export async function* createMessages(fromMs: number, periods: number): AsyncGenerator<PastMessage[]> {
  const random = createRandom(1)
  const firstMinute = Math.floor(fromMs / 86_400_000) * 86_400
  const minutes = Math.ceil((periods * PERIOD_MS + 86_400_000) / 60_000 / 1_440) * 1_440 + 1_440
  const candlesByMarket = new Map(MARKETS.map((market) => [market, createRandomWalk(firstMinute, minutes, random)]))
  const sliceCandles = (market: string, { from, until }: { from: number; until: number }): Candle[] =>
    (candlesByMarket.get(market) ?? []).slice((from - firstMinute) / 60, (until - firstMinute) / 60)

  let day = formatDay(firstMinute)
  for (let period = 0; period < periods; period++) {
    const at = Math.ceil(fromMs / 60_000) * 60_000 + period * PERIOD_MS
    const signals = MARKETS.flatMap((market) =>
      RULES.map((rule, each) => makeSignal(`${market}-${period}-${each}`, market, rule, at, random)),
    )
    const outcomes = signals.map(({ text, prediction, id }) => {
      const candles = sliceCandles(prediction.market, computeWindow(prediction))
      const lists = parseCandleLists(prediction, candles, undefined)
      const verdict = evaluatePrediction(prediction, lists)
      const missing = listMissingMinutes(prediction, lists)
      return JSON.stringify({
        type: 'outcome',
        id,
        signalHash: hashSignal(text),
        candles,
        missing,
        ...verdict,
        note: '',
      })
    })
    const judgedAt = at + 60_000 + 3_600_000 + 3_000
    const messages: PastMessage[] = [
      ...signals.map(({ text }) => ({ kind: 'signal' as const, text, at: at + 1_000 })),
      ...outcomes.map((text) => ({ kind: 'outcome' as const, text, at: judgedAt })),
    ]
    const evaluatedDay = formatDay(Math.floor(judgedAt / 1_000))
    if (evaluatedDay !== day || period === periods - 1) {
      for (const market of MARKETS) {
        const candles = sliceCandles(market, getDaySpan(day))
        const text = JSON.stringify({ type: 'candles', venue: 'binance', market, day, candles })
        messages.push({ kind: 'candles', text, at: judgedAt })
      }
      day = evaluatedDay
    }
    yield messages
  }
}

function makeSignal(id: string, market: string, rule: (typeof RULES)[number], at: number, random: () => number) {
  const startMs = at + 60_000
  const prediction: Prediction = {
    metric: rule.metric,
    comparison: 'gte',
    threshold: rule.threshold,
    venue: 'binance',
    market,
    candleSeconds: 60,
    startsAt: new Date(startMs).toISOString(),
    horizonSeconds: 3_600,
    resolveBy: new Date(startMs + 3_600_000 + 900_000).toISOString(),
  }
  const text = JSON.stringify({
    id,
    asset: `${market.slice(0, 3)}/USDT`,
    anomalyType: rule.type,
    confidence: Math.round(200 + random() * 500) / 10,
    regime: 'Normal',
    summary: `Price moved 1.1 % in 5 min; one of ${SIGNALS_PER_PERIOD} synthetic signals`,
    priority: 'high',
    observedAt: new Date(at).toISOString(),
    prediction,
    model,
  })
  return { id, text, prediction }
}

/** Creates one-minute candles of a random walk. Numbers are strings, as exchanges publish them. */
function createRandomWalk(firstMinute: number, minutes: number, random: () => number): Candle[] {
  let price = 1_000
  return Array.from({ length: minutes }, (_, index): Candle => {
    const open = price
    price *= 1 + 0.002 * (random() - 0.5)
    const [high, low] = [Math.max(open, price), Math.min(open, price)]
    const figures = [open, high, low, price].map((each) => each.toFixed(2))
    const [o = '', h = '', l = '', c = ''] = figures
    return [firstMinute + index * 60, o, h, l, c, (10 * random()).toFixed(3)]
  })
}
