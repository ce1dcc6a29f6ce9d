import type { RecordAlert, TrackRecord } from '@tocsin/proof'
import type { TrackRecordSelection } from '@tocsin/protocol'
import { type CsvField, formatCsv, formatCsvLines } from '../../http/csv.ts'
import { selectRecordAlerts } from './selection.ts'

/** Small enough that other requests are served between two chunks. */
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
  'isWitnessed',
  'controlMinutes',
  'controlsCameTrue',
] as const

/** The selected alerts, newest first. Only the head if there is no record yet. */
export async function* writeRecordCsv(
  record: TrackRecord | null,
  selection: TrackRecordSelection,
): AsyncGenerator<string> {
  yield formatCsv(COLUMNS, [])
  if (!record) return
  const isSelected = selectRecordAlerts(record, selection)
  const { alerts, controlRates } = record
  for (let end = alerts.length; end > 0; end -= PAGE) {
    const page = alerts
      .slice(Math.max(0, end - PAGE), end)
      .reverse()
      .filter(isSelected)
    if (page.length > 0) yield formatCsvLines(page.map((alert) => toLine(alert, controlRates)))
  }
}

function toLine(alert: RecordAlert, controlRates: TrackRecord['controlRates']): CsvField[] {
  const { index, leafHash, status, problem, statement, forecast, outcome, isWitnessed } = alert
  const prediction = forecast?.prediction
  const model = forecast?.model
  const controls = controlRates.get(index)
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
    isWitnessed,
    controlMinutes: controls?.minutes,
    controlsCameTrue: controls?.cameTrue,
  }
  return COLUMNS.map((column) => fields[column] ?? null)
}
