import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import type { RecordOrigin } from '../prediction/record-queries.ts'

const assetPageSize = 200
const maxPredictions = 1_000

/** Fetches the newest public predictions for an asset, at most `maxPredictions`. */
export const assetRecordQuery = (origin: RecordOrigin, asset: string) =>
  queryOptions({
    queryKey: ['/api/track-record/alerts', origin, 'all', asset],
    queryFn: async ({ signal }) => {
      const items: ResponseOf<'trackRecordAlerts'>['items'] = []
      let next: string | null = null
      do {
        const cursor: { cursor?: string } = next === null ? {} : { cursor: next }
        const query = { origin, by: 'asset', key: asset, limit: assetPageSize, ...cursor }
        const page: ResponseOf<'trackRecordAlerts'> = await call('trackRecordAlerts', { query, signal })
        items.push(...page.items)
        next = page.next
      } while (next !== null && items.length < maxPredictions)
      return { items, isWhole: next === null }
    },
    staleTime: MINUTE_MS,
  })
