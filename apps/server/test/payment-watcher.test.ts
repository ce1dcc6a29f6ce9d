import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, startTcpProxy, testConfig } from '@tocsin/testkit'
import { isNotNull } from 'drizzle-orm'
import { parseUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { operator } from '../src/audit-log.ts'
import { createChainClient } from '../src/chain/chain-client.ts'
import { activities } from '../src/db/schema/accounts.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { paymentEffects, type SubscriptionOperations } from '../src/features/payments/credit-payment.ts'
import { listPayments } from '../src/features/payments/payment-list-store.ts'
import { lockRefundTarget } from '../src/features/payments/refund-store.ts'
import { MAX_RECHECKED_TRANSFERS } from '../src/features/payments/reorganisation.ts'
import { checkPayments, watchPayments } from '../src/features/payments/watcher.ts'
import { cancelSubscription } from '../src/features/subscriptions/adjust.ts'
import { findEntitlement, listPastPeriods } from '../src/features/subscriptions/service.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, withTerms } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  contractCode,
  countStoredRows,
  createAccount,
  findActivePlan,
  getWallet,
  payIto,
  payTwice,
  postSubscription,
  readRefusal,
  send,
  setPayingContract,
  setPaymentFixture,
  signContractPayment,
  signPayment,
} from './payment-fixture.ts'

setPaymentFixture()

describe('the payment watcher', () => {
  const runCheck = () => checkPayments(box.ctx)

  test('continues after a failed run until it is stopped', async () => {
    const notifiedKey = new Promise<string>((resolve) => box.ctx.notifications.on('entitlement', resolve))
    await payIto(1, '10')
    const stop = new AbortController()
    let failures = 0
    const credit: SubscriptionOperations['credit'] = async (...args) => {
      failures += 1
      if (failures === 1) throw new Error('The first run fails')
      return paymentEffects.credit(...args)
    }
    const watching = watchPayments(box.ctx, stop.signal, { ...paymentEffects, credit })
    expect(await notifiedKey).toBe(anna)
    stop.abort()
    await watching
    expect(await countStoredRows()).toBe(3)
  })

  test('records a transfer once when it matches no plan or no wallet', async () => {
    await payIto(1, '11')
    await payIto(9, '10')
    await payIto(1, '0')
    await runCheck()
    await runCheck()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ reason }) => reason).sort()).toEqual(['other_amount', 'unknown_wallet'])
    expect(await countStoredRows()).toBe(2)
  })

  test('credits a payment without a report, and a late report gets the same subscription', async () => {
    const { transactionHash: hash } = await payIto(1, '30')
    await runCheck()
    await runCheck()
    const active = await findActivePlan(anna)
    expect(active).toMatchObject({ planType: '24h', transactionHash: hash, isActive: true })
    expect(await postSubscription({ hash, plan: '24h' })).toEqual(active)
    expect(await countStoredRows()).toBe(3)
  })

  test('skips a payment that was credited by a report', async () => {
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    await runCheck()
    expect(await countStoredRows()).toBe(3)
  })

  test('waits for confirmations', async () => {
    const { payment } = box.ctx.config
    const ctx = { ...box.ctx, config: { ...box.ctx.config, payment: { ...payment, confirmations: 2 } } }
    await payIto(1, '10')
    await checkPayments(ctx)
    expect(await countStoredRows()).toBe(0)
    await chain.mine()
    await checkPayments(ctx)
    expect(await findActivePlan(anna)).not.toBeNull()
  })

  test('counts two transfers of one transaction once each', async () => {
    const hash = await payTwice(1, parseUnits('10', 18))
    await postSubscription({ hash, proved: [1] })
    await runCheck()
    await runCheck()
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
    await runCheck()
    const carl = await createAccount('carl', 8)
    await runCheck()
    expect(await findActivePlan(carl, carl)).not.toBeNull()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ resolvedAt }) => resolvedAt)).toEqual([clock.now()])
  })

  test('credits nothing when a reorganisation removed the payment before its wallet was proved', async () => {
    const snapshotBefore = await chain.snapshot()
    await payIto(8, '10')
    await runCheck()
    await chain.revert(snapshotBefore)
    await chain.mine(70)
    const carl = await createAccount('carl', 8)
    await runCheck()
    expect(await findActivePlan(carl, carl)).toBeNull()
    expect(await box.ctx.db.select().from(payments)).toEqual([])
  })

  test('resolves an unmatched overpayment once when the buyer reports the transaction', async () => {
    const { transactionHash: hash } = await payIto(1, '12')
    await runCheck()
    expect(await postSubscription({ hash })).toMatchObject({
      tokenAmount: parseUnits('12', 18).toString(),
      isActive: true,
    })
    await runCheck()
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows.map(({ resolvedAt }) => resolvedAt)).toEqual([clock.now()])
  })

  test('revokes a plan while a reorganisation has removed its payment, and starts queued plans earlier', async () => {
    const { transactionHash: keptHash } = await payIto(1, '75')
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '10')
    const { transactionHash: hash } = await send(signedPayment)
    await postSubscription({ hash })
    expect(await postSubscription({ hash: keptHash, plan: '3d' })).toMatchObject({ isActive: false })
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await runCheck()
    expect(await findActivePlan(anna)).toMatchObject({ planType: '3d', startTime: clock.now().toISOString() })
    expect(box.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['anna@example.com', 'Your payment is waiting for the chain'],
    ])
    await runCheck()
    expect(box.mails).toHaveLength(1)
    expect((await postSubscription({ hash })).isActive).toBe(false)

    await send(signedPayment)
    await runCheck()
    const endsAt = (await findEntitlement(box.ctx, anna, clock.now()))?.endsAt
    expect(endsAt).toEqual(new Date(clock.now().getTime() + 78 * HOUR_MS))
    const kinds = (await box.ctx.db.select().from(activities).orderBy(activities.id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['plan_paid', 'plan_paid', 'payment_reverted', 'payment_restored'])
  })

  test('keeps a cancelled plan as it is while a reorganisation removes its payment and brings it back', async () => {
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '10')
    const { transactionHash: hash } = await send(signedPayment)
    await postSubscription({ hash })
    clock.advance(HOUR_MS)
    await cancelSubscription(box.ctx, { by: operator, accountId: anna, reason: undefined })
    const listOwnPeriods = () => listPastPeriods(box.ctx, anna, clock.now())
    const [usedPeriod] = await listOwnPeriods()
    expect(usedPeriod).toMatchObject({ endsAt: clock.now() })
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await runCheck()
    expect(box.mails.map(({ subject }) => subject)).toEqual(['Your subscription was cancelled'])
    clock.advance(HOUR_MS)
    await send(signedPayment)
    await runCheck()
    expect(await listOwnPeriods()).toEqual([usedPeriod])
    const details = (await box.ctx.db.select().from(activities).orderBy(activities.id)).map(({ detail }) => detail)
    expect(details.slice(2)).toEqual([
      '10 ITO was removed from the chain by a reorganisation',
      '10 ITO is on the chain again',
    ])
  })

  test('keeps the plan when a payment moves to another block', async () => {
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '10')
    const { transactionHash: hash, blockHash } = await send(signedPayment)
    await postSubscription({ hash })
    await chain.revert(snapshotBefore)
    await chain.mine(2)
    await send(signedPayment)
    await runCheck()
    const [row] = await box.ctx.db.select().from(payments)
    expect(row).toMatchObject({ txHash: hash, revertedAt: null })
    expect(row?.blockHash).not.toBe(blockHash)
    expect(await findActivePlan(anna)).not.toBeNull()
    expect(await countStoredRows()).toBe(3)
  })

  test('keeps the plan when a payment moves to another block after the treasury was changed', async () => {
    const snapshotBefore = await chain.snapshot()
    const signedPayment = await signPayment(1, '10')
    const { transactionHash: hash, blockHash } = await send(signedPayment)
    await postSubscription({ hash })
    await chain.revert(snapshotBefore)
    await chain.mine(2)
    await send(signedPayment)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    const [row] = await box.ctx.db.select().from(payments)
    expect(row).toMatchObject({ txHash: hash, treasury: chain.treasury, revertedAt: null })
    expect(row?.blockHash).not.toBe(blockHash)
    expect(await findActivePlan(anna)).not.toBeNull()
  })

  test('pays the order when a reorganised partial payment is mined again after a treasury change', async () => {
    const order = await makeOrder('6h')
    const snapshotBefore = await chain.snapshot()
    await payIto(1, '4')
    const signedPayment = await signPayment(1, '3')
    await send(signedPayment)
    await runCheck()
    await chain.revert(snapshotBefore)
    await chain.mine(3)
    await payIto(1, '7')
    await runCheck()
    await send(signedPayment)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid', treasury: chain.treasury })
  })

  test('credits a payment to the former treasury when its wallet is proved after the change', async () => {
    await payIto(7, '10')
    await runCheck()
    const carl = await createAccount('carl', 7)
    await checkPayments(withTerms({ payment: { treasury: getWallet(8) } }))
    expect(await findActivePlan(carl, carl)).not.toBeNull()
  })

  /**
   * Pays through a contract. Then reverts the chain, replaces the contract's code and sends the
   * same signed transaction again. It has the same hash, but another effect.
   */
  async function payAndChange(ito: string, code: string, runBetween = runCheck): Promise<`0x${string}`> {
    await setPayingContract(contractCode.pay)
    const signedPayment = await signContractPayment(1, parseUnits(ito, 18))
    const snapshotBefore = await chain.snapshot()
    const { transactionHash } = await send(signedPayment)
    await runCheck()
    await runBetween()
    await chain.revert(snapshotBefore)
    await chain.mine(2)
    await setPayingContract(code)
    expect((await send(signedPayment)).transactionHash).toBe(transactionHash)
    await runCheck()
    return transactionHash
  }
  const createCodeWithAmount = (ito: string) => contractCode.setAmount(parseUnits(ito, 18)) + contractCode.pay
  const withOtherIndex = contractCode.log + contractCode.pay

  test('records the new amount of an unmatched transfer that a reorganisation has changed', async () => {
    const txHash = await payAndChange('11', createCodeWithAmount('12'))
    const rows = await box.ctx.db.select().from(unmatchedTransfers)
    expect(rows).toMatchObject([{ txHash, logIndex: 0, amountWei: parseUnits('12', 18), revertedAt: null }])
    await checkLedger(box.ctx)
  })

  test('credits an unmatched transfer that a reorganisation has changed to the price of a plan', async () => {
    const transactionHash = await payAndChange('11', createCodeWithAmount('10'))
    expect(await findActivePlan(anna)).toMatchObject({ planType: '6h', transactionHash })
    await checkLedger(box.ctx)
  })

  test('credits a payment again when a reorganisation has changed its log index', async () => {
    await payAndChange('10', withOtherIndex)
    const rows = await box.ctx.db.select().from(payments).orderBy(payments.logIndex)
    expect(rows).toMatchObject([
      { logIndex: 0, revertedAt: clock.now() },
      { logIndex: 1, revertedAt: null },
    ])
    expect(await findActivePlan(anna)).not.toBeNull()
    await checkLedger(box.ctx)
  })

  test('records a reported transfer as unmatched again when a reorganisation has changed its log index', async () => {
    await payAndChange('12', withOtherIndex, async () => {
      const [row] = await box.ctx.db.select().from(unmatchedTransfers)
      await postSubscription({ hash: row?.txHash ?? '' })
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
        await postSubscription({ hash: row?.txHash ?? '' })
      },
    ],
    ['a plan', async () => {}, '10', async () => {}],
  ])('lists a transfer as unmatched when it replaced the payment of %s in a reorg', async (_, prepare, ito, claim) => {
    await prepare()
    const txHash = await payAndChange(ito, createCodeWithAmount('9'), claim)
    await runCheck()
    expect(await findActivePlan(anna)).toBeNull()
    expect(await box.ctx.db.select().from(payments)).toMatchObject([
      { txHash, amountWei: parseUnits(ito, 18), revertedAt: clock.now() },
    ])
    const [unmatched, ...others] = await box.ctx.db.select().from(unmatchedTransfers)
    const amountWei = parseUnits('9', 18)
    expect(unmatched).toMatchObject({ amountWei, reason: 'other_amount', resolvedAt: null, revertedAt: null })
    expect(others).toEqual([])
    const listed = await listPayments(box.ctx.db, {}, undefined, 10)
    expect(listed.map(({ state }) => state).sort()).toEqual(['reverted', 'unmatched'])
    await checkLedger(box.ctx)
    await box.ctx.db.transaction(async (tx) => {
      expect(await lockRefundTarget(tx, unmatched?.id ?? '')).toMatchObject({ kind: 'unmatched', amountWei })
    })
  })

  test('credits other payments when revoking a reverted payment fails', async () => {
    const snapshotBefore = await chain.snapshot()
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    await chain.revert(snapshotBefore)
    await chain.mine(2)
    await payIto(2, '10')
    const revokePayment = () => Promise.reject(new Error('the account is locked'))
    await expect(checkPayments(box.ctx, { ...paymentEffects, revokePayment })).rejects.toThrow('the account is locked')
    expect(await findActivePlan(bert, bert)).not.toBeNull()
    await runCheck()
    expect(await findActivePlan(anna)).toBeNull()
  })

  test('credits new payments while many others were reverted, and rechecks those in rotation', async () => {
    const revertedCount = MAX_RECHECKED_TRANSFERS + 50
    const transactionHashes = Array.from(
      { length: 2 * revertedCount },
      (_, index) => `0x${(index + 1).toString(16).padStart(64, '0')}` as const,
    )
    const head = Number(await chain.client.getBlockNumber())
    const lostBlockFields = {
      chainId: box.ctx.config.payment.chainId,
      logIndex: 0,
      blockNumber: head,
      blockHash: transactionHashes[0] ?? '0x',
    }
    const paymentFields = {
      token: chain.token,
      payer: getWallet(9) as `0x${string}`,
      amountWei: 1n,
      planId: '6h' as const,
    }
    await box.ctx.db.insert(payments).values(
      transactionHashes.map((txHash, index) => ({
        ...{ ...lostBlockFields, ...paymentFields, txHash, blockAt: clock.now(), createdAt: clock.now() },
        revertedAt: index < revertedCount ? clock.now() : null,
      })),
    )
    const queriedHashes: string[] = []
    const getTransactionReceipt: typeof box.ctx.paymentChain.getTransactionReceipt = ({ hash }) => {
      queriedHashes.push(hash)
      return box.ctx.paymentChain.getTransactionReceipt({ hash })
    }
    const countingCtx = { ...box.ctx, paymentChain: { ...box.ctx.paymentChain, getTransactionReceipt } }
    const { transactionHash } = await payIto(1, '10')
    await checkPayments(countingCtx)
    expect(await findActivePlan(anna)).not.toBeNull()
    expect(queriedHashes.filter((hash) => hash !== transactionHash)).toHaveLength(2 * MAX_RECHECKED_TRANSFERS)
    // In these rounds, the watcher also reverts the other half of the payments. It rechecks them in
    // rotation with those that were reverted before.
    for (let round = 0; round < 4; round += 1) await checkPayments(countingCtx)
    expect(new Set(queriedHashes)).toEqual(new Set([...transactionHashes, transactionHash]))
    expect(await box.ctx.db.$count(payments, isNotNull(payments.revertedAt))).toBe(2 * revertedCount)
  })

  test('credits all payments in one run after ten minutes without a node, during which reports get status 503', async () => {
    const proxy = await startTcpProxy(chain.url)
    const ctx = { ...box.ctx, paymentChain: createChainClient([proxy.url]) }
    await checkPayments(ctx)
    proxy.resetConnections()
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
        expect((await readRefusal(postSubscription(reported))).status).toBe(503)
      }
    }
    expect(await countStoredRows()).toBe(0)
    proxy.heal()
    await checkPayments(ctx)
    const plans = await Promise.all([anna, bert].map((id) => findEntitlement(box.ctx, id, clock.now())))
    expect(plans).toMatchObject([{ planId: '6h' }, { planId: '24h' }])
    await checkLedger(box.ctx)
    await proxy.close()
  })

  test('revokes nothing when a node lags or does not respond', async () => {
    const snapshotBefore = await chain.snapshot()
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    await chain.revert(snapshotBefore)
    await runCheck()
    const silent = await createTestContext(testConfig({ databaseUrl: box.ctx.config.databaseUrl }), clock)
    expect((await readRefusal(checkPayments(silent.ctx))).code).toBe('unavailable')
    await silent.close()
    expect(await findActivePlan(anna)).not.toBeNull()
  })
})
