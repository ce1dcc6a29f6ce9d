import { itoTokenAbi } from '@tocsin/contracts/abi'
import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { Order } from '@tocsin/protocol'
import { parseEther, parseUnits } from 'viem'
import { expect, test } from 'vitest'
import { collections } from '../src/db/schema.ts'
import { collectFailpoints, type Failpoint } from '../src/failpoint.ts'
import { assertLedger, cancelOrder, makeOrder, readOrder, watch, withTerms } from './order-scene.ts'
import { box, chain, clock, HOUR_MS, payIto } from './payment-scene.ts'

/** The other way to pay, where the operator has switched it on: the wallet approves, the treasury's key collects. */

const treasuryKey = `0x${'7e'.repeat(32)}` as const
const collecting = () => withTerms({ orders: { treasuryKey } })
const balanceOf = (address: `0x${string}`) =>
  chain.client.readContract({ address: chain.token, abi: itoTokenAbi, functionName: 'balanceOf', args: [address] })
const payer = () => chain.wallet(1).account.address

async function approve(order: Order, ito: string) {
  const args = [order.spender as `0x${string}`, parseUnits(ito, 18)] as const
  const hash = await chain
    .wallet(1)
    .writeContract({ address: chain.token, abi: itoTokenAbi, functionName: 'approve', args })
  await chain.client.waitForTransactionReceipt({ hash })
}

async function makeApproved(ito = '10') {
  await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
  const ctx = collecting()
  const order = await makeOrder('6h', { ctx })
  await approve(order, ito)
  return { ctx, order }
}

async function watchUntilPaid(ctx: ReturnType<typeof collecting>, order: Order) {
  for (let round = 0; round < 4; round++) await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', paidWei: parseUnits('10', 18).toString() })
  expect(await box.ctx.db.select().from(collections)).toMatchObject([{ outcome: 'collected', orderId: order.id }])
}

test('the key is the treasury’s, and only then wallets are asked to approve', async () => {
  expect(addressOfKey(hexToBytes(treasuryKey))).toBe(chain.treasury)
  expect(await makeOrder('6h', { ctx: collecting() })).toMatchObject({ path: 'approve', spender: chain.treasury })
  const other = withTerms({ orders: { treasuryKey: `0x${'7f'.repeat(32)}` } })
  expect(await makeOrder('24h', { ctx: other })).toMatchObject({ path: 'transfer', spender: null })
})

test('what is approved is collected once, however much more is, and counted by its Transfer', async () => {
  const { ctx, order } = await makeApproved('1000')
  const before = await balanceOf(payer())
  await watchUntilPaid(ctx, order)
  expect(before - (await balanceOf(payer()))).toBe(parseUnits('10', 18))
  await assertLedger()
})

test.each([
  ['less than the price is approved', '9.999999999999999999', async () => {}],
  ['the order is cancelled', '10', async (order: Order) => void (await cancelOrder(order.id))],
  ['its time is over', '10', async () => clock.advance(HOUR_MS)],
  [
    'the wallet has not enough',
    '10',
    async () => {
      await payIto(1, '995', { to: `0x${'5'.repeat(40)}` })
    },
  ],
])('nothing is collected when %s', async (_, approved, prepare) => {
  const { ctx, order } = await makeApproved(approved)
  await prepare(order)
  await watch(ctx)
  await watch(ctx)
  expect(await box.ctx.db.$count(collections)).toBe(0)
  expect((await readOrder(order.id, { ctx })).paidWei).toBe('0')
})

test('a transfer that was made by hand is not collected again; a part is filled up', async () => {
  const { ctx, order } = await makeApproved()
  await payIto(1, '4')
  await watch(ctx)
  const before = await balanceOf(payer())
  await watch(ctx)
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', flags: ['multiple', 'under'] })
  expect(before - (await balanceOf(payer()))).toBeLessThanOrEqual(parseUnits('6', 18))
  await assertLedger()
})

test.each(collectFailpoints)('stopped at "%s" it is collected once', async (at) => {
  const { ctx, order } = await makeApproved('1000')
  const before = await balanceOf(payer())
  let left = 1
  const failpoint = (passed: Failpoint) => {
    if (passed !== at || left === 0) return
    left -= 1
    // As far as the tables and the chain go, an end here is the end of the process.
    throw new Error('The process ends')
  }
  await watch({ ...ctx, failpoint })
  await watchUntilPaid(ctx, order)
  expect(left).toBe(0)
  expect(before - (await balanceOf(payer()))).toBe(parseUnits('10', 18))
  await assertLedger()
})

test('what fails on the chain moves nothing, and is tried again when it can succeed', async () => {
  const { ctx, order } = await makeApproved()
  await chain.control.setAutomine(false)
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'seen' })
  // Before it is mined the wallet takes the approval back.
  const args = [chain.treasury, 0n] as const
  const tip = 50_000_000_000n
  const call = { address: chain.token, abi: itoTokenAbi, functionName: 'approve', gas: 100_000n } as const
  await chain.wallet(1).writeContract({ ...call, args, maxFeePerGas: 10n * tip, maxPriorityFeePerGas: tip })
  await chain.mine()
  await chain.control.setAutomine(true)
  await watch(ctx)
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'failed', paidWei: '0' })
  await approve(order, '10')
  for (let round = 0; round < 4; round++) await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid' })
  const made = await box.ctx.db.select().from(collections).orderBy(collections.nonce)
  expect(made.map(({ outcome }) => outcome)).toEqual(['failed', 'collected'])
  await assertLedger()
})
