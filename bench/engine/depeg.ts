/**
 * Runs the engine over the de-pegging of USDC in March 2023.
 * Usage: node --import tsx bench/engine/depeg.ts <folder of depeg>
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Candle, createEngine, defaultSettings, type Venue } from '@tocsin/engine'

const [folder = '', overrides = '{}'] = process.argv.slice(2)

function readCandles(file: string, venue: Venue, market: string): Candle[] {
  const lines = gunzipSync(readFileSync(join(folder, `${file}.csv.gz`)))
    .toString()
    .trim()
    .split('\n')
  return lines.flatMap((line) => {
    const [time = '', ...cells] = line.split(',')
    if (time === 'open_time') return []
    const openMs = /^\d+$/.test(time) ? 1000 * Number(time) : Date.parse(time.replace(' ', 'T'))
    const [open = 0, high = 0, low = 0, close = 0, volume = 0] = cells.map(Number)
    return [{ type: 'candle', venue, market, at: openMs, open, high, low, close, volume }]
  })
}

const formatFileName = (quote: string) => `binanceus_BTC${quote}_1m_20230301_20230321`
const candles = [
  ...readCandles(formatFileName('USD'), 'binance', 'BTC/USD'),
  ...readCandles(formatFileName('USDT'), 'binance', 'BTC/USDT'),
  ...readCandles(formatFileName('USDC'), 'binance', 'BTC/USDC'),
  ...readCandles('kraken_BTCUSDC_1m_20230301_20230321', 'kraken', 'BTC/USDC'),
].sort((a, b) => a.at - b.at)

const engine = createEngine({ ...defaultSettings, ...JSON.parse(overrides) })
const counts: Record<string, number> = {}
let clock = candles[0]?.at ?? 0
for (const candle of candles) {
  const findings = candle.at > clock ? engine.step({ type: 'clock', at: candle.at + 1000 }) : []
  clock = candle.at
  for (const finding of [...findings, ...engine.step(candle)]) {
    if (finding.type !== 'alert') continue
    counts[finding.anomalyType] = (counts[finding.anomalyType] ?? 0) + 1
    if (finding.anomalyType !== 'Divergence') continue
    console.log(new Date(finding.observedAt).toISOString(), finding.asset, finding.priority, finding.summary)
  }
}
console.log('alerts in 21 days:', counts)
