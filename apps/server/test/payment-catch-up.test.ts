import { TransactionReceiptNotFoundError } from 'viem'
import { expect, test } from 'vitest'
import { subscriptions, wallets } from '../src/db/schema.ts'
import type { PaymentEffects } from '../src/features/payments/settle.ts'
import { findCursor } from '../src/features/payments/store.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import { checkLedger } from './check-ledger.ts'
import { anna, bert, box, chain, clock, effects, payIto, storedRows, walletOf } from './payment-scene.ts'

/** The watcher counts many payments at a time: several people's side by side, each person's one after the other. */

const watch = (change: Partial<PaymentEffects> = {}) => checkPayments(box.ctx, { ...effects, ...change })
const cursor = async () => (await findCursor(box.ctx.db, box.ctx.config.payment))?.blockNumber
const head = async () => Number(await chain.client.getBlockNumber())
/** Payment, period and activity. */
const ROWS_EACH = 3

async function plansOf(accountId: string) {
  const rows = await box.ctx.db.select().from(subscriptions).orderBy(subscriptions.startsAt)
  return rows.filter((row) => row.accountId === accountId).map(({ planId }) => planId)
}

test('one who waits for a lock holds up nobody else, and a person’s payments keep their order, whichever wallet they come from', async () => {
  await box.ctx.db.insert(wallets).values({ address: walletOf(3), accountId: anna, linkedAt: clock.now() })
  for (const ito of ['75', '10', '30']) {
    await payIto(1, ito)
    await payIto(3, ito)
    await payIto(2, ito)
  }
  let tellBertIsThere = () => {}
  const bertIsThere = new Promise<void>((resolve) => {
    tellBertIsThere = resolve
  })
  await watch({
    async credit(ctx, tx, count, credit) {
      if (credit.accountId === anna) await bertIsThere
      else tellBertIsThere()
      return effects.credit(ctx, tx, count, credit)
    },
  })
  expect(await plansOf(anna)).toEqual(['3d', '3d', '6h', '6h', '24h', '24h'])
  expect(await plansOf(bert)).toEqual(['3d', '6h', '24h'])
  await checkLedger(box.ctx)
})

test('a failure in the middle leaves the cursor where it was; the next round takes the rest, and nothing twice', async () => {
  await watch()
  const before = await cursor()
  for (const ito of ['10', '30', '75']) {
    await payIto(1, ito)
    await payIto(2, ito)
  }
  let credited = 0
  const failing = watch({
    async credit(...given) {
      credited += 1
      if (credited === 4) throw new Error('In the middle')
      return effects.credit(...given)
    },
  })
  await expect(failing).rejects.toThrow('In the middle')
  const stored = await storedRows()
  expect([stored > 0, stored < 6 * ROWS_EACH, await cursor()]).toEqual([true, true, before])

  await watch()
  await watch()
  expect([await storedRows(), await cursor()]).toEqual([6 * ROWS_EACH, await head()])
  expect([await plansOf(anna), await plansOf(bert)]).toEqual([
    ['6h', '24h', '3d'],
    ['6h', '24h', '3d'],
  ])
  await checkLedger(box.ctx)
})

test('a node that shows a log but not yet its receipt is asked again, however far it is behind', async () => {
  await watch()
  const before = await cursor()
  const { transactionHash: missing } = await payIto(1, '10')
  await payIto(2, '10')
  await chain.mine(100)
  const { paymentChain } = box.ctx
  const lagging = {
    ...paymentChain,
    getTransactionReceipt: async (asked: { hash: `0x${string}` }) => {
      if (asked.hash === missing) throw new TransactionReceiptNotFoundError(asked)
      return paymentChain.getTransactionReceipt(asked)
    },
  }
  await expect(checkPayments({ ...box.ctx, paymentChain: lagging }, effects)).rejects.toThrow(/its own logs/)
  expect([await plansOf(anna), await plansOf(bert), await cursor()]).toEqual([[], ['6h'], before])
  await watch()
  expect([await plansOf(anna), await plansOf(bert), await cursor()]).toEqual([['6h'], ['6h'], await head()])
  await checkLedger(box.ctx)
})
