import type { Alert, TrackRecordResponse } from '@tocsin/protocol'
import type { TypeRecord } from './confidence-texts.ts'
import { formatDemoScope } from './demo-texts.ts'
import { isSimulated } from './prediction-names.ts'

/** Finds the track record of the alert's type. It has zero outcomes before the first anchor. */
export function findTypeRecord(
  { record }: TrackRecordResponse,
  { anomalyType, model, origin, prediction }: Pick<Alert, 'anomalyType' | 'model' | 'origin' | 'prediction'>,
): TypeRecord {
  const isSameType = (each: { model: string; anomalyType: string }) =>
    each.model === model?.name && each.anomalyType === anomalyType
  const row = record?.by.type.find(({ key }) => key === anomalyType)
  return {
    resolved: record?.calibration.resolved.find(isSameType)?.resolved ?? 0,
    rate: row?.figures.strict.rate ?? null,
    baseRate: row?.figures.baseRate ?? null,
    scope: origin === 'demo' ? formatDemoScope(isSimulated({ prediction }) ? 'simulated' : 'live') : '',
  }
}
