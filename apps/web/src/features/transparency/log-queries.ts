import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { LogAnchor } from '@tocsin/protocol'
import { call } from '../../api.ts'
import { queries } from '../../queries.ts'

const pollMs = 5_000

/** What the page shows of the log. Reads go on while the page is open and in sight. */
export const logQueries = {
  stats: queryOptions({
    queryKey: ['/api/log/stats'],
    queryFn: ({ signal }) => call('logStats', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  checkpoint: queryOptions({
    queryKey: ['/api/log/checkpoint'],
    queryFn: ({ signal }) => call('logCheckpoint', { signal }),
    refetchInterval: pollMs,
    refetchOnMount: 'always',
  }),
  /** Read again when there is another: `anchoredSize` is the newest one's. */
  anchors: (anchoredSize: number) =>
    queryOptions({
      queryKey: ['/api/log/anchors', anchoredSize],
      queryFn: ({ signal }) => readNewestAnchors(anchoredSize, signal),
      // The ones before stay until the new list is there.
      placeholderData: keepPreviousData,
    }),
  /** Another key list is another entry: read again when there are more of them. */
  keys: (keyLists: number) =>
    queryOptions({
      queryKey: [...queries.logKeys.queryKey, keyLists],
      queryFn: ({ signal }) => call('logKeys', { signal }),
      placeholderData: keepPreviousData,
    }),
}

export const shownAnchors = 8
const firstReach = 64

/** The list comes by rising size, so the newest are found by looking further and further back. Newest first. */
async function readNewestAnchors(anchoredSize: number, signal: AbortSignal): Promise<LogAnchor[]> {
  for (let reach = firstReach; ; reach *= 16) {
    const above = Math.max(0, anchoredSize - reach)
    const { anchors } = await call('logAnchors', { query: { above }, signal })
    if (anchors.length >= shownAnchors || above === 0) return anchors.slice(-shownAnchors).reverse()
  }
}
