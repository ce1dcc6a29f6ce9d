import { createHash } from 'node:crypto'
import {
  type AnchoredEvent,
  type ControlRate,
  createRecordReader,
  dayOf,
  decodeStatement,
  type Hex,
  horizonOf,
  isCounted,
  measureControlRates,
  type Prediction,
  type RecordAlert,
  type RecordOptions,
  readSignalMessage,
  type Statement,
  summarizeRecord,
  type TrackRecord,
  withoutArchive,
} from '@tocsin/proof'
import { type CandleReader, createCandleReader } from './candle-reader.ts'
import type { Run } from './log-report.ts'
import type { GivenEntry, LogSource } from './log-source.ts'
import { during, failAt } from './log-steps.ts'
import { CannotCheck } from './outcome.ts'
import { entryCount, number } from './progress.ts'
import { compareWithSite } from './record-comparison.ts'
import { describeRecord } from './record-report.ts'

/** What the log check passes on: the checked entries, and the anchors of the chain. */
export interface CheckedLog {
  entries: GivenEntry[]
  anchors: AnchoredEvent[]
}

/** The server that the log was read from, with what only a server has. */
type Server = LogSource & { url: URL }

/**
 * Recomputes the whole track record from the checked entries and their messages, and compares it
 * with the record that the site shows.
 */
export async function checkRecord(run: Run, { entries, anchors }: CheckedLog): Promise<void> {
  const { server, options, steps, notes } = run
  if (!hasUrl(server)) throw new Error('A track record is read from a server')
  const site = await during('record', () => server.readTrackRecord(options.recordOrigin))
  if (!site) {
    steps.set('record', { status: 'pending', reason: 'The site has no record before the first anchor' })
    return
  }
  const covered = anchors.filter(({ size }) => size <= site.size)
  const asOf = covered.at(-1)
  if (asOf?.size !== site.size || asOf.blockAt !== site.at) {
    throw failAt('record', `The site's record is as of ${entryCount(site.size)} at ${site.at}, which is no anchor`)
  }
  const recordOptions: RecordOptions = {
    anchors: covered,
    publicDelayMs: site.publicDelayMs,
    origin: options.recordOrigin,
  }
  const record = await during('record', () => computeRecord(run, server, entries, recordOptions))
  const shown = withoutArchive(record)
  const difference = await during('record', () => compareWithSite(shown, site, server))
  if (difference) throw failAt('record', difference.reason, difference.index)
  notes.push(...describeRecord(record, shown))
  if (options.candles === null)
    notes.push('Base rates use the candles of the server, which only its operator vouches for.')
  Object.assign(run.facts, listFacts(record, shown))
  const { strict } = shown.overall
  const alerts = strict.n === 1 ? 'alert' : 'alerts'
  steps.set('record', {
    status: 'passed',
    reason: `The same figures as the site: ${number(strict.count)} of ${number(strict.n)} counted ${alerts} came true`,
  })
}

/** Much faster than hashing in JavaScript. */
function hashMessage(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}

function hasUrl(server: LogSource): server is Server {
  return server.url !== null
}

async function computeRecord(
  run: Run,
  server: Server,
  entries: readonly GivenEntry[],
  options: RecordOptions,
): Promise<TrackRecord> {
  const candles = createCandleReader(run.options.candles, server.url, run.options)
  const reader = createRecordReader({ ...options, candles: candles.source, hashMessage })
  const predictions = new Map<number, Prediction>()
  const messages = readMessages(server)
  const size = options.anchors.at(-1)?.size ?? 0
  let next = await messages.next()
  for (const { index, leafHash, bytes } of entries.slice(0, size)) {
    while (!next.done && next.value.index < index) next = await messages.next()
    const message = !next.done && next.value.index === index ? next.value.message : null
    const statement = bytes === null ? null : decodeStatement(new TextEncoder().encode(bytes))
    const prediction = rememberPrediction(predictions, statement, message, options)
    if (prediction) await candles.loadWindow(prediction)
    reader.add({ index, leafHash, statement, message })
    run.progress.show(index, size, 'verdicts')
  }
  const alerts = reader.finish()
  const rates = await measureRates(alerts, options, candles)
  return summarizeRecord(alerts, { ...options, candles: candles.source }, rates)
}

/** Returns the prediction that this outcome is about, and keeps that of an alert. */
function rememberPrediction(
  predictions: Map<number, Prediction>,
  statement: Statement | null,
  message: string | null,
  { origin }: RecordOptions,
): Prediction | null {
  if (statement?.kind === 'outcome') return predictions.get(statement.targetIndex) ?? null
  if (statement?.kind !== 'alert' || message === null || statement.origin === 'admin') return null
  try {
    const forecast = readSignalMessage(message, origin).forecast
    if (forecast) predictions.set(statement.index, forecast.prediction)
  } catch {
    // The reader reports it.
  }
  return null
}

/** All messages by rising index of the entry that names them. */
async function* readMessages(server: Server): AsyncGenerator<{ index: number; message: string }, undefined> {
  for (let from: number | null = 0; from !== null; ) {
    const page = await server.readMessages(from)
    yield* page.messages
    if (page.next !== null && page.next <= from) throw new CannotCheck(`${server.name} does not go on after ${from}`)
    from = page.next
  }
}

/** Day by day, because the candles of all days do not fit in memory. */
async function measureRates(
  alerts: readonly RecordAlert[],
  { anchors }: RecordOptions,
  candles: CandleReader,
): Promise<ReadonlyMap<number, ControlRate>> {
  const days = new Map<string, RecordAlert[]>()
  for (const alert of alerts) {
    if (!alert.forecast || !isCounted(alert.status)) continue
    const day = dayOf(horizonOf(alert.forecast.prediction).from)
    days.set(day, [...(days.get(day) ?? []), alert])
  }
  const rates = new Map<number, ControlRate>()
  for (const [day, ofDay] of days) {
    for (const { forecast } of ofDay) if (forecast) await candles.loadDay(forecast.prediction, day)
    for (const [index, rate] of measureControlRates(ofDay, anchors, candles.source)) rates.set(index, rate)
  }
  return rates
}

function listFacts(
  { asOf, controlRates }: TrackRecord,
  { overall }: TrackRecord,
): Record<string, number | string | null> {
  const { statuses, strict, second, witnessed, baseRate, lift } = overall
  return {
    recordSize: asOf.size,
    recordAt: asOf.blockAt,
    recordCounted: strict.n,
    recordTrue: strict.count,
    strictRate: strict.rate,
    secondRate: second.rate,
    witnessedRate: witnessed.rate,
    baseRate,
    lift: lift?.lift ?? null,
    controlRates: controlRates.size,
    ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`status-${status}`, count])),
  }
}
