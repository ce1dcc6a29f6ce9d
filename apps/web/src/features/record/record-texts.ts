import { formatRate, formatShare, resolvedBeforeCalibration } from '@tocsin/proof'
import type { RecordFigures, TrackRecordResponse, TrackRecordSelection } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import { shortenHash } from '../../ui/short-hex.ts'
import type { RecordOrigin, RecordSelection } from '../prediction/record-queries.ts'

export type PublicRecord = NonNullable<TrackRecordResponse['record']>
export type TableName = keyof PublicRecord['by']
export type Rate = RecordFigures['strict']

/**
 * Minimum number of counted alerts for a comparison. Below it, a table row shows no base rate and
 * no lift.
 */
export const minCompared = 30

export const percent = (share: number) => `${formatRate(share)}%`

/** "42.5%", rounded from the exact fraction; an em dash without counted alerts. */
export function formatRatePercent({ count, n }: Rate): string {
  return n === 0 ? '—' : `${formatShare(count, n)}%`
}

/** "39.7% to 45.3%". */
export function formatInterval(interval: RecordFigures['interval']): string {
  return interval === null ? '—' : `${percent(interval[0])} to ${percent(interval[1])}`
}

/** "6.1×". */
export function formatLift(lift: RecordFigures['lift']): string {
  return lift === null ? '—' : `${lift.lift.toFixed(1)}×`
}

/** Selects the alerts behind a figure. Unlike `RecordSelection`, allows only known values. */
export type Selection = Partial<Pick<TrackRecordSelection, 'status' | 'set' | 'by' | 'key'>>

/**
 * Link to the alerts behind a figure.
 * @param cursor position of a later page. Only the server reads it, for users without JavaScript
 */
export function createAlertsHref(selection: Selection | RecordSelection, cursor?: string): string {
  const namedParams = Object.entries({ ...selection, cursor }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `${paths.trackRecord}?${new URLSearchParams(namedParams)}#alerts`
}

/** URL of the CSV file with the alerts behind a figure. */
export function createAlertsCsvHref(origin: RecordOrigin, selection: RecordSelection): string {
  return `/api/track-record/alerts.csv?${new URLSearchParams({ origin, ...selection })}`
}

export const statusNames: Record<keyof RecordFigures['statuses'], string> = {
  true: 'Came true',
  false: 'Did not come true',
  void: 'Void',
  overdue: 'Overdue',
  late: 'Anchored late',
  withheld: 'Withheld',
  invalid: 'Invalid',
  disputed: 'Disputed',
  open: 'Open',
  pending: 'Not public yet',
  'no-prediction': 'No prediction',
}

const setNames: Record<NonNullable<TrackRecordSelection['set']>, string> = {
  counted: 'Counted',
  'without-void': 'Counted, without void',
  witnessed: 'Came true after the anchor',
  episodes: 'First of each episode',
  'time-not-proven': 'Time of outcome not proven',
  'with-controls': 'Compared with random minutes',
  'without-controls': 'No random minutes yet',
  calibrated: 'In the calibration',
  uncalibrated: 'Not in the calibration',
  predicted: 'With a prediction',
  outside: 'Not counted',
}

/** Value of `key` in requests that selects the table row of a model. */
export function createModelKey({ name, version, settingsHash }: PublicRecord['by']['model'][number]['key']): string {
  return `${name} ${version} ${settingsHash}`
}

const tableNames = ['type', 'asset', 'priority', 'regime', 'model', 'month'] as const
const findName = (names: Record<string, string>, key: string | undefined) =>
  key === undefined ? undefined : names[key]

/** Value of `key` in requests that selects the alerts of a model and type that have a verdict. */
export function createResolvedKey({ model, anomalyType }: PublicRecord['calibration']['resolved'][number]): string {
  return `${model} ${anomalyType}`
}

/**
 * Describes a selection: "Price move, came true". Omits unknown search parameters, because they
 * come from a link.
 */
export function formatSelection(record: PublicRecord, { status, set, by, key }: RecordSelection): string {
  const table = tableNames.find((name) => name === by)
  const row = table && createRows(record, table).find((each) => each.key === key)
  const foundBin = by === 'bin' && record.calibration.bins.find(({ from }) => String(from) === key)
  const bin = foundBin ? `Confidence ${foundBin.from}% to ${foundBin.from + 10}%` : undefined
  const resolvedRow = by === 'resolved' && record.calibration.resolved.find((each) => createResolvedKey(each) === key)
  const resolvedText = resolvedRow
    ? `${resolvedRow.anomalyType || 'No type'} (${resolvedRow.model}), with a verdict`
    : undefined
  const words = [row?.label ?? bin ?? resolvedText, findName(setNames, set), findName(statusNames, status)].filter(
    Boolean,
  )
  return words.map((word, index) => (index === 0 ? word : word?.toLowerCase())).join(', ')
}

/** "Alerts: Price move, came true", the description of a link whose text is a number. */
export function formatLinkTitle({ status, set, by, key }: Selection): string {
  const group = by === 'bin' ? `confidence ${key}% to ${Number(key) + 10}%` : key
  const words = [findName(setNames, set)?.toLowerCase(), findName(statusNames, status)?.toLowerCase()]
  return `Alerts: ${[group, ...words].filter(Boolean).join(', ')}`
}

export interface TableRow {
  /** Value of `key` in requests. */
  key: string
  label: string
  figures: RecordFigures
  /** True if the confidence of these alerts is not calibrated yet. */
  isUncalibrated: boolean
}

/**
 * The rows of a table. Months are sorted from the newest, other rows by number of counted alerts.
 */
export function createRows({ by, calibration }: PublicRecord, table: TableName): TableRow[] {
  if (table === 'model') {
    return by.model.map(({ key: { name, version, settingsHash }, figures }) => ({
      key: createModelKey({ name, version, settingsHash }),
      label: `${name} ${version} (${shortenHash(settingsHash)})`,
      figures,
      isUncalibrated: false,
    }))
  }
  const rows = by[table].map(({ key, figures }) => ({
    key,
    label: table === 'month' ? formatMonth(key) : key === '' ? 'None' : key,
    figures,
    isUncalibrated: table === 'type' && !hasEnoughOutcomes(calibration, key),
  }))
  if (table === 'month') return rows.sort((a, b) => b.key.localeCompare(a.key))
  return rows.sort((a, b) => b.figures.strict.n - a.figures.strict.n)
}

function hasEnoughOutcomes({ resolved }: PublicRecord['calibration'], type: string): boolean {
  return resolved.some(({ anomalyType, resolved: n }) => anomalyType === type && n >= resolvedBeforeCalibration)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** "2026-11" as "Nov 2026". */
function formatMonth(key: string): string {
  const [year = '', month = ''] = key.split('-')
  return `${months[Number(month) - 1] ?? month} ${year}`
}

/** End of a scale that contains all these shares: a multiple of 10 %, between 50 and 100 %. */
export function computeScaleLimit(shares: readonly number[]): number {
  return Math.min(1, Math.max(0.5, Math.ceil(Math.max(0, ...shares) * 10 - 1e-9) / 10))
}

/** Says whether Spiegelhalter's z indicates a miscalibration. */
export function formatZScore(z: number | null): string {
  if (z === null) return 'needs more outcomes'
  const rangeText = Math.abs(z) <= 1.96 ? 'within ±1.96: no sign of miscalibration' : 'beyond ±1.96: not calibrated'
  return `${formatPValue(computeTwoSidedP(z))}, ${rangeText}`
}

/**
 * Probability that a standard normal value is at least as far from 0 as z (Abramowitz and Stegun,
 * 7.1.26).
 */
function computeTwoSidedP(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const sum = 0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
  return t * sum * Math.exp(-x * x)
}

function formatPValue(p: number): string {
  return p < 0.001 ? 'p under 0.001' : `p ${p.toFixed(p < 0.1 ? 3 : 2)}`
}
