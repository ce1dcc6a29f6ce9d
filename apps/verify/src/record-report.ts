import {
  type Figures,
  formatRate,
  formatShare,
  isCounted,
  type Rate,
  type RecordAlert,
  type TrackRecord,
} from '@tocsin/proof'
import { formatNumber } from './progress.ts'

const hourMs = 3_600_000
/** Maximum number of entries listed by index in one note. */
const MAX_LISTED = 10

/** Formats the figures as lines of text, with the parts that could not be checked. */
export function describeRecord(record: TrackRecord, shownRecord: TrackRecord): string[] {
  const { asOf, publicDelayMs, origin, coverage, calibration } = record
  const isDisputed = record.overall.statuses.disputed > 0
  const isDifferent = isDisputed || describeBaseRate(record.overall) !== describeBaseRate(shownRecord.overall)
  return [
    `Track record of origin ${origin} as of ${formatNumber(asOf.size)} entries, block time ${asOf.blockAt}, public delay ${publicDelayMs / hourMs} h.`,
    ...(isDifferent ? ['As on the site, without the archive:'] : []),
    ...describeFigures(shownRecord.overall),
    ...(isDifferent ? ['With the archive:', ...describeFigures(record.overall)] : []),
    `Coverage ${describeRate(coverage)}. Calibration over ${formatNumber(calibration.n)}: ${describeCalibration(record)}.`,
    ...listUnchecked(record, shownRecord.overall.withoutControls),
  ]
}

function describeFigures(figures: Figures): string[] {
  const { statuses, strict, second, interval, episodes, witnessed } = figures
  const intervalText = interval ? `, 95% interval ${formatRate(interval[0])} to ${formatRate(interval[1])}%` : ''
  const counts = Object.entries(statuses).filter(([, count]) => count > 0)
  return [
    `Strict rate ${describeRate(strict)}${intervalText}. Second rate, without void: ${describeRate(second)}.`,
    `Episodes ${describeRate(episodes)}. Witnessed ${describeRate(witnessed)}.`,
    describeBaseRate(figures),
    `Alerts: ${counts.map(([status, count]) => `${status} ${formatNumber(count)}`).join(', ') || 'none'}.`,
  ]
}

function describeBaseRate({ baseRate, lift }: Figures): string {
  if (baseRate === null) return 'Base rate and lift: not known without candles of whole days.'
  const liftText = lift && `${lift.lift.toFixed(2)} (${lift.low.toFixed(2)} to ${lift.high.toFixed(2)})`
  return `Base rate ${formatRate(baseRate)}%${liftText === null ? '' : `, lift ${liftText}`}.`
}

function describeRate({ n, count, rate }: Rate): string {
  return rate === null ? '- (0 of 0)' : `${formatShare(count, n)}% (${formatNumber(count)} of ${formatNumber(n)})`
}

function describeCalibration({ calibration: { brier, referenceBrier, ece, spiegelhalterZ } }: TrackRecord): string {
  if (brier === null) return 'not calibrated yet'
  const parts = [`Brier ${formatScore(brier)} against ${formatScore(referenceBrier)}`, `ECE ${formatScore(ece)}`]
  return [...parts, `z ${formatScore(spiegelhalterZ)}`].join(', ')
}

function formatScore(value: number | null): string {
  return value === null ? '-' : value.toFixed(4)
}

/** @param siteMissingControls number of alerts without a control rate on the site */
function listUnchecked({ alerts, overall }: TrackRecord, siteMissingControls: number): string[] {
  const describeAlerts = (title: string, matchingAlerts: readonly RecordAlert[]) => {
    if (matchingAlerts.length === 0) return []
    const listedIndexes = matchingAlerts.slice(0, MAX_LISTED).map(({ index }) => index)
    return [
      `${title}: ${formatNumber(matchingAlerts.length)} (entries ${listedIndexes.join(', ')}${matchingAlerts.length > MAX_LISTED ? ', …' : ''}).`,
    ]
  }
  const { unknownVenues } = overall
  const archiveText =
    overall.withoutControls === siteMissingControls ? '' : `, with the archive ${formatNumber(overall.withoutControls)}`
  const alertsWithOutcome = alerts.filter(({ outcome }) => outcome !== null && outcome.problem === null)
  const isCompared = ({ outcome }: RecordAlert) =>
    outcome?.comparison !== null && outcome?.comparison !== 'not-compared'
  return [
    ...describeAlerts(
      'Content not public, not checked',
      alerts.filter(({ statement }) => statement === null),
    ),
    ...describeAlerts(
      'Message missing or of another hash',
      alerts.filter(({ statement, status }) => statement !== null && status === 'withheld'),
    ),
    ...describeAlerts(
      'Time of outcome not proven',
      alerts.filter(({ outcome, status }) => isCounted(status) && outcome?.isTimeProven === false),
    ),
    ...describeAlerts(
      'Candles not compared',
      alertsWithOutcome.filter((alert) => !isCompared(alert)),
    ),
    ...describeAlerts(
      'Candles differ without effect',
      alertsWithOutcome.filter(({ outcome }) => outcome?.comparison === 'same-verdict'),
    ),
    ...(siteMissingControls > 0 || archiveText !== ''
      ? [`Alerts without a control rate: ${formatNumber(siteMissingControls)}${archiveText}.`]
      : []),
    ...(unknownVenues.length > 0 ? [`No public archive is known of: ${unknownVenues.join(', ')}.`] : []),
  ]
}
