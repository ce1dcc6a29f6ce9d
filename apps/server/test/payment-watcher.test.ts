import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, startTcpProxy, testConfig } from '@tocsin/testkit'
import { isNotNull } from 'drizzle-orm'
import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { createChainClient } from '../src/chain/chain-client.ts'
import { activities } from '../src/db/schema/accounts.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { type PaymentEffects, paymentEffects } from '../src/features/payments/credit-payment.ts'
import { listPayments } from '../src/features/payments/payment-list-store.ts'
import { lockRefundTarget } from '../src/features/payments/refund-store.ts'
import { MAX_RECHECKED } from '../src/features/payments/reorganisation.ts'
import { checkPayments, watchPayments } from '../src/features/payments/watcher.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, withTerms } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  contractCode,
  createAccount,
  getWallet,
  payIto,
  payTwice,
  post,
  readActive,
  readRefusal,
  send,
  setPayingContract,
  setPaymentFixture,
  signContractPayment,
  signPayment,
  storedRows,
} from './payment-fixture.ts'

setPaymentFixture()

describe('the payment watcher', () => {
  const watch = () => checkPayments(box.ctx)

  test('continues after a failed run until it is stopped', async () => {
    const woken = new Promise<string>((resolve) => box.ctx.notifications.on('entitlement', resolve))
    await payIto(1, '10')
    const stop = new AbortController()
    let failures = 0
    const credit: PaymentEffects['credit'] = async (...given) => {
      failures += 1
      if (failures === 1) throw new Error('The first run fails')
      return paymentEffects.credit(...given)
    }
    const watching = watchPayments(box.ctx, stop.signal, { ...paymentEffects, credit })
    expect(await woken).toBe(anna)
    stop.abort()
    await watching
    expect(await storedRows()).toBe(3)
  })

  test('records a payment that matches no plan or wallet once', async () => {
    await payIto(1, '11')
    await payIto(9, '10')
    await payIto(1, '0')
    await watch()
    await watch()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ reason }) => reason).sort()).toEqual(['other_amount', 'unknown_wallet'])
    expect(await storedRows()).toBe(2)
  })

  test('credits a payment without a report, and a late report gets the same subscription', async () => {
    const { transactionHash: hash } = await payIto(1, '30')
    await watch()
    await watch()
    const active = await readActive(anna)
    expect(active).toMatchObject({ planType: '24h', transactionHash: hash, isActive: true })
    expect(await post({ hash, plan: '24h' })).toEqual(active)
    expect(await storedRows()).toBe(3)
  })

  test('skips a payment that was credited by a report', async () => {
    await post({ hash: (await payIto(1, '10')).transactionHash })
    await watch()
    expect(await storedRows()).toBe(3)
  })

  test('waits for confirmations', async () => {
    const { payment } = box.ctx.config
    const ctx = { ...box.ctx, config: { ...box.ctx.config, payment: { ...payment, confirmations: 2 } } }
    await payIto(1, '10')
    await checkPayments(ctx)
    expect(await storedRows()).toBe(0)
    await chain.mine()
    await checkPayments(ctx)
    expect(await readActive(anna)).not.toBeNull()
  })

  test('counts two transfers of one transaction once each', async () => {
    const hash = await payTwice(1, parseUnits('10', 18))
    await post({ hash, proved: [1] })
    await watch()
    await watch()
    const rows = await box.ctx.db.select().from(payments).orderBy(payments.logIndex)
    expect(rows.map(({ txHash, logIndex }) => [txHash, logIndex])).toEqual([
      [hash, 0],
      [hash, 1],
    ])
    const endsAt = (await findEntitlement(box.ctx, anna, clock.now()))?.endsAt
    expect(endsAt).toEqual(new Date(clock.now().getTime() + 12 * HOUR_MS))
  })

  test('credits a payment when its wallet is proved later', async () => {
    await payIto(8, '10')
    await watch()
    const carl = await createAccount('carl', 8)
    await watch()
    expect(await readActive(carl, carl)).not.toBeNull()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ resolvedAt }) => resolvedAt)).toEqual([clock.now()])
  })

  test('credits nothing when a reorganisation removed the payment before its wallet was proved', async () => {
    const before = await chain.snapshot()
    await payIto(8, '10')
    await watch()
    await chain.revert(before)
    await chain.mine(70)
    const carl = await createAccount('carl', 8)
    await watch()
    expect(await readActive(carl, carl)).toBeNull()
    expect(await box.ctx.db.select().from(payments)).toEqual([])
  })

  test('accepts a claim of an unmatched overpayment', async () => {
    const { transactionHash: hash } = await payIto(1, '12')
    await watch()
    expect(await post({ hash })).toMatchObject({ tokenAmount: parseUnits('12', 18).toString(), isActive: true })
    await watch()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ resolvedAt }) => resolvedAt)).toEqual([clock.now()])
  })

  test('revokes a plan when a reorganisation removes its payment, moves queued plans up, and restores it', async () => {
    const { transactionHash: kept } = await payIto(1, '75')
    const before = await chain.snapshot()
    const signed = await signPayment(1, '10')
    const { transactionHash: hash } = await send(signed)
    await post({ hash })
    expect(await post({ hash: kept, plan: '3d' })).toMatchObject({ isActive: false })
    await chain.revert(before)
    await chain.mine(3)
    await watch()
    expect(await readActive(anna)).toMatchObject({ planType: '3d', startTime: clock.now().toISOString() })
    expect(box.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['anna@example.com', 'Your payment is waiting for the chain'],
    ])
    await watch()
    expect(box.mails).toHaveLength(1)
    expect((await post({ hash })).isActive).toBe(false)

    await send(signed)
    await watch()
    const endsAt = (await findEntitlement(box.ctx, anna, clock.now()))?.endsAt
    expect(endsAt).toEqual(new Date(clock.now().getTime() + 78 * HOUR_MS))
    const kinds = (await box.ctx.db.select().from(activities).orderBy(activities.id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['plan_paid', 'plan_paid', 'payment_reverted', 'payment_restored'])
  })

  test('keeps the plan when a payment moves to another block', async () => {
    const before = await chain.snapshot()
    const signed = await signPayment(1, '10')
    const { transactionHash: hash, blockHash } = await send(signed)
    await post({ hash })
    await chain.revert(before)
    await chain.mine(2)
    await send(signed)
    await watch()
    const [row] = await box.ctx.db.select().from(payments)
    expect(row).toMatchObject({ txHash: hash, revertedAt: null })
    expect(row?.blockHash).not.toBe(blockHash)
    expect(await readActive(anna)).not.toBeNull()
    expect(await storedRows()).toBe(3)
  })

  test('keeps the plan when a payment moves to another block after the treasury was changed', async () => {
    const before = await chain.snapshot()
    const signed = await signPayment(1, '10')
    const { transactionHash: hash, blockHash } = await send(signed)
    await post({ hash })
    await chain.revert(before)
    await chain.mine(2)
    await send(signed)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    const [row] = await box.ctx.db.select().from(payments)
    expect(row).toMatchObject({ txHash: hash, treasury: chain.treasury, revertedAt: null })
    expect(row?.blockHash).not.toBe(blockHash)
    expect(await readActive(anna)).not.toBeNull()
  })

  test('pays the order when its partial payment returns after the treasury was changed', async () => {
    const order = await makeOrder('6h')
    const before = await chain.snapshot()
    await payIto(1, '4')
    const signed = await signPayment(1, '3')
    await send(signed)
    await watch()
    await chain.revert(before)
    await chain.mine(3)
    await payIto(1, '7')
    await watch()
    await send(signed)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', treasury: chain.treasury })
  })

  test('credits a payment to the former treasury when its wallet is proved after the change', async () => {
    await payIto(7, '10')
    await watch()
    const carl = await createAccount('carl', 7)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    expect(await readActive(carl, carl)).not.toBeNull()
  })

  /**
   * Pays through a contract. Then reverts the chain, replaces the contract's code and sends the
   * same signed transaction again. It has the same hash, but another effect.
   */
  async function payChanged(ito: string, code: string, between = watch): Promise<`0x${string}`> {
    await setPayingContract(contractCode.pay)
    const signed = await signContractPayment(1, parseUnits(ito, 18))
    const before = await chain.snapshot()
    const { transactionHash } = await send(signed)
    await watch()
    await between()
    await chain.revert(before)
    await chain.mine(2)
    await setPayingContract(code)
    expect((await send(signed)).transactionHash).toBe(transactionHash)
    await watch()
    return transactionHash
  }
  const withAmount = (ito: string) => contractCode.setAmount(parseUnits(ito, 18)) + contractCode.pay
  const withOtherIndex = contractCode.log + contractCode.pay

  test('records the new amount of an unmatched transfer that a reorganisation has changed', async () => {
    const txHash = await payChanged('11', withAmount('12'))
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows).toMatchObject([{ txHash, logIndex: 0, amountWei: parseUnits('12', 18), revertedAt: null }])
    await checkLedger(box.ctx)
  })

  test('credits an unmatched transfer that a reorganisation has changed to the price of a plan', async () => {
    const transactionHash = await payChanged('11', withAmount('10'))
    expect(await readActive(anna)).toMatchObject({ planType: '6h', transactionHash })
    await checkLedger(box.ctx)
  })

  test('credits a payment again when a reorganisation has changed its index', async () => {
    await payChanged('10', withOtherIndex)
    const rows = await box.ctx.db.select().from(payments).orderBy(payments.logIndex)
    expect(rows).toMatchObject([
      { logIndex: 0, revertedAt: clock.now() },
      { logIndex: 1, revertedAt: null },
    ])
    expect(await readActive(anna)).not.toBeNull()
    await checkLedger(box.ctx)
  })

  test('records a claimed transfer again when a reorganisation has changed its index', async () => {
    await payChanged('12', withOtherIndex, async () => {
      const [row] = await box.ctx.db.select().from(unmatchedTransfers)
      await post({ hash: row?.txHash ?? '' })
    })
    const rows = await box.ctx.db.select().from(unmatchedTransfers).orderBy(unmatchedTransfers.logIndex)
    expect(rows).toMatchObject([
      { logIndex: 0, resolvedAt: clock.now() },
      { logIndex: 1, resolvedAt: null, revertedAt: null },
    ])
    await checkLedger(box.ctx)
  })

  test.each([
    ['an order', async () => void (await makeOrder('6h')), '12', async () => {}],
    [
      'a claimed transfer',
      async () => {},
      '12',
      async () => {
        const [row] = await box.ctx.db.select().from(unmatchedTransfers)
        await post({ hash: row?.txHash ?? '' })
      },
    ],
    ['a plan', async () => {}, '10', async () => {}],
  ])('leaves a transfer to an operator that has replaced the payment of %s', async (_, prepare, ito, claim) => {
    await prepare()
    const txHash = await payChanged(ito, withAmount('9'), claim)
    await watch()
    expect(await readActive(anna)).toBeNull()
    expect(await box.ctx.db.select().from(payments)).toMatchObject([
      { txHash, amountWei: parseUnits(ito, 18), revertedAt: clock.now() },
    ])
    const [unmatched, ...others] = await box.ctx.db.select().from(unmatchedTransfers)
    const amountWei = parseUnits('9', 18)
    expect(unmatched).toMatchObject({ amountWei, reason: 'other_amount', resolvedAt: null, revertedAt: null })
    expect(others).toEqual([])
    const listed = await listPayments(box.ctx.db, {}, null, 10)
    expect(listed.map(({ state }) => state).sort()).toEqual(['reverted', 'unmatched'])
    await checkLedger(box.ctx)
    await box.ctx.db.transaction(async (tx) => {
      expect(await lockRefundTarget(tx, unmatched?.id ?? '')).toMatchObject({ kind: 'unmatched', amountWei })
    })
  })

  test('credits others while one payment cannot be checked again', async () => {
    const before = await chain.snapshot()
    await post({ hash: (await payIto(1, '10')).transactionHash })
    await chain.revert(before)
    await chain.mine(2)
    await payIto(2, '10')
    const revokePayment = () => Promise.reject(new Error('the account is locked'))
    await expect(checkPayments(box.ctx, { ...paymentEffects, revokePayment })).rejects.toThrow('the account is locked')
    expect(await readActive(bert, bert)).not.toBeNull()
    await watch()
    expect(await readActive(anna)).toBeNull()
  })

  test('credits new payments while many others were reverted, and rechecks those in rotation', async () => {
    const many = MAX_RECHECKED + 50
    const made = Array.from(
      { length: 2 * many },
      (_, index) => `0x${(index + 1).toString(16).padStart(64, '0')}` as const,
    )
    const head = Number(await chain.client.getBlockNumber())
    const lost = { chainId: box.ctx.config.payment.chainId, logIndex: 0, blockNumber: head, blockHash: made[0] ?? '0x' }
    const paymentFields = {
      token: chain.token,
      payer: getWallet(9) as `0x${string}`,
      amountWei: 1n,
      planId: '6h' as const,
    }
    await box.ctx.db.insert(payments).values(
      made.map((txHash, at) => ({
        ...{ ...lost, ...paymentFields, txHash, blockAt: clock.now(), createdAt: clock.now() },
        revertedAt: at < many ? clock.now() : null,
      })),
    )
    const queried: string[] = []
    const getTransactionReceipt: typeof box.ctx.paymentChain.getTransactionReceipt = ({ hash }) => {
      queried.push(hash)
      return box.ctx.paymentChain.getTransactionReceipt({ hash })
    }
    const counted = { ...box.ctx, paymentChain: { ...box.ctx.paymentChain, getTransactionReceipt } }
    const { transactionHash } = await payIto(1, '10')
    await checkPayments(counted)
    expect(await readActive(anna)).not.toBeNull()
    expect(queried.filter((hash) => hash !== transactionHash)).toHaveLength(2 * MAX_RECHECKED)
    // In these rounds, the watcher also reverts the other half of the payments. It rechecks them in
    // rotation with those that were reverted before.
    for (let round = 0; round < 4; round += 1) await checkPayments(counted)
    expect(new Set(queried)).toEqual(new Set([...made, transactionHash]))
    expect(await box.ctx.db.$count(payments, isNotNull(payments.revertedAt))).toBe(2 * many)
  })

  test('credits every payment in one run, and rejects none, when its node was unreachable for ten minutes', async () => {
    const proxy = await startTcpProxy(chain.url)
    const ctx = { ...box.ctx, paymentChain: createChainClient([proxy.url]) }
    await checkPayments(ctx)
    proxy.cut()
    const [ofAnna, ofBert] = [await payIto(1, '10'), await payIto(2, '30')]
    for (let minute = 0; minute < 10; minute += 1) {
      clock.advance(MINUTE_MS)
      await expect(checkPayments(ctx)).rejects.toThrow()
      // The purchase stays open: the response asks the user to try again, and does not reject the
      // payment.
      for (const reported of [
        { hash: ofAnna.transactionHash, ctx },
        { hash: ofBert.transactionHash, plan: '24h' as const, by: bert, proved: [2], ctx },
      ]) {
        expect((await readRefusal(post(reported))).status).toBe(503)
      }
    }
    expect(await storedRows()).toBe(0)
    proxy.heal()
    await checkPayments(ctx)
    const plans = await Promise.all([anna, bert].map((id) => findEntitlement(box.ctx, id, clock.now())))
    expect(plans).toMatchObject([{ planId: '6h' }, { planId: '24h' }])
    await checkLedger(box.ctx)
    await proxy.close()
  })

  test('revokes nothing when a node lags or does not respond', async () => {
    const before = await chain.snapshot()
    await post({ hash: (await payIto(1, '10')).transactionHash })
    await chain.revert(before)
    await watch()
    const silent = await createTestContext(testConfig({ databaseUrl: box.ctx.config.databaseUrl }), clock)
    expect((await readRefusal(checkPayments(silent.ctx))).code).toBe('unavailable')
    await silent.close()
    expect(await readActive(anna)).not.toBeNull()
  })
})
