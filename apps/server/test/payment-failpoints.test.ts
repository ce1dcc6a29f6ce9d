import { afterAll, beforeAll, test } from 'vitest'
import { openPaymentFailpointScene, type PaymentFailpointScene } from '../../../fault-tests/failpoints/payment-scene.ts'
import { paymentFailpoints } from '../src/failpoint.ts'

/**
 * Tests one crash at each failpoint. `fault-tests/payment-failpoints.ts` runs any number of
 * crashes.
 */

let scene: PaymentFailpointScene

beforeAll(async () => {
  scene = await openPaymentFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(paymentFailpoints)(
  'purchase: has one order, payment and period when the server is killed at "%s"',
  async (failpoint) => {
    await scene.crashAt(failpoint)
  },
)
