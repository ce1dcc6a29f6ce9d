import type { Alert, TrackRecordAnswer } from '@tocsin/protocol'
import type { TypeRecord } from './prediction-words.ts'

/** The record of the alert's type, for the sentence of its prediction. Null before there is one. */
export function findTypeRecord(
  { record }: TrackRecordAnswer,
  { anomalyType, model }: Pick<Alert, 'anomalyType' | 'model'>,
): TypeRecord | null {
  if (!record) return null
  const isSame = (each: { model: string; anomalyType: string }) =>
    each.model === model?.name && each.anomalyType === anomalyType
  const row = record.by.type.find(({ key }) => key === anomalyType)
  return {
    resolved: record.calibration.resolved.find(isSame)?.resolved ?? 0,
    baseRate: row?.figures.baseRate ?? null,
  }
}
