import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Alert, AlertSelection, endpoints } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { STALL_MS, streamChunks } from '../../http/chunk-stream.ts'
import { type CsvField, formatCsv, formatCsvLines } from '../../http/csv.ts'
import { getNetwork, isNetworkFull } from '../../http/network.ts'
import { type Input, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { createSemaphore } from '../../semaphore.ts'
import { presentAlert } from './present.ts'
import type { AlertReader } from './read-store.ts'
import { findReader } from './reader.ts'
import { listReadable, prepareSearch } from './search-store.ts'
import { listAlertsAt } from './store.ts'

type Endpoints = typeof endpoints
type ExportInput = Pick<Input<Endpoints['exportAlertsCsv']>, 'query' | 'actor' | 'request' | 'reply'>
interface Format {
  name: 'csv' | 'json'
  type: string
  head: string
  /** @param isFirst true for the first page */
  page(alerts: readonly Alert[], isFirst: boolean): string
  foot: string
}

type Pause = (ms: number) => Promise<unknown>
type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

/** Number of alerts per page: small enough that other requests are served between two pages. */
const PAGE = 100
/**
 * Maximum number of pages created at the same time. After a page, its slot stays occupied for as
 * long as the page took, so that all exports together use at most half of one CPU core. A slow
 * client does not occupy a slot while it downloads its page.
 */
const MAX_CONCURRENT_PAGES = 1
/** Maximum number of exports that are open at the same time on this instance, active or not. */
const MAX_RUNNING_EXPORTS = 200
/** Maximum number of open exports of one network. */
const MAX_OPEN_PER_NETWORK = 4
const RETRY_AFTER_SECONDS = 5

/**
 * GET /api/alerts/export.csv and .json: streams the selected alerts that the account may read in
 * full, newest first. Allows one export at a time per account. Disconnects clients that read
 * nothing for 20 seconds.
 */
export function createAlertExports(pause: Pause = delay) {
  /** Open exports by account. */
  const runningExports = new Map<string, { network: string }>()
  const semaphore = createSemaphore(MAX_CONCURRENT_PAGES)
  const runLimited: RunLimited = (work) => semaphore(() => runWithPause(work, pause))

  async function startExport(ctx: Context, input: ExportInput, format: Format): Promise<Readable> {
    const actor = requireActor(input)
    const { accountId } = actor
    const network = getNetwork(input.request.ip)
    const reader = await findReader(ctx, actor)
    const details = { retryAfterSeconds: RETRY_AFTER_SECONDS }
    if (runningExports.has(accountId))
      throw new Refusal('too_many_requests', 'Your last export is still running. Wait until it is complete.', details)
    const networks = [...runningExports.values()].map((runningExport) => runningExport.network)
    if (runningExports.size >= MAX_RUNNING_EXPORTS || isNetworkFull(networks, network, MAX_OPEN_PER_NETWORK))
      throw new Refusal('too_many_requests', 'Too many exports are running. Try again in a moment.', details)
    const ownExport = { network }
    runningExports.set(accountId, ownExport)
    const release = () => {
      if (runningExports.get(accountId) === ownExport) runningExports.delete(accountId)
    }
    const day = ctx.clock.now().toISOString().slice(0, 10)
    // Release the export after its last chunk, not only when the stream closes. A client that has
    // received the last chunk can then start its next export immediately.
    const chunks = releaseAtEnd(release, writeFile(ctx, reader, input.query, format, runLimited))
    const file = streamChunks(chunks, STALL_MS, release)
    input.reply
      .type(format.type)
      .header('content-disposition', `attachment; filename="tocsin-alerts-${day}.${format.name}"`)
    return file
  }
  return {
    csv: (ctx: Context, input: Input<Endpoints['exportAlertsCsv']>) => startExport(ctx, input, csvFormat),
    json: (ctx: Context, input: Input<Endpoints['exportAlertsJson']>) => startExport(ctx, input, jsonFormat),
  }
}

async function* releaseAtEnd(release: () => void, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* chunks
  } finally {
    release()
  }
}

async function* writeFile(
  ctx: Context,
  reader: AlertReader,
  selection: AlertSelection,
  format: Format,
  runLimited: RunLimited,
): AsyncGenerator<string> {
  const search = await prepareSearch(ctx.db, reader.accountId, selection)
  yield format.head
  let writtenRows = 0
  for (let beforeIndex: number | undefined, isMore = true; isMore; ) {
    const page = await runLimited(() => makePage(ctx, reader, search, format, { beforeIndex, written: writtenRows }))
    if (page.text !== '') yield page.text
    writtenRows += page.count
    beforeIndex = page.lastIndex
    isMore = page.isFull
  }
  yield format.foot
  const detail = `${writtenRows.toLocaleString('en-US')} ${writtenRows === 1 ? 'alert' : 'alerts'} as ${format.name.toUpperCase()}`
  await recordActivity(ctx.db, { accountId: reader.accountId, kind: 'alerts_exported', detail, at: ctx.clock.now() })
}

/** Runs the work, then waits for as long as the work took, see MAX_CONCURRENT_PAGES. */
async function runWithPause<T>(work: () => Promise<T>, pause: Pause): Promise<T> {
  const startedMs = performance.now()
  try {
    return await work()
  } finally {
    await pause(performance.now() - startedMs)
  }
}

async function makePage(
  ctx: Context,
  reader: AlertReader,
  search: Awaited<ReturnType<typeof prepareSearch>>,
  format: Format,
  { beforeIndex, written }: { beforeIndex: number | undefined; written: number },
) {
  const indexes = await listReadable(ctx.db, reader, search, { beforeIndex, limit: PAGE })
  const alertsByIndex = await listAlertsAt(ctx.db, reader, indexes)
  const alerts = indexes.flatMap((index) => {
    const storedAlert = alertsByIndex.get(index)
    return storedAlert ? [presentAlert(storedAlert)] : []
  })
  const text = alerts.length > 0 ? format.page(alerts, written === 0) : ''
  return { text, count: alerts.length, lastIndex: indexes.at(-1), isFull: indexes.length === PAGE }
}

const jsonFormat: Format = {
  name: 'json',
  type: 'application/json; charset=utf-8',
  head: '[',
  page: (alerts, isFirst) => `${isFirst ? '' : ','}\n${alerts.map((alert) => JSON.stringify(alert)).join(',\n')}`,
  foot: '\n]\n',
}

/**
 * Columns of the CSV file, with the field names of the API. `merklePath` is separated by spaces.
 */
const COLUMNS = [
  'id',
  'kind',
  'createdAt',
  'priority',
  'asset',
  'anomalyType',
  'regime',
  'summary',
  'confidence',
  'origin',
  'signalHash',
  'logIndex',
  'leafHash',
  'signer',
  'signature',
  'treeSize',
  'root',
  'avalancheTx',
  'anchoredAt',
  'targetIndex',
  'targetLeafHash',
] as const

const toLine = (alert: Alert): CsvField[] => [
  ...COLUMNS.map((column) => alert[column]),
  alert.merklePath.join(' '),
  alert.supersededBy?.id ?? null,
  alert.salt ?? null,
]

const csvFormat: Format = {
  name: 'csv',
  type: 'text/csv; charset=utf-8',
  head: formatCsv([...COLUMNS, 'merklePath', 'supersededBy', 'salt'], []),
  page: (alerts) => formatCsvLines(alerts.map(toLine)),
  foot: '',
}
