import type { Readable } from 'node:stream'
import type { RecordSummary } from '@tocsin/proof'
import type { TrackRecordSelection } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { CsvField } from '../../http/csv.ts'
import { streamCsv } from '../../http/csv-stream.ts'
import { createSelectedReader, type SelectedAlert } from './selected-alerts.ts'

/** Number of alerts in a chunk. Small enough that other requests are served between two chunks. */
const PAGE = 200

const COLUMNS = [
  'logIndex',
  'leafHash',
  'status',
  'problem',
  'id',
  'createdAt',
  'priority',
  'asset',
  'anomalyType',
  'regime',
  'summary',
  'confidence',
  'metric',
  'threshold',
  'venue',
  'market',
  'otherVenue',
  'otherMarket',
  'startsAt',
  'horizonSeconds',
  'resolveBy',
  'model',
  'modelVersion',
  'settingsHash',
  'verdict',
  'measured',
  'outcomeLogIndex',
  'outcomeCreatedAt',
  'outcomeTimeProven',
  'isWitnessed',
  'controlMinutes',
  'controlsCameTrue',
] as const

/**
 * Streams the selected alerts as CSV, newest first. Writes only the header row if there is no
 * record yet.
 */
export function streamRecordCsv(ctx: Context, record: RecordSummary | null, selection: TrackRecordSelection): Readable {
  return streamCsv(COLUMNS, listPages(ctx, record, selection))
}

async function* listPages(
  ctx: Context,
  record: RecordSummary | null,
  selection: TrackRecordSelection,
): AsyncGenerator<CsvField[][]> {
  if (!record) return
  const readPage = await createSelectedReader(ctx, record, selection)
  for (let page = await readPage(record.asOf.size, PAGE); page.length > 0; ) {
    yield page.map(toLine)
    page = await readPage(page.at(-1)?.alert.index ?? 0, PAGE)
  }
}

function toLine({ alert, controlRate: controls }: SelectedAlert): CsvField[] {
  const { index, leafHash, status, problem, statement, forecast, outcome, isWitnessed } = alert
  const prediction = forecast?.prediction
  const model = forecast?.model
  const fields: Record<(typeof COLUMNS)[number], CsvField | undefined> = {
    logIndex: index,
    leafHash,
    status,
    problem: problem ?? outcome?.problem,
    id: statement?.id,
    createdAt: statement?.createdAt,
    priority: statement?.priority,
    asset: statement?.asset,
    anomalyType: statement?.anomalyType,
    regime: statement?.regime,
    summary: statement?.summary,
    confidence: statement?.confidence,
    metric: prediction?.metric,
    threshold: prediction?.threshold,
    venue: prediction?.venue,
    market: prediction?.market,
    otherVenue: prediction?.other?.venue,
    otherMarket: prediction?.other?.market,
    startsAt: prediction?.startsAt,
    horizonSeconds: prediction?.horizonSeconds,
    resolveBy: prediction?.resolveBy,
    model: model?.name,
    modelVersion: model?.version,
    settingsHash: model?.settingsHash,
    verdict: outcome?.verdict,
    measured: outcome?.measured,
    outcomeLogIndex: outcome?.index,
    outcomeCreatedAt: outcome && new Date(outcome.createdMs).toISOString(),
    outcomeTimeProven: outcome?.isTimeProven,
    isWitnessed,
    controlMinutes: controls?.minutes,
    controlsCameTrue: controls?.cameTrue,
  }
  return COLUMNS.map((column) => fields[column] ?? null)
}
