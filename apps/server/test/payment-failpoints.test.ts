import { afterAll, beforeAll, test } from 'vitest'
import { openPaymentFailpointScene, type PaymentFailpointScene } from '../../../fault-tests/failpoints/payment-scene.ts'
import { paymentFailpoints } from '../src/failpoint.ts'

/** Once at each failpoint; `fault-tests/payment-failpoints.ts` does it as often as one likes. */

let scene: PaymentFailpointScene

beforeAll(async () => {
  scene = await openPaymentFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(paymentFailpoints)('killed at "%s": one order, one payment, one period', async (failpoint) => {
  await scene.crashAt(failpoint)
})
