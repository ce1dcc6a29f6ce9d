import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { order as orderShape, plans } from '@tocsin/protocol'
import { systemClock } from '@tocsin/server/clock.ts'
import { orders } from '@tocsin/server/db/schema/payments.ts'
import { subscriptions } from '@tocsin/server/db/schema/subscriptions.ts'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { createOrder } from '@tocsin/server/features/payments/order-service.ts'
import { checkPayments } from '@tocsin/server/features/payments/watcher.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import {
  createTestClient,
  createTestContext,
  startTestChain,
  startTestDatabase,
  startTestSession,
  testConfig,
} from '@tocsin/testkit'
import { desc, eq } from 'drizzle-orm'
import { checkLedger } from '../../apps/server/test/check-ledger.ts'
import { root } from '../../scripts/build-stamp.mjs'
import { prepareTargets } from './target-process.ts'

/**
 * Fault test of a purchase: the server kills itself at failpoints, while the database and the chain
 * keep running.
 */

const bundle = join(root, 'apps/server/.cache', `payment-target-${process.pid}.js`)
const trader = { email: 'trader@example.com', password: 'a password of the trader' }

export interface PaymentFailpointFixture {
  /**
   * Creates an order, pays for it and reports the transaction. The server kills itself at the
   * failpoint, which ends these steps early. Then retries the order as a browser would, and runs
   * the payment watcher.
   * @throws Error that names the failed check
   */
  crashAt(failpoint: Failpoint): Promise<void>
  stop(): Promise<void>
}

export async function openPaymentFailpointFixture(): Promise<PaymentFailpointFixture> {
  const [database, chain, targets] = await Promise.all([startTestDatabase(), startTestChain(), prepareTargets(bundle)])
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const settings = {
    databaseUrl: await database.createDatabase(),
    payment: { ...chain.settings.payment, maxAgeHours: 1_000 },
    anchor: chain.settings.anchor,
    http: { port, host: 'localhost', publicUrl: url },
  }
  const { ctx, close } = await createTestContext(testConfig(settings), systemClock)
  const client = createTestClient(url)
  const wallet = chain.wallet(1)
  const walletAddress = wallet.account.address
  let accountId = ''

  async function postJson(path: string, body: object, key: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json', origin: url, cookie: client.cookie(), 'idempotency-key': key }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }

  /**
   * Creates an order, pays for it and reports the transaction. The server can crash at any time.
   * @returns true if the payment was sent
   */
  async function buyAndReport(key: string): Promise<boolean> {
    const createdOrder = await postJson('/api/orders', { planType: '6h', walletAddress }, key).catch(() => null)
    if (createdOrder === null) return false
    const { id } = orderShape.parse(createdOrder)
    const { transactionHash } = await chain.pay({ from: 1, amountWei: plans[0]?.priceWei ?? 0n })
    await postJson(`/api/orders/${id}/transaction`, { transactionHash }, randomUUID()).catch(() => null)
    return true
  }

  /** Signs in. Called only once, because the session must survive all crashes. */
  async function signIn(): Promise<void> {
    await createAccount(ctx, { ...trader, name: 'Trader', role: 'user', verified: true })
    await client.call('login', { body: trader })
    await client.proveWallet(wallet)
    accountId = (await client.call('currentUser')).user?.id ?? ''
  }

  async function checkOrder(key: string, isSent: boolean): Promise<void> {
    // The browser retries with the same key, which must return the existing order if there is one.
    const session = await startTestSession(ctx, accountId)
    const purchase = { planId: '6h', payer: walletAddress, key, couponCode: undefined, network: '127.0.0.1' } as const
    const orderRequest = { ...session, ...purchase }
    const id = await createOrder(ctx, orderRequest)
    if ((await createOrder(ctx, orderRequest)) !== id) throw new Error('The same key created two orders')
    if (!isSent) await chain.pay({ from: 1, amountWei: plans[0]?.priceWei ?? 0n })
    for (let round = 0; round < 2; round += 1) await checkPayments(ctx)
    const newestOrders = await ctx.db.select().from(orders).orderBy(desc(orders.createdAt)).limit(1)
    if (newestOrders[0]?.id !== id || newestOrders[0].paidAt === null)
      throw new Error('The paid order is not marked as paid')
    if (newestOrders[0].flags.length > 0) throw new Error(`The order has flags: ${newestOrders[0].flags.join()}`)
    await checkLedger(ctx)
    const periodCount = await ctx.db.$count(subscriptions)
    const orderCount = await ctx.db.$count(orders)
    if (periodCount !== orderCount) throw new Error(`${orderCount} orders have ${periodCount} subscriptions`)
    // Cancel the subscription, so that no subscription is active at the next purchase.
    await ctx.db.update(subscriptions).set({ cancelledAt: new Date() }).where(eq(subscriptions.accountId, accountId))
  }

  await targets.takeNext().runServer(settings, signIn, 'SIGKILL')

  return {
    async crashAt(failpoint) {
      const key = randomUUID()
      let isSent = false
      await targets.takeNext().runUntilCrash({ config: settings, failpoint, passesBeforeCrash: 0 }, async () => {
        isSent = await buyAndReport(key)
      })
      await checkOrder(key, isSent)
    },
    async stop() {
      await targets.close()
      await close()
      await Promise.all([database.stop(), chain.stop()])
    },
  }
}
