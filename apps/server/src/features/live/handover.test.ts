import { expect, it } from 'vitest'
import { simulateHandover } from '../../../test/support/handover-test-bed.ts'

/** Number of random runs. fault-tests/stream.ts makes ten thousand of them. */
const RUNS = 400

it('a client receives every alert once and in order, for every interleaving of backfill, live frames, rechecks and lost connections', async () => {
  let announcedCount = 0
  let repeatedCount = 0
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const result = await simulateHandover(seed)
    expect(result.due, `seed ${seed}`).not.toEqual([])
    expect(result.announced, `seed ${seed}`).toEqual(result.due)
    announcedCount += result.announced.length
    repeatedCount += result.wire.length - result.announced.length
  }
  // Checks that the runs tested something: alerts were received, and some were broadcast twice.
  expect(announcedCount).toBeGreaterThan(RUNS * 5)
  expect(repeatedCount).toBeGreaterThan(0)
})
