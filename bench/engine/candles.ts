/**
 * Runs the engine over one-minute candles and checks its predictions by the rules of the record.
 * Usage: node --import tsx bench/engine/candles.ts <folder of candles-1m> [settings as JSON]
 */
import { type Alert, type Candle, createEngine, defaultSettings, type Finding } from '@tocsin/engine'
import { type Forecast, getCalibration } from './calibration.ts'
import { type Month, readMonths } from './candle-files.ts'
import { computeControlRate, computeMetric, type Metric } from './measure.ts'

const [folder = '', overrides = '{}'] = process.argv.slice(2)
const settings = { ...defaultSettings, ...JSON.parse(overrides) }
const MIN_CALIBRATED_OUTCOMES = 150
const HOUR = 3_600_000

interface ResolvedAlert {
  alert: Alert
  y: 0 | 1
  control: number
  forecast: Forecast
  calibrated: boolean
}

const months = readMonths(folder)
const engine = createEngine(settings)
const alerts = new Map<string, Alert>()
const judgedAlerts: ResolvedAlert[] = []
const countsByType = new Map<string, { n: number; k: number }>()

for (const start of [...new Set(months.map((month) => month.from))].sort((a, b) => a - b)) runMonth(start)
printTables()
for (const lowTime of ['2023-08-17T21:44Z', '2025-02-03T02:07Z']) reportCrash(Date.parse(lowTime))

/** Runs the engine over all assets of one month, minute by minute. */
function runMonth(start: number): void {
  const now = months.filter((month) => month.from === start)
  const minutes = Math.max(...now.map((month) => month.close.length))
  for (let i = 0; i < minutes; i++) {
    for (const month of now) if (i < month.close.length) recordFindings(engine.step(getCandle(month, i)))
    recordFindings(engine.step({ type: 'clock', at: start + (i + 1) * 60_000 + 1000 }))
  }
}

function getCandle(month: Month, i: number): Candle {
  const { open, high, low, close, volume, takerBuy } = month
  return {
    type: 'candle',
    venue: 'binance-usdm',
    market: month.market,
    at: month.from + i * 60_000,
    open: open[i] ?? 0,
    high: high[i] ?? 0,
    low: low[i] ?? 0,
    close: close[i] ?? 0,
    volume: volume[i] ?? 0,
    takerBuyVolume: takerBuy[i] ?? 0,
  }
}

function recordFindings(findings: readonly Finding[]): void {
  for (const finding of findings) {
    if (finding.type === 'alert') alerts.set(finding.id, finding)
    else evaluateAlert(finding.id)
  }
}

function evaluateAlert(id: string): void {
  const alert = alerts.get(id)
  if (alert === undefined) return
  const { prediction } = alert
  const startsAt = Date.parse(prediction.startsAt)
  const month = months.find(
    ({ asset, from, close }) =>
      `${asset}USDT` === prediction.market && from <= startsAt && startsAt < from + close.length * 60_000,
  )
  const minutes = prediction.horizonSeconds / 60
  const metric = prediction.metric as Metric
  const value =
    month === undefined ? Number.NaN : computeMetric(month, metric, (startsAt - month.from) / 60_000, minutes)
  if (month === undefined || Number.isNaN(value)) {
    engine.step({ type: 'outcome', id, verdict: 'void' })
    return
  }
  const y = value >= prediction.threshold ? 1 : 0
  const typeCounts = countsByType.get(alert.anomalyType) ?? { n: 0, k: 0 }
  judgedAlerts.push({
    alert,
    y,
    control: computeControlRate(month, { id, metric, threshold: prediction.threshold, startsAt, minutes }),
    forecast: { p: alert.confidence / 100, y, reference: (typeCounts.k + 1) / (typeCounts.n + 2) },
    calibrated: typeCounts.n >= MIN_CALIBRATED_OUTCOMES,
  })
  countsByType.set(alert.anomalyType, { n: typeCounts.n + 1, k: typeCounts.k + y })
  engine.step({ type: 'outcome', id, verdict: y === 1 ? 'came-true' : 'did-not' })
}

function printTables(): void {
  const days = months.reduce((sum, { close }) => sum + close.length / 1440, 0)
  console.log(`${alerts.size} alerts in ${days} asset-days: ${(alerts.size / days).toFixed(2)} a day`)
  const types = [...new Set(judgedAlerts.map(({ alert }) => alert.anomalyType))].sort()
  const matchesTypeOrStart = (text: string) => (alert: Alert) =>
    alert.anomalyType === text || alert.prediction.startsAt.startsWith(text)
  const rows = [...types, '2023', '2024', '2025'].map((name) => [name, createRow(matchesTypeOrStart(name), days)])
  console.table(Object.fromEntries([['all', createRow(() => true, days)], ...rows]))
  const priorities = [...alerts.values()].reduce<Record<string, number>>((counts, { priority }) => {
    counts[priority] = (counts[priority] ?? 0) + 1
    return counts
  }, {})
  console.log(priorities)
}

function createRow(matches: (alert: Alert) => boolean, days: number) {
  const rows = judgedAlerts.filter(({ alert }) => matches(alert))
  const rate = rows.reduce((sum, { y }) => sum + y, 0) / rows.length
  const rowsWithControl = rows.filter(({ control }) => !Number.isNaN(control))
  const baseRate = rowsWithControl.reduce((sum, { control }) => sum + control, 0) / rowsWithControl.length
  const forecasts = rows.filter(({ calibrated }) => calibrated).map(({ forecast }) => forecast)
  const { n, brier, referenceBrier, ece, chance, z } = getCalibration(forecasts)
  const roundValue = (value: number, digits = 3) => Number(value.toFixed(digits))
  return {
    alerts: rows.length,
    perDay: roundValue(rows.length / days, 2),
    true: roundValue(rate),
    base: roundValue(baseRate),
    lift: roundValue(rate / baseRate, 2),
    n,
    brier: roundValue(brier, 4),
    reference: roundValue(referenceBrier, 4),
    ece: roundValue(ece, 4),
    'ece by chance': roundValue(chance, 4),
    z: roundValue(z, 2),
  }
}

/**
 * Prints the market-wide alerts from three hours before a price low until 15 minutes after it, each
 * with the share of the price fall that had already happened.
 */
function reportCrash(lowMs: number): void {
  const fallingMonths = months.filter(({ from, close }) => from <= lowMs && lowMs < from + close.length * 60_000)
  console.log(`low at ${new Date(lowMs).toISOString()}, ${fallingMonths.length} assets`)
  for (const alert of alerts.values()) {
    const beforeLowMs = lowMs - alert.observedAt
    if (alert.asset !== 'Market' || beforeLowMs < -HOUR / 4 || beforeLowMs > 3 * HOUR) continue
    const parts = fallingMonths.map((month) => computePartOfFall(month, lowMs, alert.observedAt))
    const part = parts.reduce((sum, value) => sum + value, 0) / parts.length
    console.log(
      `  ${beforeLowMs / 60_000} min before it, after ${(100 * part).toFixed(1)} % of the fall: ${alert.summary}`,
    )
  }
}

/**
 * Returns the share of a price fall that had happened at time `at`. The fall is measured from the
 * highest to the lowest close of the three hours before `low`.
 */
function computePartOfFall({ from, close }: Month, low: number, at: number): number {
  const toIndex = (time: number) => Math.floor((time - from) / 60_000)
  const fallCloses = close.slice(toIndex(low - 3 * HOUR), toIndex(low) + 1)
  const start = Math.max(...fallCloses)
  return (start - (close[toIndex(at) - 1] ?? start)) / (start - Math.min(...fallCloses))
}
