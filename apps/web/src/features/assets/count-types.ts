import type { ResponseOf } from '@tocsin/protocol'

type RecordAlert = ResponseOf<'trackRecordAlerts'>['items'][number]

/** Result of a type of alert: `count` of its `n` counted predictions came true. */
export interface TypeRow {
  type: string
  count: number
  n: number
}

/**
 * Counts predictions by type of alert. The type with the most predictions comes first.
 * @param countedAlerts alerts whose predictions the track record counts
 */
export function countTypes(countedAlerts: readonly Pick<RecordAlert, 'status' | 'alert'>[]): TypeRow[] {
  const rows = new Map<string, TypeRow>()
  for (const { alert, status } of countedAlerts) {
    if (!alert) continue
    const row = rows.get(alert.anomalyType) ?? { type: alert.anomalyType, count: 0, n: 0 }
    row.n += 1
    if (status === 'true') row.count += 1
    rows.set(row.type, row)
  }
  return [...rows.values()].sort((a, b) => b.n - a.n || (a.type < b.type ? -1 : 1))
}
