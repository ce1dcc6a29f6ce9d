import { findDifference, type TrackRecord } from '@tocsin/proof'
import { isObject, type LogSource, type SiteAlert, type SiteRecord } from './log-source.ts'
import { CannotCheck } from './outcome.ts'

/** @returns the first entry or figure in which the site differs, or null */
export async function compareWithSite(
  record: TrackRecord,
  site: SiteRecord,
  server: LogSource,
): Promise<{ reason: string; index: number | null } | null> {
  const wrong = findWrongFigure(record, site)
  if (wrong === null) return null
  const figure = `The site shows another ${wrong}`
  try {
    return (await findDifferingAlert(record, server)) ?? { reason: figure, index: null }
  } catch (error) {
    // The figure differs, even if the entry behind it cannot be found.
    if (!(error instanceof CannotCheck)) throw error
    return { reason: `${figure}. The entry behind it cannot be found: ${error.message}`, index: null }
  }
}

const tables = ['type', 'asset', 'priority', 'regime', 'model', 'month'] as const

/** Returns the path of the first figure of the site that differs, with both values, or null. */
function findWrongFigure({ overall, coverage, calibration, recent, by }: TrackRecord, site: SiteRecord): string | null {
  const { set: _set, ...ownCalibration } = calibration
  return (
    findDifference(overall, site.overall, 'overall') ??
    findDifference(coverage, site.coverage, 'coverage') ??
    findDifference(ownCalibration, site.calibration, 'calibration') ??
    findDifference(recent, site.recent, 'recent') ??
    findInTables(by, site.by)
  )
}

/** Compares the tables. A row that only one of the records has is a difference too. */
function findInTables(own: TrackRecord['by'], theirs: unknown): string | null {
  for (const table of tables) {
    const rows = own[table]
    const siteRows = isObject(theirs) ? theirs[table] : undefined
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
  const theirs = new Map<number, SiteAlert>()
  let below = record.asOf.size
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await server.readRecordAlerts(record.origin, cursor)
    for (const alert of page.items) {
      // A list in any other order could be endless.
      if (alert.logIndex >= below) throw new CannotCheck(`${server.name} does not list its alerts newest first`)
      below = alert.logIndex
      theirs.set(below, alert)
    }
    cursor = page.next
  }
  for (const { index, status, outcome, problem } of record.alerts) {
    const site = theirs.get(index)
    theirs.delete(index)
    const reason = problem ?? outcome?.problem
    const own = `${status}${reason ? ` (${reason})` : ''}`
    if (!site) return { index, reason: `Entry ${index} is ${own}, and the site's record leaves it out` }
    if (site.status !== status)
      return { index, reason: `Entry ${index} is ${own}, and the site counts it as ${site.status}` }
  }
  const [extra] = theirs.keys()
  return extra === undefined ? null : { index: extra, reason: `The site counts entry ${extra}, which is not an alert` }
}
