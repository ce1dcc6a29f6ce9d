import { type Figures, findDifference, type TrackRecord } from '@tocsin/proof'
import type { LogSource, SiteAlert, SiteRecord } from './log-source.ts'

/** @returns the first entry or figure in which the site differs, or null */
export async function compareWithSite(
  record: TrackRecord,
  site: SiteRecord,
  server: LogSource,
): Promise<{ reason: string; index: number | null } | null> {
  const wrong = findDifference(toComparable(record.overall), site.overall, 'overall')
  const { indexes: _ofCalibration, ...ownCalibration } = record.calibration
  const calibration = findDifference(ownCalibration, site.calibration, 'calibration')
  if (wrong === null && calibration === null) return null
  return (await findEntry(record, server)) ?? { reason: `The site shows another ${wrong ?? calibration}`, index: null }
}

/** The site shows how many alerts have no control rate, not which. */
function toComparable({ withoutControls, ...figures }: Figures): object {
  return { ...figures, withoutControls: withoutControls.length }
}

/** The alert with the lowest index that the site counts as something else. */
async function findEntry(record: TrackRecord, server: LogSource): Promise<{ reason: string; index: number } | null> {
  const theirs = new Map<number, SiteAlert>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await server.readRecordAlerts(record.origin, cursor)
    for (const alert of page.items) theirs.set(alert.logIndex, alert)
    cursor = page.next
  }
  for (const { index, status, outcome, problem } of record.alerts) {
    const site = theirs.get(index)
    theirs.delete(index)
    const because = problem ?? outcome?.problem
    const own = `${status}${because ? ` (${because})` : ''}`
    if (!site) return { index, reason: `Entry ${index} is ${own}, and the site's record leaves it out` }
    if (site.status !== status)
      return { index, reason: `Entry ${index} is ${own}, and the site counts it as ${site.status}` }
  }
  const [extra] = theirs.keys()
  return extra === undefined ? null : { index: extra, reason: `The site counts entry ${extra}, which is no alert` }
}
