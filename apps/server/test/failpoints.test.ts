import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailpointFixture, openFailpointFixture } from '../../../fault-tests/failpoints/fixture.ts'
import { failpoints } from '../src/failpoint.ts'

/**
 * Tests one crash at each failpoint. `fault-tests/alert-failpoints.ts` runs any number of crashes.
 */

let fixture: FailpointFixture

beforeAll(async () => {
  fixture = await openFailpointFixture()
})
afterAll(async () => {
  await fixture?.stop()
})

test.each(failpoints)(
  'log: has no fork, gap, loss or duplicate when the server is killed at "%s"',
  async (failpoint) => {
    await fixture.crashAt(failpoint, 1)
  },
)

test('log: is completely anchored with matching roots after all crashes', async () => {
  const { size, acknowledgedAlerts, anchors } = await fixture.settle()
  expect(acknowledgedAlerts).toBeGreaterThan(failpoints.length)
  // The log also contains the first key list.
  expect(size).toBeGreaterThan(acknowledgedAlerts)
  expect(anchors).toBeGreaterThan(2)
})
