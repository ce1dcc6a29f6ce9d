import { alert, endpoints, lockedAlert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { createEncoder } from '../../http/encoded-route.ts'
import { setNewest } from '../../set-newest.ts'
import type { Visibility } from '../access/readable.ts'
import { presentAlert, presentLocked } from './present.ts'
import { type ListedRow, listAlertsAt, type StoredAlert } from './store.ts'

export interface EncodedAlert {
  id: string
  isLocked: boolean
  json: string
}

/** Maximum number of alerts in the cache. Each takes about 2 kB. */
export const MAX_CACHED_ALERTS = 2_000

const encodeAlert = createEncoder(endpoints.recentAlerts, alert)
const encodeLocked = createEncoder(endpoints.recentAlerts, lockedAlert)
const cacheByDatabase = new WeakMap<Database, Map<string, string>>()

/**
 * Encodes alerts as JSON, in the order of the rows. The signed content of an alert never changes,
 * but its anchor, corrections and outcomes are added later, and after `log adopt` also its
 * prediction. So the cache key contains the id of the alert and these additions. The cache does not
 * grant access: for each call, the rows and `visibility` decide which alerts are encoded in full.
 */
export async function encodeAlerts(
  { db }: Pick<Context, 'db'>,
  visibility: Visibility,
  rows: readonly ListedRow[],
): Promise<EncodedAlert[]> {
  const encodedById = cacheByDatabase.get(db) ?? new Map<string, string>()
  cacheByDatabase.set(db, encodedById)
  const isOpen = ({ createdAt }: ListedRow) =>
    visibility === 'all' || visibility.subscribed || createdAt <= visibility.publicCutoff
  // Read the cache only once: storing an alert can evict another alert of this list.
  const cachedTexts = rows.map((row) => (isOpen(row) ? encodedById.get(formatCacheKey(row)) : undefined))
  const missingIndexes = rows.flatMap((row, index) =>
    isOpen(row) && cachedTexts[index] === undefined ? [row.logIndex] : [],
  )
  const loadedAlerts = await listAlertsAt(db, visibility, missingIndexes)
  return rows.map((row, index) => {
    if (!isOpen(row)) {
      const lockedRow = presentLocked(row)
      return { id: lockedRow.id, isLocked: true, json: encodeLocked(lockedRow) }
    }
    const storedAlert = loadedAlerts.get(row.logIndex)
    // The loaded alert may be newer than its row, so the key is computed from the loaded alert.
    const key = storedAlert ? formatCacheKey(toDependencies(storedAlert)) : formatCacheKey(row)
    const json = cachedTexts[index] ?? encodedById.get(key) ?? (storedAlert && encodeAlert(presentAlert(storedAlert)))
    if (json === undefined) throw new Error(`Alert ${row.logIndex} cannot be read`)
    setNewest(encodedById, key, json, MAX_CACHED_ALERTS)
    return { id: row.id, isLocked: false, json }
  })
}

type Dependencies = Omit<ListedRow, 'logIndex' | 'priority' | 'createdAt'>

function formatCacheKey({ id, size, txHash, blockAt, newerIndex, outcomeIndex, hasPrediction }: Dependencies): string {
  return `${id}/${size}/${txHash}/${blockAt?.getTime()}/${newerIndex}/${outcomeIndex}/${hasPrediction}`
}

function toDependencies({ id, anchor, supersededBy, outcomes, forecast }: StoredAlert): Dependencies {
  return {
    id,
    size: anchor?.size ?? null,
    txHash: anchor?.txHash ?? null,
    blockAt: anchor?.blockAt ?? null,
    newerIndex: supersededBy?.logIndex ?? null,
    outcomeIndex: outcomes?.at(-1)?.logIndex ?? null,
    hasPrediction: forecast !== null,
  }
}
