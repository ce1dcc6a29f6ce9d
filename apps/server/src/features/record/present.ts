import type { ControlRate, Figures, RecordAlert, RecordSummary } from '@tocsin/proof'
import type { RecordFigures, ResponseOf, TrackRecordResponse } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'

export function presentRecord(record: RecordSummary, firstEntryAt: Date | null): TrackRecordResponse {
  const { origin, asOf, publicDelayMs, overall, coverage, calibration, recent, by } = record
  const { size, blockAt, blockNumber, blockHash } = asOf
  const { set: _set, bins, ...calibrationFigures } = calibration
  const table = <Key>(rows: readonly { key: Key; figures: Figures }[]) =>
    rows.map(({ key, figures }) => ({ key, figures: presentFigures(figures) }))
  return {
    record: {
      origin,
      asOf: { size, at: blockAt, blockNumber, blockHash },
      publicDelayHours: publicDelayMs / HOUR_MS,
      firstEntryAt: firstEntryAt?.toISOString() ?? null,
      overall: presentFigures(overall),
      coverage,
      calibration: {
        ...calibrationFigures,
        bins: bins.map((bin) => ({ ...bin, chanceBand: [...bin.chanceBand] })),
      },
      recent: { ...recent, figures: presentFigures(recent.figures) },
      by: {
        type: table(by.type),
        asset: table(by.asset),
        priority: table(by.priority),
        regime: table(by.regime),
        model: table(by.model),
        month: table(by.month),
      },
    },
  }
}

function presentFigures({ interval, ...figures }: Figures): RecordFigures {
  return { ...figures, interval: interval && [...interval] }
}

type Item = ResponseOf<'trackRecordAlerts'>['items'][number]

export function presentRecordAlert(alert: RecordAlert, controlRate: ControlRate | null): Item {
  const { index, leafHash, status, problem, statement, forecast, outcome, isWitnessed } = alert
  return {
    logIndex: index,
    leafHash,
    status,
    problem: problem ?? outcome?.problem ?? null,
    alert: statement && {
      id: statement.id,
      asset: statement.asset,
      anomalyType: statement.anomalyType,
      regime: statement.regime,
      priority: statement.priority,
      confidence: statement.confidence,
      createdAt: statement.createdAt,
      summary: statement.summary,
    },
    prediction: forecast?.prediction ?? null,
    outcome: outcome && {
      logIndex: outcome.index,
      verdict: outcome.verdict,
      measured: outcome.measured,
      createdAt: new Date(outcome.createdMs).toISOString(),
      timeProven: outcome.isTimeProven,
    },
    isWitnessed,
    controlRate,
  }
}
