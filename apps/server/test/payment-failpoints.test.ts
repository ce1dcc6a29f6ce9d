import { afterAll, beforeAll, test } from 'vitest'
import {
  openPaymentFailpointFixture,
  type PaymentFailpointFixture,
} from '../../../fault-tests/failpoints/payment-fixture.ts'
import { paymentFailpoints } from '../src/failpoint.ts'

/**
 * Tests one crash at each failpoint. `fault-tests/payment-failpoints.ts` runs any number of
 * crashes.
 */

let fixture: PaymentFailpointFixture

beforeAll(async () => {
  fixture = await openPaymentFailpointFixture()
})
afterAll(async () => {
  await fixture?.stop()
})

test.each(paymentFailpoints)(
  'purchase: has one order, payment and period when the server is killed at "%s"',
  async (failpoint) => {
    await fixture.crashAt(failpoint)
  },
)
