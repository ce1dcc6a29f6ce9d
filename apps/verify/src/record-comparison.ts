import type { Figures, TrackRecord } from '@tocsin/proof'
import { isObject, type LogSource, type SiteAlert, type SiteRecord } from './log-source.ts'

/** Two programs add up the same numbers in the same order, so they agree to this much. */
const TOLERANCE = 1e-9

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

/**
 * Compares every figure of ours; figures that only the site has are ignored.
 * @returns the path of the first one that differs, with both values
 */
function findDifference(own: unknown, theirs: unknown, path: string): string | null {
  if (typeof own === 'number' && typeof theirs === 'number') {
    return Math.abs(own - theirs) <= TOLERANCE * Math.max(1, Math.abs(own))
      ? null
      : `${path}: ${theirs} instead of ${own}`
  }
  if (typeof own !== 'object' || own === null) {
    return own === theirs ? null : `${path}: ${JSON.stringify(theirs)} instead of ${JSON.stringify(own)}`
  }
  const fields = Object.entries(own)
  const given = Array.isArray(theirs) ? Object.fromEntries(Object.entries(theirs)) : theirs
  if (!isObject(given)) return `${path}: ${JSON.stringify(theirs)} instead of an object`
  for (const [field, value] of fields) {
    const found = findDifference(value, given[field], `${path}.${field}`)
    if (found !== null) return found
  }
  return null
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
