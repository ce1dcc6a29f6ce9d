import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailpointScene, openFailpointScene } from '../../../fault-tests/failpoints/scene.ts'
import { failpoints } from '../src/failpoint.ts'

/** Once at each failpoint; `fault-tests/alert-failpoints.ts` does it as often as one likes. */

let scene: FailpointScene

beforeAll(async () => {
  scene = await openFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(failpoints)('killed at "%s": no fork, no gap, nothing lost or doubled', async (failpoint) => {
  await scene.crashAt(failpoint, 1)
})

test('and after all of it everything is anchored, by the roots that the entries give', async () => {
  const { size, acknowledged, anchors } = await scene.settle()
  expect(acknowledged).toBeGreaterThan(failpoints.length)
  // Beside the alerts there is the first key list.
  expect(size).toBeGreaterThan(acknowledged)
  expect(anchors).toBeGreaterThan(2)
})
