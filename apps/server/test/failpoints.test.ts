import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailpointScene, openFailpointScene } from '../../../fault-tests/failpoints/scene.ts'
import type { Failpoint } from '../src/failpoint.ts'

/**
 * One crash for each state that a crash can leave. A crash takes 3 s of processor time, so
 * `npm run fault-test:alerts` runs all failpoints, each several times.
 */
const states = [
  // All statements of the transaction are sent. It is rolled back.
  'append: before commit',
  // Committed, but not acknowledged.
  'append: after commit',
  // On the chain, but not in the database.
  'anchor: after send',
  // Some clients have the alert and others do not.
  'fan-out: at a socket',
] as const satisfies Failpoint[]

let scene: FailpointScene

beforeAll(async () => {
  scene = await openFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(states)('log: has no fork, gap, loss or duplicate when the server is killed at "%s"', async (failpoint) => {
  await scene.crashAt(failpoint, 1)
})

test('log: is completely anchored with matching roots after all crashes', async () => {
  const { size, acknowledged, anchors } = await scene.settle()
  expect(acknowledged).toBeGreaterThan(states.length)
  // The log also contains the first key list.
  expect(size).toBeGreaterThan(acknowledged)
  expect(anchors).toBeGreaterThan(2)
})
