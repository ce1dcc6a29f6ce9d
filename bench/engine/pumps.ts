/**
 * Runs the engine over trades around announced pumps. An alert for rush orders within ten minutes
 * of the announcement counts as a hit, and every other alert for rush orders as false.
 * Usage: node --import tsx bench/engine/pumps.ts <folder of pumps>
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Alert, createEngine, defaultSettings, type Tick } from '@tocsin/engine'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'

const folder = process.argv[2] ?? ''
const MINUTE = 60_000
const HIT_WINDOW_MS = 10 * MINUTE
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
function readAnnouncedMs(file: string): number {
  const [, day, time = ''] = file.replace('.csv.gz', '').split('_')
  return Date.parse(`${day}T${time.replace('.', ':')}:00Z`)
}

function collectRushAlerts(ticks: readonly Tick[], rushMove: number): Alert[] {
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
  /** Price rise that the first hit reports, in percent; 0 without a hit. */
  move: number
  text: string
}

function evaluatePump(file: string, rushMove: number): Result {
  const announcedMs = readAnnouncedMs(file)
  const alerts = collectRushAlerts(readTicks(file), rushMove)
  const hitAlerts = alerts.filter(({ observedAt }) => Math.abs(observedAt - announcedMs) <= HIT_WINDOW_MS)
  const wrong = alerts.length - hitAlerts.length
  const move = Number(/rose ([0-9.]+) %/.exec(hitAlerts[0]?.summary ?? '')?.[1] ?? 0)
  const delay =
    hitAlerts[0] === undefined ? 'missed' : `${((hitAlerts[0].observedAt - announcedMs) / 1000).toFixed(1)} s after it`
  return { hits: hitAlerts.length > 0 ? 1 : 0, wrong, move, text: `${file}: ${delay} at +${move} %, ${wrong} wrong` }
}

function printResults(title: string, results: readonly Result[]): void {
  const hitCount = results.reduce((sum, result) => sum + result.hits, 0)
  const wrongCount = results.reduce((sum, result) => sum + result.wrong, 0)
  const missedCount = results.length - hitCount
  const [low = 0, high = 0] = getInterval(results)
  const f1 = `F1 ${computeF1(results).toFixed(2)} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`
  console.log(`${title}: ${f1}, ${hitCount} hits, ${missedCount} missed, ${wrongCount} wrong`)
}

function computeF1(results: readonly Result[]): number {
  const hitCount = results.reduce((sum, result) => sum + result.hits, 0)
  const wrongCount = results.reduce((sum, result) => sum + result.wrong, 0)
  return hitCount === 0 ? 0 : (2 * hitCount) / (hitCount + wrongCount + results.length)
}

/**
 * Returns the 95 % confidence interval of the score by percentile bootstrap. The events are
 * resampled and not the alerts, because alerts around one event depend on each other.
 */
function getInterval(results: readonly Result[]): number[] {
  const random = createRandom(18)
  const pickResult = () => results[Math.floor(random() * results.length)] as Result
  const scores = Array.from({ length: RESAMPLES }, () => computeF1(results.map(pickResult))).sort((a, b) => a - b)
  return [0.025, 0.975].map((share) => scores[Math.floor(share * (RESAMPLES - 1))] ?? 0)
}

const files = readdirSync(folder)
  .filter((name) => /^[A-Z]+_.*gz$/.test(name))
  .sort((a, b) => readAnnouncedMs(a) - readAnnouncedMs(b))
const defaultResults = files.map((file) => evaluatePump(file, defaultSettings.rushMove))
for (const { text } of defaultResults) console.log(text)
printResults(
  `default settings, chosen with these events in view (move of ${defaultSettings.rushMove} %)`,
  defaultResults,
)

/**
 * Candidates for the minimum price move, in percent. For each event, the benchmark selects the
 * candidates with the best score over all earlier events and uses the middle one.
 */
const RUSH_MOVES = Array.from({ length: 21 }, (_, step) => 2 + step / 2)
const resultsByMove = RUSH_MOVES.map((move) => files.map((file) => evaluatePump(file, move)))
const forwardResults = files.slice(1).flatMap((file, before) => {
  const scores = resultsByMove.map((results) => computeF1(results.slice(0, before + 1)))
  const bestMoves = RUSH_MOVES.filter((_, index) => scores[index] === Math.max(...scores))
  const move = bestMoves[Math.floor(bestMoves.length / 2)] ?? defaultSettings.rushMove
  const result = resultsByMove[RUSH_MOVES.indexOf(move)]?.[before + 1]
  console.log(`${file}: move of ${move} %, best are ${bestMoves[0]} to ${bestMoves.at(-1)} %: ${result?.text}`)
  return result ?? []
})
printResults('forward in time, from the second event on', forwardResults)
