import { itoTokenAbi } from '@tocsin/contracts/abi'
import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { Order } from '@tocsin/protocol'
import { parseEther, parseTransaction, parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { collections } from '../src/db/schema.ts'
import { collectFailpoints, type Failpoint } from '../src/failpoint.ts'
import { assertLedger, cancelOrder, makeOrder, readOrder, watch, withTerms } from './order-scene.ts'
import { box, chain, clock, HOUR_MS, payIto, setPaymentScene } from './payment-scene.ts'

/** The other way to pay, where the operator has switched it on: the wallet approves, the treasury's key collects. */

setPaymentScene()

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

test('what is missing after its time is sent by hand, because nothing is collected then', async () => {
  const { ctx, order } = await makeApproved('5')
  await payIto(1, '4')
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'underpaid', path: 'approve' })
  clock.advance(HOUR_MS)
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'underpaid', path: 'transfer', spender: null })
  await payIto(1, '6')
  await watch(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', path: 'approve' })
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

const MINUTE_MS = 60_000
const readCollection = async () => {
  const [made, ...others] = await box.ctx.db.select().from(collections)
  if (!made || others.length > 0) throw new Error('Expected one collecting transaction')
  return made
}

/** Sends a collecting transaction that then waits for a block: what the next one asks for is more than it offers. */
async function getStuck(maxFeeGwei = 500) {
  await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
  const ctx = withTerms({ orders: { treasuryKey, maxFeeGwei } })
  const order = await makeOrder('6h', { ctx })
  await approve(order, '1000')
  const before = await balanceOf(payer())
  await chain.control.setAutomine(false)
  await watch(ctx)
  const sent = await readCollection()
  const offered = parseTransaction(sent.signed)
  const { maxFeePerGas = 0n } = offered
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas + 1n })
  await chain.mine()
  expect(await chain.client.getTransactionReceipt({ hash: sent.txHash }).catch(() => null)).toBeNull()
  return { ctx, order, sent, offered, before }
}

async function mineAgain() {
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
  await chain.mine()
  await chain.control.setAutomine(true)
}

describe('a collecting transaction that no block takes', () => {
  test('is left alone for a minute, then sent again with a higher fee and the same number, as often as it takes', async () => {
    const { ctx, order, sent, offered, before } = await getStuck()
    clock.advance(MINUTE_MS - 1)
    await watch(ctx)
    expect(await readCollection()).toEqual(sent)
    let last = offered
    const hashes = [sent.txHash]
    for (const wait of [1, MINUTE_MS]) {
      clock.advance(wait)
      await watch(ctx)
      const raised = await readCollection()
      const offer = parseTransaction(raised.signed)
      expect(offer).toMatchObject({ nonce: last.nonce, to: last.to, data: last.data, gas: last.gas })
      expect(8n * (offer.maxFeePerGas ?? 0n)).toBeGreaterThanOrEqual(9n * (last.maxFeePerGas ?? 0n))
      expect(8n * (offer.maxPriorityFeePerGas ?? 0n)).toBeGreaterThanOrEqual(9n * (last.maxPriorityFeePerGas ?? 0n))
      expect(raised.earlierHashes).toEqual(hashes)
      // The node has it in place of the one before.
      expect((await chain.client.getTransaction({ hash: raised.txHash })).nonce).toBe(offer.nonce)
      await expect(chain.client.getTransaction({ hash: hashes.at(-1) ?? '0x' })).rejects.toThrow(/could not be found/)
      hashes.push(raised.txHash)
      last = offer
    }
    expect(await readOrder(order.id, { ctx })).toMatchObject({
      status: 'seen',
      transactionHash: hashes.at(-1),
      replacedHashes: hashes.slice(0, -1),
    })
    await mineAgain()
    await watchUntilPaid(ctx, order)
    expect(before - (await balanceOf(payer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('counts as collected when the one with the lower fee is mined after all', async () => {
    const { ctx, order, sent, before } = await getStuck()
    clock.advance(MINUTE_MS)
    let isOver = false
    const failpoint = (passed: Failpoint) => {
      if (passed !== 'collect: before send' || isOver) return
      isOver = true
      throw new Error('The process ends')
    }
    await expect(watch({ ...ctx, failpoint })).rejects.toThrow('The process ends')
    expect((await readCollection()).earlierHashes).toEqual([sent.txHash])
    // Another node has kept it.
    await chain.client.sendRawTransaction({ serializedTransaction: sent.signed })
    await mineAgain()
    expect((await chain.client.getTransactionReceipt({ hash: sent.txHash })).status).toBe('success')
    await watchUntilPaid(ctx, order)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ transactionHash: sent.txHash })
    expect(before - (await balanceOf(payer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('is not raised above the cap', async () => {
    const { ctx, order, sent, offered } = await getStuck(3)
    expect(offered.maxFeePerGas).toBeLessThanOrEqual(3n * 10n ** 9n)
    for (let round = 0; round < 3; round++) {
      clock.advance(MINUTE_MS)
      await watch(ctx)
    }
    const { signed, earlierHashes } = await readCollection()
    expect(parseTransaction(signed).maxFeePerGas).toBeLessThanOrEqual(3n * 10n ** 9n)
    expect(earlierHashes.length).toBeLessThan(3)
    expect([sent.txHash, ...earlierHashes]).toContain(sent.txHash)
    await mineAgain()
    await watchUntilPaid(ctx, order)
  })

  test('is left alone once a block has it, however long its confirmations take', async () => {
    const { ctx, order, sent } = await getStuck()
    const patient = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
    await watch(ctx)
    await mineAgain()
    clock.advance(2 * MINUTE_MS)
    await watch(patient)
    expect(await readCollection()).toEqual(sent)
    await chain.mine(2)
    await watchUntilPaid(patient, order)
    await assertLedger()
  })
})
