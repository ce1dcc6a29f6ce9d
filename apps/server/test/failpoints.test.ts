import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailpointScene, openFailpointScene } from '../../../fault-tests/failpoints/scene.ts'
import { failpoints } from '../src/failpoint.ts'

/**
 * Tests one crash at each failpoint. `fault-tests/alert-failpoints.ts` runs any number of crashes.
 */

let scene: FailpointScene

beforeAll(async () => {
  scene = await openFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(failpoints)(
  'log: has no fork, gap, loss or duplicate when the server is killed at "%s"',
  async (failpoint) => {
    await scene.crashAt(failpoint, 1)
  },
)

test('log: is completely anchored with matching roots after all crashes', async () => {
  const { size, acknowledged, anchors } = await scene.settle()
  expect(acknowledged).toBeGreaterThan(failpoints.length)
  // The log also contains the first key list.
  expect(size).toBeGreaterThan(acknowledged)
  expect(anchors).toBeGreaterThan(2)
})
