import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { LogAnchor } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'

/** Log queries of this page, refetched when the head of the log has changed. */
export const logQueries = {
  stats: queryOptions({
    queryKey: ['/api/log/stats'],
    queryFn: ({ signal }) => call('logStats', { signal }),
    refetchOnMount: 'always',
  }),
  checkpoint: queryOptions({
    queryKey: ['/api/log/checkpoint'],
    queryFn: ({ signal }) => call('logCheckpoint', { signal }),
    refetchOnMount: 'always',
  }),
  /** @param anchoredSize size of the newest anchor; a new anchor triggers a refetch */
  anchors: (anchoredSize: number) =>
    queryOptions({
      queryKey: ['/api/log/anchors', anchoredSize],
      queryFn: ({ signal }) => readNewestAnchors(anchoredSize, signal),
      // Show the previous anchors while the new list loads.
      placeholderData: keepPreviousData,
    }),
  /** @param keyLists number of key lists in the log; a new one triggers a refetch */
  keys: (keyLists: number) =>
    queryOptions({
      queryKey: [...queries.logKeys.queryKey, keyLists],
      queryFn: ({ signal }) => call('logKeys', { signal }),
      placeholderData: keepPreviousData,
    }),
}

export const anchorLimit = 8
const initialRange = 64
/** Maximum number of anchors in a response of the API. */
const pageSize = 1000

/**
 * Returns the newest anchors, newest first. The API returns the anchors above a size in ascending
 * order, so this function lowers that size until the response contains enough anchors. A full page
 * can lack the newest anchors. The function then bisects between the size of that page and the
 * lowest size with too few anchors above it.
 */
async function readNewestAnchors(anchoredSize: number, signal: AbortSignal): Promise<LogAnchor[]> {
  let aboveSize = Math.max(0, anchoredSize - initialRange)
  let tooHigh = anchoredSize
  let tooLow = -1
  for (;;) {
    const { anchors } = await call('logAnchors', { query: { above: aboveSize, limit: pageSize }, signal })
    if (anchors.length === pageSize) tooLow = aboveSize
    else if (anchors.length < anchorLimit && aboveSize > 0) tooHigh = aboveSize
    else return anchors.slice(-anchorLimit).reverse()
    aboveSize =
      tooLow < 0 ? Math.max(0, anchoredSize - 16 * (anchoredSize - aboveSize)) : Math.floor((tooLow + tooHigh) / 2)
  }
}
