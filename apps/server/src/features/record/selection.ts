import { isCounted, isWitnessed, type RecordAlert, type TrackRecord } from '@tocsin/proof'
import type { TrackRecordSelection } from '@tocsin/protocol'

type IsSelected = (alert: RecordAlert) => boolean

/** Returns whether an alert is behind the figure: in the status, the set and the row. */
export function selectRecordAlerts(record: TrackRecord, selection: TrackRecordSelection): IsSelected {
  const { status, set, by, key } = selection
  const conditions: IsSelected[] = []
  if (status !== undefined) conditions.push((alert) => alert.status === status)
  if (set !== undefined) conditions.push(isInSet(record, set))
  if (by !== undefined) conditions.push(isInRow(record, by, key ?? ''))
  return (alert) => conditions.every((isMet) => isMet(alert))
}

function isInSet(record: TrackRecord, set: NonNullable<TrackRecordSelection['set']>): IsSelected {
  const { origin, controlRates } = record
  const isCalibrated = isInCalibration(record)
  const isRated: IsSelected = ({ status }) => isCounted(status) && status !== 'void'
  const sets: Record<typeof set, IsSelected> = {
    counted: ({ status }) => isCounted(status),
    'without-void': isRated,
    witnessed: isWitnessed,
    episodes: ({ status, isFirstOfEpisode }) => isCounted(status) && isFirstOfEpisode,
    'with-controls': ({ status, index }) => isCounted(status) && controlRates.has(index),
    'without-controls': ({ status, index }) => isCounted(status) && !controlRates.has(index),
    calibrated: isCalibrated,
    uncalibrated: (alert) => isRated(alert) && !isCalibrated(alert),
    predicted: ({ statement, forecast, status }) =>
      statement?.origin === origin && (forecast !== null || status === 'invalid'),
    outside: ({ status }) => status === 'no-prediction' || status === 'pending',
  }
  return sets[set]
}

function isInRow(record: TrackRecord, by: NonNullable<TrackRecordSelection['by']>, key: string): IsSelected {
  if (by === 'bin') return isInBin(record, key)
  return ({ statement, forecast }) => {
    if (statement?.origin !== record.origin) return false
    const { anomalyType: type, asset, priority, regime, createdAt } = statement
    const { name, version, settingsHash } = forecast?.model ?? {}
    const model = forecast ? `${name} ${version} ${settingsHash}` : null
    return { type, asset, priority, regime, model, month: createdAt.slice(0, 7) }[by] === key
  }
}

function isInCalibration({ calibration }: TrackRecord): IsSelected {
  return ({ status, index, statement, forecast }) =>
    isCounted(status) &&
    status !== 'void' &&
    calibration.set.some(
      ({ model, anomalyType, after }) =>
        model === forecast?.model.name && anomalyType === statement?.anomalyType && index > after,
    )
}

/** The last bin includes 100. */
function isInBin(record: TrackRecord, from: string): IsSelected {
  const isCalibrated = isInCalibration(record)
  return (alert) =>
    isCalibrated(alert) && String(Math.min(90, Math.floor((alert.statement?.confidence ?? 0) / 10) * 10)) === from
}
