import { type AlertStatus, countedStatuses, isCounted, type RecordSummary } from '@tocsin/proof'
import type { TrackRecordSelection } from '@tocsin/protocol'
import { type SQL, sql } from 'drizzle-orm'
import type { Selection } from './record-store.ts'

/**
 * Condition for alerts in one of the statuses. Public alerts without a stored status have the
 * status `no-prediction`. The condition includes them only if that status is selected, so that the
 * database can use the index for all other statuses.
 */
function isOneOf(statuses: readonly AlertStatus[]): SQL {
  const values = statuses.map((one) => sql`${one}`)
  const hasStatus = sql`r.status in (${sql.join(values, sql`, `)})`
  return statuses.includes('no-prediction') ? sql`(r.status is null or ${hasStatus})` : hasStatus
}
const countedCondition = isOneOf(countedStatuses)
const ratedCondition = isOneOf(countedStatuses.filter((one) => one !== 'void'))
const isRated = (one: AlertStatus) => isCounted(one) && one !== 'void'
/** True for alerts with a prediction, including predictions that break a rule. */
const isPredicted = sql`r.status not in ('no-prediction', 'withheld')`
const matchesNone = () => false

/** Selects the alerts that a figure counts: by status, by set, and by row of a table. */
export function selectRecordAlerts(record: RecordSummary, selection: TrackRecordSelection): Selection {
  const { status: onlyStatus, set, by, key } = selection
  const selections: Selection[] = []
  if (onlyStatus !== undefined)
    selections.push({ isShown: isOneOf([onlyStatus]), isHiddenShown: (one) => one === onlyStatus })
  if (set !== undefined) selections.push(selectSet(record, set))
  // Alerts whose content is not public belong to no row.
  if (by !== undefined)
    selections.push({ isShown: buildRowCondition(record, by, key ?? ''), isHiddenShown: matchesNone })
  return {
    isShown: sql.join([sql`true`, ...selections.map(({ isShown }) => sql`(${isShown})`)], sql` and `),
    isHiddenShown: (one) => selections.every(({ isHiddenShown }) => isHiddenShown(one)),
  }
}

function selectSet(record: RecordSummary, set: NonNullable<TrackRecordSelection['set']>): Selection {
  const calibratedCondition = isCalibrated(record)
  const selectionBySet: Record<typeof set, Selection> = {
    counted: { isShown: countedCondition, isHiddenShown: isCounted },
    'without-void': { isShown: ratedCondition, isHiddenShown: isRated },
    witnessed: { isShown: sql`r.is_witnessed and ${isOneOf(['true', 'false', 'void'])}`, isHiddenShown: matchesNone },
    'time-not-proven': { isShown: sql`${countedCondition} and not r.is_time_proven`, isHiddenShown: matchesNone },
    episodes: { isShown: sql`${countedCondition} and r.is_first_of_episode`, isHiddenShown: isCounted },
    'with-controls': {
      isShown: sql`${countedCondition} and r.control_minutes is not null`,
      isHiddenShown: matchesNone,
    },
    'without-controls': { isShown: sql`${countedCondition} and r.control_minutes is null`, isHiddenShown: isCounted },
    calibrated: { isShown: calibratedCondition, isHiddenShown: matchesNone },
    uncalibrated: { isShown: sql`${ratedCondition} and not ${calibratedCondition}`, isHiddenShown: isRated },
    predicted: { isShown: sql`a.origin = ${record.origin} and ${isPredicted}`, isHiddenShown: matchesNone },
    outside: { isShown: isOneOf(['no-prediction', 'pending']), isHiddenShown: (one) => one === 'pending' },
  }
  return selectionBySet[set]
}

function isCalibrated({ calibration }: RecordSummary): SQL {
  const inCalibratedKeys = calibration.set.map(
    ({ model, anomalyType, after }) =>
      sql`(p.forecast -> 'model' ->> 'name' = ${model} and a.anomaly_type = ${anomalyType} and a.log_index > ${after})`,
  )
  return sql`(${ratedCondition} and ${isPredicted} and (${sql.join([sql`false`, ...inCalibratedKeys], sql` or `)}))`
}

function buildRowCondition(record: RecordSummary, by: NonNullable<TrackRecordSelection['by']>, key: string): SQL {
  const rows = {
    type: () => sql`a.anomaly_type = ${key}`,
    asset: () => sql`a.asset = ${key}`,
    priority: () => sql`a.priority = ${key}`,
    regime: () => sql`a.regime = ${key}`,
    month: () => {
      const from = new Date(`${key}-01T00:00:00.000Z`)
      const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1))
      return sql`a.created_at >= ${from} and a.created_at < ${until}`
    },
    model: () => sql`${isPredicted} and ${modelName} = ${key}`,
    // The last bin includes 100.
    bin: () => sql`${isCalibrated(record)} and least(90, floor(a.confidence::numeric / 10) * 10)::int::text = ${key}`,
    resolved: () => sql`${isOneOf(['true', 'false'])} and (${model} ->> 'name') || ' ' || a.anomaly_type = ${key}`,
  }
  // For an unknown row, `false` avoids a search of the whole log.
  return isRow(record, by, key) ? sql`a.origin = ${record.origin} and ${rows[by]()}` : sql`false`
}

const model = sql`p.forecast -> 'model'`
const modelName = sql`(${model} ->> 'name') || ' ' || (${model} ->> 'version') || ' ' || (${model} ->> 'settingsHash')`

function isRow({ by: tables, calibration }: RecordSummary, by: NonNullable<TrackRecordSelection['by']>, key: string) {
  if (by === 'bin') return calibration.bins.some(({ from }) => String(from) === key)
  if (by === 'resolved') return calibration.resolved.some((row) => `${row.model} ${row.anomalyType}` === key)
  if (by !== 'model') return tables[by].some((row) => row.key === key)
  return tables.model.some(({ key: { name, version, settingsHash } }) => `${name} ${version} ${settingsHash}` === key)
}
