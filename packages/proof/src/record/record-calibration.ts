import { isCounted } from './alert-status.ts'
import { type Calibration, calibrate, listReferenceForecasts } from './calibration.ts'
import { findFirst, groupBy } from './ordered.ts'
import type { RecordAlert } from './record-alert.ts'

/** How many alerts of a model and type must be resolved before its confidences are measured. */
export const resolvedBeforeCalibration = 150

/** Resolved alerts (true or false) of a model and type. */
export interface ResolvedCount {
  model: string
  anomalyType: string
  resolved: number
}

export interface RecordCalibration extends Calibration {
  /** The alerts behind the figures. */
  indexes: number[]
  /** Counted alerts without a void outcome that came before there were enough resolved ones. */
  leftOut: number
  resolved: ResolvedCount[]
}

/** @param alerts by rising index */
export function calibrateRecord(alerts: readonly RecordAlert[]): RecordCalibration {
  const resolvedIndexes = listResolved(alerts)
  const candidates = alerts.filter(({ status }) => isCounted(status) && status !== 'void')
  const set = candidates.flatMap((alert) => {
    const { statement, forecast, index, status, outcome } = alert
    if (!statement || !forecast) return []
    const earlier = resolvedIndexes.get(keyOf(alert))?.indexes ?? []
    const isEnough = findFirst(earlier.length, (at) => (earlier[at] ?? 0) >= index) >= resolvedBeforeCalibration
    if (!isEnough) return []
    return {
      index,
      confidence: statement.confidence,
      isTrue: status === 'true',
      type: statement.anomalyType,
      createdMs: Date.parse(statement.createdAt),
      resolvedMs: outcome?.createdMs ?? null,
    }
  })
  const references = listReferenceForecasts(set)
  const forecasts = set.map((result, at) => ({ ...result, referenceForecast: references[at] ?? 0.5 }))
  return {
    ...calibrate(forecasts),
    indexes: set.map(({ index }) => index),
    leftOut: candidates.length - set.length,
    resolved: [...resolvedIndexes.values()].map(({ model, anomalyType, indexes }) => ({
      model,
      anomalyType,
      resolved: indexes.length,
    })),
  }
}

function keyOf({ statement, forecast }: RecordAlert): string {
  return JSON.stringify([forecast?.model.name, statement?.anomalyType])
}

/** The indexes of the outcomes that resolved alerts, rising, by model name and type. */
function listResolved(alerts: readonly RecordAlert[]) {
  const resolved = alerts.filter(({ status }) => status === 'true' || status === 'false')
  return new Map(
    [...groupBy(resolved, keyOf)].map(([key, group]) => [
      key,
      {
        model: group[0]?.forecast?.model.name ?? '',
        anomalyType: group[0]?.statement?.anomalyType ?? '',
        indexes: group.flatMap(({ outcome }) => outcome?.index ?? []).sort((a, b) => a - b),
      },
    ]),
  )
}
