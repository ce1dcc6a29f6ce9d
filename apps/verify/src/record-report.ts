import {
  type Figures,
  formatRate,
  formatShare,
  isCounted,
  type Rate,
  type RecordAlert,
  type TrackRecord,
} from '@tocsin/proof'
import { number } from './progress.ts'

const hourMs = 3_600_000
/** Maximum number of entries listed by index in one note. */
const MAX_LISTED = 10

/** Formats the figures as lines of text, with the parts that could not be checked. */
export function describeRecord(record: TrackRecord, shown: TrackRecord): string[] {
  const { asOf, publicDelayMs, origin, coverage, calibration } = record
  const isDisputed = record.overall.statuses.disputed > 0
  const isDifferent = isDisputed || describeBaseRate(record.overall) !== describeBaseRate(shown.overall)
  return [
    `Track record of origin ${origin} as of ${number(asOf.size)} entries, block time ${asOf.blockAt}, public delay ${publicDelayMs / hourMs} h.`,
    ...(isDifferent ? ['As on the site, without the archive:'] : []),
    ...describeFigures(shown.overall),
    ...(isDifferent ? ['With the archive:', ...describeFigures(record.overall)] : []),
    `Coverage ${describeRate(coverage)}. Calibration over ${number(calibration.n)}: ${describeCalibration(record)}.`,
    ...listUnchecked(record, shown.overall.withoutControls),
  ]
}

function describeFigures(figures: Figures): string[] {
  const { statuses, strict, second, interval, episodes, witnessed } = figures
  const range = interval ? `, 95% interval ${formatRate(interval[0])} to ${formatRate(interval[1])}%` : ''
  const counts = Object.entries(statuses).filter(([, count]) => count > 0)
  return [
    `Strict rate ${describeRate(strict)}${range}. Second rate, without void: ${describeRate(second)}.`,
    `Episodes ${describeRate(episodes)}. Witnessed ${describeRate(witnessed)}.`,
    describeBaseRate(figures),
    `Alerts: ${counts.map(([status, count]) => `${status} ${number(count)}`).join(', ') || 'none'}.`,
  ]
}

function describeBaseRate({ baseRate, lift }: Figures): string {
  if (baseRate === null) return 'Base rate and lift: not known without candles of whole days.'
  const range = lift && `${lift.lift.toFixed(2)} (${lift.low.toFixed(2)} to ${lift.high.toFixed(2)})`
  return `Base rate ${formatRate(baseRate)}%${range === null ? '' : `, lift ${range}`}.`
}

function describeRate({ n, count, rate }: Rate): string {
  return rate === null ? '- (0 of 0)' : `${formatShare(count, n)}% (${number(count)} of ${number(n)})`
}

function describeCalibration({ calibration: { brier, referenceBrier, ece, spiegelhalterZ } }: TrackRecord): string {
  if (brier === null) return 'not calibrated yet'
  const parts = [`Brier ${format(brier)} against ${format(referenceBrier)}`, `ECE ${format(ece)}`]
  return [...parts, `z ${format(spiegelhalterZ)}`].join(', ')
}

function format(value: number | null): string {
  return value === null ? '-' : value.toFixed(4)
}

/** @param withoutControls number of alerts without a control rate on the site */
function listUnchecked({ alerts, overall }: TrackRecord, withoutControls: number): string[] {
  const named = (title: string, found: readonly RecordAlert[]) => {
    if (found.length === 0) return []
    const listed = found.slice(0, MAX_LISTED).map(({ index }) => index)
    return [
      `${title}: ${number(found.length)} (entries ${listed.join(', ')}${found.length > MAX_LISTED ? ', …' : ''}).`,
    ]
  }
  const { unknownVenues } = overall
  const archive =
    overall.withoutControls === withoutControls ? '' : `, with the archive ${number(overall.withoutControls)}`
  const withOutcome = alerts.filter(({ outcome }) => outcome !== null && outcome.problem === null)
  const isCompared = ({ outcome }: RecordAlert) =>
    outcome?.comparison !== null && outcome?.comparison !== 'not-compared'
  return [
    ...named(
      'Content not public, not checked',
      alerts.filter(({ statement }) => statement === null),
    ),
    ...named(
      'Message missing or of another hash',
      alerts.filter(({ statement, status }) => statement !== null && status === 'withheld'),
    ),
    ...named(
      'Time of outcome not proven',
      alerts.filter(({ outcome, status }) => isCounted(status) && outcome?.isTimeProven === false),
    ),
    ...named(
      'Candles not compared',
      withOutcome.filter((alert) => !isCompared(alert)),
    ),
    ...named(
      'Candles differ without effect',
      withOutcome.filter(({ outcome }) => outcome?.comparison === 'same-verdict'),
    ),
    ...(withoutControls > 0 || archive !== ''
      ? [`Alerts without a control rate: ${number(withoutControls)}${archive}.`]
      : []),
    ...(unknownVenues.length > 0 ? [`No public archive is known of: ${unknownVenues.join(', ')}.`] : []),
  ]
}
