import { afterAll, beforeAll, test } from 'vitest'
import { openPaymentFailpointScene, type PaymentFailpointScene } from '../../../fault-tests/failpoints/payment-scene.ts'
import type { Failpoint } from '../src/failpoint.ts'

/**
 * One crash for each state that a crash can leave. A crash takes 3 s of processor time, so
 * `npm run fault-test:payments` runs all failpoints, each several times.
 */
const states = [
  // The order is stored, but the browser has no answer and repeats it.
  'order: after commit',
  // Paid on the chain. The transaction that credits it is rolled back.
  'payment: before commit',
  // Credited, but the report of the transaction has no answer.
  'payment: after commit',
] as const satisfies Failpoint[]

let scene: PaymentFailpointScene

beforeAll(async () => {
  scene = await openPaymentFailpointScene()
})
afterAll(async () => {
  await scene?.stop()
})

test.each(states)(
  'purchase: has one order, payment and period when the server is killed at "%s"',
  async (failpoint) => {
    await scene.crashAt(failpoint)
  },
)
