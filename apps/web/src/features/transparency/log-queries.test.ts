import type { LogAnchor } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { logQueries } from './log-queries.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const listSizes = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Serves a log with anchors of these sizes, as the API does. Returns the newest anchors' sizes. */
async function readNewestSizes(sizes: readonly number[]): Promise<number[]> {
  vi.stubGlobal('fetch', async (url: string) => {
    const query = new URL(url, 'https://log.example').searchParams
    const newerSizes = sizes.filter((size) => size > Number(query.get('above')))
    return Response.json({ anchors: newerSizes.slice(0, Number(query.get('limit') ?? 1000)).map((size) => ({ size })) })
  })
  const anchors: Pick<LogAnchor, 'size'>[] = await createQueryClient().fetchQuery(logQueries.anchors(sizes.at(-1) ?? 0))
  return anchors.map(({ size }) => size)
}

test.each([
  ['the log has few anchors', [5, 900], [900, 5]],
  ['every entry has an anchor', listSizes(5_000), [5000, 4999, 4998, 4997, 4996, 4995, 4994, 4993]],
  [
    'only early entries have many anchors',
    [...listSizes(5_000), 6_000, 7_000, 8_000],
    [8000, 7000, 6000, 5000, 4999, 4998, 4997, 4996],
  ],
])('logQueries.anchors: returns the newest anchors when %s', async (_when, sizes, newestSizes) => {
  expect(await readNewestSizes(sizes)).toEqual(newestSizes)
})
