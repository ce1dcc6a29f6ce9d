/**
 * Runs the engine over trades around announced pumps. An alert for rush orders within ten minutes
 * of the announcement counts as a hit, and every other alert for rush orders as false.
 * Usage: node --import tsx bench/engine/pumps.ts <folder of pumps>
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Alert, createEngine, defaultSettings, type Tick } from '@tocsin/engine'
import { mulberry32 } from './calibration.ts'

const folder = process.argv[2] ?? ''
const MINUTE = 60_000
const HIT_MS = 10 * MINUTE
const RESAMPLES = 10_000

function readTicks(file: string): Tick[] {
  const lines = gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .trim()
    .split('\n')
    .slice(1)
  return lines.map((line, number) => {
    const [market = '', at, , side, price, amount] = line.split(',')
    const takerSide = side === 'buy' ? 'buy' : 'sell'
    return {
      type: 'tick',
      venue: 'binance',
      market,
      number,
      count: 1,
      at: Number(at),
      price: Number(price),
      amount: Number(amount),
      takerSide,
    }
  })
}

/** Returns the time of the announcement from a file name such as `OAX_2018-08-17_16.00.csv.gz`. */
function announcedAt(file: string): number {
  const [, day, time = ''] = file.replace('.csv.gz', '').split('_')
  return Date.parse(`${day}T${time.replace('.', ':')}:00Z`)
}

function rushAlerts(ticks: readonly Tick[], rushMove: number): Alert[] {
  const engine = createEngine({ ...defaultSettings, rushMove })
  const alerts: Alert[] = []
  let clock = (ticks[0]?.at ?? 0) - ((ticks[0]?.at ?? 0) % MINUTE)
  for (const tick of ticks) {
    for (; clock + MINUTE + 1000 <= tick.at; clock += MINUTE) engine.step({ type: 'clock', at: clock + MINUTE + 1000 })
    for (const finding of engine.step(tick)) if (finding.type === 'alert') alerts.push(finding)
  }
  return alerts.filter(({ anomalyType }) => anomalyType.startsWith('Rush'))
}

interface Result {
  hits: number
  wrong: number
  /** Rise of the price that the first hit reports, in percent. */
  move: number
  text: string
}

function evaluate(file: string, rushMove: number): Result {
  const announced = announcedAt(file)
  const alerts = rushAlerts(readTicks(file), rushMove)
  const hits = alerts.filter(({ observedAt }) => Math.abs(observedAt - announced) <= HIT_MS)
  const wrong = alerts.length - hits.length
  const move = Number(/rose ([0-9.]+) %/.exec(hits[0]?.summary ?? '')?.[1] ?? 0)
  const delay = hits[0] === undefined ? 'missed' : `${((hits[0].observedAt - announced) / 1000).toFixed(1)} s after it`
  return { hits: hits.length > 0 ? 1 : 0, wrong, move, text: `${file}: ${delay} at +${move} %, ${wrong} wrong` }
}

function print(title: string, results: readonly Result[]): void {
  const hits = results.reduce((sum, result) => sum + result.hits, 0)
  const wrong = results.reduce((sum, result) => sum + result.wrong, 0)
  const missed = results.length - hits
  const [low = 0, high = 0] = getInterval(results)
  const f1 = `F1 ${getScore(results).toFixed(2)} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`
  console.log(`${title}: ${f1}, ${hits} hits, ${missed} missed, ${wrong} wrong`)
}

function getScore(results: readonly Result[]): number {
  const hits = results.reduce((sum, result) => sum + result.hits, 0)
  const wrong = results.reduce((sum, result) => sum + result.wrong, 0)
  return hits === 0 ? 0 : (2 * hits) / (hits + wrong + results.length)
}

/**
 * Returns the 95 % confidence interval of the score by percentile bootstrap. The events are
 * resampled and not the alerts, because alerts around one event depend on each other.
 */
function getInterval(results: readonly Result[]): number[] {
  const random = mulberry32(18)
  const pick = () => results[Math.floor(random() * results.length)] as Result
  const scores = Array.from({ length: RESAMPLES }, () => getScore(results.map(pick))).sort((a, b) => a - b)
  return [0.025, 0.975].map((share) => scores[Math.floor(share * (RESAMPLES - 1))] ?? 0)
}

const files = readdirSync(folder)
  .filter((name) => /^[A-Z]+_.*gz$/.test(name))
  .sort((a, b) => announcedAt(a) - announcedAt(b))
const fixed = files.map((file) => evaluate(file, defaultSettings.rushMove))
for (const { text } of fixed) console.log(text)
print(`default settings, chosen with these events in view (move of ${defaultSettings.rushMove} %)`, fixed)

/**
 * Candidates for the minimum move, which is evaluated forward in time. For each event, the
 * candidates with the best score over all earlier events are determined, and the middle one of them
 * is used.
 */
const MOVES = Array.from({ length: 21 }, (_, step) => 2 + step / 2)
const byMove = MOVES.map((move) => files.map((file) => evaluate(file, move)))
const forward = files.slice(1).flatMap((file, before) => {
  const scores = byMove.map((results) => getScore(results.slice(0, before + 1)))
  const best = MOVES.filter((_, index) => scores[index] === Math.max(...scores))
  const move = best[Math.floor(best.length / 2)] ?? defaultSettings.rushMove
  const result = byMove[MOVES.indexOf(move)]?.[before + 1]
  console.log(`${file}: move of ${move} %, best are ${best[0]} to ${best.at(-1)} %: ${result?.text}`)
  return result ?? []
})
print('forward in time, from the second event on', forward)
