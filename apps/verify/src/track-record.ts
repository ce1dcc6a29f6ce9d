import {
  type AnchoredEvent,
  type ControlRate,
  createRecordReader,
  decodeStatement,
  type Hex,
  listControlTasks,
  type RecordOptions,
  recomputeWithoutArchive,
  type Statement,
  summarizeRecord,
  type TrackRecord,
} from '@tocsin/proof'
import type { Run } from './log-report.ts'
import type { LogSource, SiteRecord } from './log-source.ts'
import { CheckStopped, createStepFailure, runPartOfStep } from './log-steps.ts'
import { CannotCheck } from './outcome.ts'
import { formatEntryCount, formatNumber } from './progress.ts'
import { compareWithSite } from './record-comparison.ts'
import { createRecordEvaluator, hashMessage, type RecordEvaluator } from './record-evaluator.ts'
import { describeRecord } from './record-report.ts'
import { createRecordWork } from './record-work.ts'

/** An entry that the log check has accepted. */
export interface CheckedEntry {
  index: number
  leafHash: Hex
  /** Null if the content is withheld, or if it is only in `bytes`. */
  statement: Statement | null
  bytes: string | null
}

/** The input from the log check: the checked entries, and the anchors of the chain. */
export interface CheckedLog {
  entries: CheckedEntry[]
  anchors: AnchoredEvent[]
}

/** The server from which the log was read. Unlike a file, it has a URL. */
type Server = LogSource & { url: URL }

/**
 * Recomputes the whole track record from the checked entries and their messages, and compares it
 * with the record that the site shows.
 * @param site the site's record, read before the anchors. Null before the first anchor
 */
export async function checkRecord(run: Run, site: SiteRecord | null, { entries, anchors }: CheckedLog): Promise<void> {
  const { server, options, steps, notes } = run
  if (!hasUrl(server)) throw new Error('A track record is read from a server')
  if (!site) {
    steps.set('record', { status: 'pending', reason: 'The site has no record before the first anchor' })
    return
  }
  if (site.size > (anchors.at(-1)?.size ?? 0)) {
    const claim = `The site's record is as of ${formatEntryCount(site.size)}, and the node shows no anchor of them yet`
    throw new CheckStopped('record', 'unavailable', `${claim}: try again, or give another node with --rpc`)
  }
  const coveredAnchors = anchors.filter(({ size }) => size <= site.size)
  const asOf = coveredAnchors.at(-1)
  if (asOf?.size !== site.size || asOf.blockAt !== site.at) {
    throw createStepFailure(
      'record',
      `The site's record is as of ${formatEntryCount(site.size)} at ${site.at}, which is not an anchor`,
    )
  }
  const recordOptions: RecordOptions = {
    anchors: coveredAnchors,
    publicDelayMs: site.publicDelayMs,
    origin: options.recordOrigin,
  }
  const { record, shown } = await runPartOfStep('record', () => computeRecords(run, server, entries, recordOptions))
  const difference = await runPartOfStep('record', () => compareWithSite(shown, site, server))
  if (difference) throw createStepFailure('record', difference.reason, difference.index)
  notes.push(...describeRecord(record, shown))
  if (options.candles === null)
    notes.push('Base rates use the candles of the server, which only its operator vouches for.')
  Object.assign(run.facts, listFacts(shown), options.candles === null ? {} : listArchiveFacts(record))
  const { strict } = shown.overall
  const alertNoun = strict.n === 1 ? 'alert' : 'alerts'
  steps.set('record', {
    status: 'passed',
    reason: `The same figures as the site: ${formatNumber(strict.count)} of ${formatNumber(strict.n)} counted ${alertNoun} came true`,
  })
}

function hasUrl(server: LogSource): server is Server {
  return server.url !== null
}

interface Records {
  record: TrackRecord
  /** The record as the site computes it: with its own candles, and without an archive. */
  shown: TrackRecord
}

async function computeRecords(
  run: Run,
  server: Server,
  entries: readonly CheckedEntry[],
  options: RecordOptions,
): Promise<Records> {
  const hasArchive = run.options.candles !== null
  const recordOptions: RecordOptions = { ...options, hashMessage, hasArchive }
  const reader = createRecordReader(recordOptions)
  const evaluators = getEvaluators(run, server)
  const work = createRecordWork(evaluators, reader, options.anchors)
  const siteWork = hasArchive ? createRecordWork(evaluators.map(withServerCandles), reader, options.anchors) : null
  const messages = readMessages(server)
  const size = options.anchors.at(-1)?.size ?? 0
  let next = await messages.next()
  for (const { index, leafHash, ...content } of entries.slice(0, size)) {
    while (!next.done && next.value.index < index) next = await messages.next()
    const message = !next.done && next.value.index === index ? next.value.message : null
    const statement = parseStatement(content)
    const task = reader.add({ index, leafHash, statement, message })
    if (task) await work.evaluate(task)
    const forecast = reader.getForecast(index)
    if (forecast) {
      const control = { index, leafHash, prediction: forecast.prediction }
      await work.measure(control)
      await siteWork?.measure(control)
    }
    run.progress.show(index, size, 'verdicts')
  }
  const rates = await work.finish()
  const siteRates = (await siteWork?.finish()) ?? rates
  const alerts = reader.finish()
  const tasks = listControlTasks(alerts)
  const selectCounted = (ratesByIndex: ReadonlyMap<number, ControlRate>) =>
    new Map(
      tasks.flatMap(({ index }) => {
        const rate = ratesByIndex.get(index)
        return rate ? [[index, rate] as const] : []
      }),
    )
  const record = summarizeRecord(alerts, recordOptions, selectCounted(rates))
  return { record, shown: recomputeWithoutArchive(record, selectCounted(siteRates)) }
}

/** Measures control minutes with the candles of the server, as the site does. */
function withServerCandles({ evaluate, measure }: RecordEvaluator): RecordEvaluator {
  return { evaluate, measure: (tasks, anchors) => measure(tasks, anchors, true) }
}

function getEvaluators({ pool, options }: Run, { url }: Server): readonly RecordEvaluator[] {
  return pool?.evaluators ?? [createRecordEvaluator({ ...options, serverUrl: url.href })]
}

function parseStatement({ statement, bytes }: Pick<CheckedEntry, 'statement' | 'bytes'>): Statement | null {
  return statement ?? (bytes === null ? null : decodeStatement(new TextEncoder().encode(bytes)))
}

/**
 * Yields all messages in ascending order of the entry that references them. Requests the next page
 * before it passes on the current one, so that the server reads it while the caller computes.
 * @throws CannotCheck if the messages are in another order, or a page before the last one is empty:
 *   such a list could be endless
 */
async function* readMessages(server: Server): AsyncGenerator<{ index: number; message: string }, undefined> {
  const orderError = new CannotCheck(`${server.name} does not list its messages in ascending index order`)
  let pendingPage = server.readMessages(0)
  for (let from = 0; ; ) {
    const { messages, next } = await pendingPage
    for (const { index } of messages) {
      if (index < from) throw orderError
      from = index + 1
    }
    if (next !== null) {
      if (messages.length === 0 || next < from) throw orderError
      from = next
      pendingPage = server.readMessages(next)
      // The promise is awaited later. Without a handler until then, a rejection would end the
      // process.
      pendingPage.catch(() => {})
    }
    yield* messages
    if (next === null) return
  }
}

function listFacts({ asOf, controlRates, overall }: TrackRecord): Record<string, number | string | null> {
  const { statuses, strict, second, witnessed, timesNotProven, baseRate, lift } = overall
  return {
    recordSize: asOf.size,
    recordAt: asOf.blockAt,
    recordCounted: strict.n,
    recordTrue: strict.count,
    strictRate: strict.rate,
    secondRate: second.rate,
    witnessedRate: witnessed.rate,
    recordTimesNotProven: timesNotProven,
    baseRate,
    lift: lift?.lift ?? null,
    controlRates: controlRates.size,
    ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`status-${status}`, count])),
  }
}

function listArchiveFacts({ overall: { baseRate, lift } }: TrackRecord): Record<string, number | null> {
  return { archiveBaseRate: baseRate, archiveLift: lift?.lift ?? null }
}
