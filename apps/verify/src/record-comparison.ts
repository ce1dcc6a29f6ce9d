import { findDifference, recordTables, type TrackRecord } from '@tocsin/proof'
import { isObject, type LogSource, type SiteAlert, type SiteRecord } from './log-source.ts'
import { CannotCheck } from './outcome.ts'

/** @returns the first entry or figure in which the site differs, or null */
export async function compareWithSite(
  record: TrackRecord,
  site: SiteRecord,
  server: LogSource,
): Promise<{ reason: string; index: number | null } | null> {
  const wrongFigure = findWrongFigure(record, site)
  if (wrongFigure === null) return null
  const figure = `The site shows another ${wrongFigure}`
  try {
    return (await findDifferingAlert(record, server)) ?? { reason: figure, index: null }
  } catch (error) {
    // The figure differs, even if the entry behind it cannot be found.
    if (!(error instanceof CannotCheck)) throw error
    return { reason: `${figure}. The entry behind it cannot be found: ${error.message}`, index: null }
  }
}

/** Returns the path of the first figure of the site that differs, with both values, or null. */
function findWrongFigure({ overall, coverage, calibration, recent, by }: TrackRecord, site: SiteRecord): string | null {
  const { set: _set, ...ownCalibration } = calibration
  return (
    findDifference(overall, site.overall, 'overall') ??
    findDifference(coverage, site.coverage, 'coverage') ??
    findDifference(ownCalibration, site.calibration, 'calibration') ??
    findDifference(recent, site.recent, 'recent') ??
    findDifferingTable(by, site.by)
  )
}

/** Compares the tables. A row that only one of the records has is a difference too. */
function findDifferingTable(ownTables: TrackRecord['by'], siteTables: unknown): string | null {
  for (const table of [...recordTables, 'model'] as const) {
    const rows = ownTables[table]
    const siteRows = isObject(siteTables) ? siteTables[table] : undefined
    const found =
      findDifference(rows, siteRows, `by.${table}`) ??
      findDifference(rows.length, Array.isArray(siteRows) ? siteRows.length : 0, `by.${table}.length`)
    if (found !== null) return found
  }
  return null
}

/** Finds the alert with the lowest index that has another status in the site's record. */
async function findDifferingAlert(
  record: TrackRecord,
  server: LogSource,
): Promise<{ reason: string; index: number } | null> {
  const siteAlerts = new Map<number, SiteAlert>()
  let previousIndex = record.asOf.size
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await server.readRecordAlerts(record.origin, cursor)
    for (const alert of page.items) {
      // A list in any other order could be endless.
      if (alert.logIndex >= previousIndex) throw new CannotCheck(`${server.name} does not list its alerts newest first`)
      previousIndex = alert.logIndex
      siteAlerts.set(previousIndex, alert)
    }
    cursor = page.next
  }
  for (const { index, status, outcome, problem } of record.alerts) {
    const siteAlert = siteAlerts.get(index)
    siteAlerts.delete(index)
    const reason = problem ?? outcome?.problem
    const ownStatus = `${status}${reason ? ` (${reason})` : ''}`
    if (!siteAlert) return { index, reason: `Entry ${index} is ${ownStatus}, and the site's record leaves it out` }
    if (siteAlert.status !== status)
      return { index, reason: `Entry ${index} is ${ownStatus}, and the site counts it as ${siteAlert.status}` }
  }
  const [extraIndex] = siteAlerts.keys()
  return extraIndex === undefined
    ? null
    : { index: extraIndex, reason: `The site counts entry ${extraIndex}, which is not an alert` }
}
