import { createTestContext, startTestChain, type TestChain, type TestContext, testConfig } from '@tocsin/testkit'
import { parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CHAIN_SETTING, configuredContexts } from '../src/chain/payment-chains.ts'
import { payments, settings } from '../src/db/schema.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, reportHash, watch } from './order-scene.ts'
import { bert, box, chain, clock, payIto, readActive, setPaymentScene } from './payment-scene.ts'

/** Two live chains. Token and treasury have the same addresses on both, as where one deployer has made them. */

setPaymentScene()

const OTHER_ID = 31_338
let other: TestChain
let both: TestContext
let clean: `0x${string}`

beforeAll(async () => {
  other = await startTestChain(OTHER_ID)
})
afterAll(async () => {
  await other?.stop()
})
beforeEach(async () => {
  const { rpcUrls, token, treasury, confirmations } = other.settings.payment
  const { databaseUrl, payment } = box.ctx.config
  const otherPaymentChains = [{ chainId: OTHER_ID, rpcUrls, token, treasury, confirmations }]
  clean = await other.snapshot()
  both = await createTestContext(testConfig({ databaseUrl, payment, otherPaymentChains }), clock)
})
afterEach(async () => {
  await both.close()
  await other.revert(clean)
})

const choose = (chainId: number) => {
  const value = { chainId, description: '' }
  return box.ctx.db
    .insert(settings)
    .values({ name: CHAIN_SETTING, value, updatedAt: clock.now() })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
}
const payThere = (from: number) => other.pay({ from, amountWei: parseUnits('10', 18) })
const watchBoth = async () => {
  for (const one of configuredContexts(both.ctx)) await watch(one)
}
const checkBoth = async () => {
  for (const one of configuredContexts(both.ctx)) await checkLedger(one)
}

test('what was paid on one chain pays for nothing that was ordered on the other', async () => {
  const here = await makeOrder('6h', { ctx: both.ctx })
  const { transactionHash } = await payThere(1)
  expect(await reportHash(here.id, transactionHash, { ctx: both.ctx })).toMatchObject({ status: 'seen' })
  for (const one of configuredContexts(both.ctx).slice(0, 1)) await watch(one)
  expect(await readOrder(here.id, { ctx: both.ctx })).not.toMatchObject({ status: 'paid' })
  expect(await box.ctx.db.select().from(payments)).toEqual([])
})

test('orders are paid each on its own chain, whichever is chosen meanwhile, and both ledgers agree', async () => {
  expect(chain.token).toBe(other.token)
  const here = await makeOrder('6h', { ctx: both.ctx })
  await choose(OTHER_ID)
  const there = await makeOrder('6h', { ctx: both.ctx, by: bert, wallet: 2 })
  expect([here.chainId, there.chainId]).toEqual([chain.chainId, OTHER_ID])

  await payIto(1, '10')
  await payThere(2)
  await watchBoth()
  expect(await readOrder(here.id, { ctx: both.ctx })).toMatchObject({ status: 'paid', chainId: chain.chainId })
  expect(await readOrder(there.id, { ctx: both.ctx, by: bert })).toMatchObject({ status: 'paid', chainId: OTHER_ID })
  expect(await readActive(bert, bert)).toMatchObject({ planType: '6h', isActive: true })
  await choose(chain.chainId)
  await watchBoth()
  expect(await box.ctx.db.select().from(payments)).toHaveLength(2)
  await checkBoth()
})
