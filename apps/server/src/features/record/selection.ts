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
  const { origin, calibration, controlRates } = record
  const calibrated = new Set(calibration.indexes)
  const isRated: IsSelected = ({ status }) => isCounted(status) && status !== 'void'
  const sets: Record<typeof set, IsSelected> = {
    counted: ({ status }) => isCounted(status),
    'without-void': isRated,
    witnessed: isWitnessed,
    episodes: ({ status, isFirstOfEpisode }) => isCounted(status) && isFirstOfEpisode,
    'with-controls': ({ status, index }) => isCounted(status) && controlRates.has(index),
    'without-controls': ({ status, index }) => isCounted(status) && !controlRates.has(index),
    calibrated: ({ index }) => calibrated.has(index),
    uncalibrated: (alert) => isRated(alert) && !calibrated.has(alert.index),
    predicted: ({ statement, forecast, status }) =>
      statement?.origin === origin && (forecast !== null || status === 'invalid'),
    outside: ({ status }) => status === 'no-prediction' || status === 'pending',
  }
  return sets[set]
}

function isInRow(record: TrackRecord, by: NonNullable<TrackRecordSelection['by']>, key: string): IsSelected {
  if (by === 'bin') return isInBin(record, key)
  const rows =
    by === 'model'
      ? record.by.model.filter(
          ({ key: { name, version, settingsHash } }) => `${name} ${version} ${settingsHash}` === key,
        )
      : record.by[by].filter((row) => row.key === key)
  const members = new Set(rows.flatMap(({ indexes }) => indexes))
  return ({ index }) => members.has(index)
}

/** The last bin includes 100. */
function isInBin({ calibration }: TrackRecord, from: string): IsSelected {
  const calibrated = new Set(calibration.indexes)
  return ({ index, statement }) => {
    if (!statement || !calibrated.has(index)) return false
    return String(Math.min(90, Math.floor(statement.confidence / 10) * 10)) === from
  }
}
