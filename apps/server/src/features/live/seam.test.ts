import { expect, it } from 'vitest'
import { playSeam } from './seam-test-bed.ts'

/** Ten thousand of them: scripts/stream-fault-test.ts. */
const RUNS = 400

it('a client is told every alert once and in order, whatever the interleaving of history, live, doubts and lost connections', async () => {
  let told = 0
  let repeated = 0
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const played = await playSeam(seed)
    expect(played.told, `seed ${seed}`).toEqual(played.due)
    told += played.told.length
    repeated += played.wire.length - played.told.length
  }
  // It was put to the test: alerts came, and some came twice.
  expect(told).toBeGreaterThan(RUNS * 5)
  expect(repeated).toBeGreaterThan(0)
})
