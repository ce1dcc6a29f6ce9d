import { itoTokenAbi } from '@tocsin/contracts/abi'
import { type endpoints, plans } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, testConfig, waitForReceipt } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { parseUnits } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { activities, sessions } from '../src/db/schema/accounts.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { walletProofs } from '../src/db/schema/wallets.ts'
import { createOrder } from '../src/features/payments/routes.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import { createSignInChallenge } from '../src/features/wallets/sign-in.ts'
import type { Input } from '../src/http/route.ts'

import {
  anna,
  bert,
  box,
  chain,
  clock,
  countStoredRows,
  createAccount,
  createInput,
  findActivePlan,
  getWallet,
  type PostOptions,
  payIto,
  postSubscription,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

setPaymentFixture()

describe('a purchase is rejected and stores nothing', () => {
  const otherAddress = `0x${'5'.repeat(40)}` as const
  const cases: [string, () => Promise<Omit<PostOptions, 'ctx'>>, string, RegExp][] = [
    [
      'for an unknown transaction hash',
      async () => ({ hash: `0x${'77'.repeat(32)}` }),
      'payment_unknown',
      /not found on the chain/,
    ],
    [
      'without a proved wallet',
      async () => ({ hash: (await payIto(1, '10')).transactionHash, proved: [] }),
      'wallet_not_proved',
      /Sign in/,
    ],
    [
      'from another wallet',
      async () => ({ hash: (await payIto(2, '10')).transactionHash }),
      'payment_wrong_sender',
      /not verified/,
    ],
    [
      'to another recipient',
      async () => ({ hash: (await payIto(1, '10', { to: otherAddress })).transactionHash }),
      'payment_wrong_recipient',
      /treasury/,
    ],
    [
      'one unit below the price',
      async () => ({ hash: (await payIto(1, '9.999999999999999999')).transactionHash }),
      'payment_too_small',
      /^9\.999999999999999999 ITO arrived, the plan costs 10 ITO$/,
    ],
    [
      'for a more expensive plan than was paid',
      async () => ({ hash: (await payIto(1, '10')).transactionHash, plan: '3d' }),
      'payment_too_small',
      /^10 ITO arrived, the plan costs 75 ITO$/,
    ],
    [
      'for a failed transaction',
      async () => ({ hash: (await payIto(1, '1000000')).transactionHash }),
      'payment_reverted',
      /failed/,
    ],
    [
      'with another token of the same name',
      async () => ({ hash: (await payIto(1, '10', { token: await chain.deployToken() })).transactionHash }),
      'payment_wrong_token',
      /contract/,
    ],
    [
      'with the native coin of the chain',
      async () => {
        const hash = await chain.wallet(1).sendTransaction({ to: chain.treasury, value: 10n ** 19n })
        await waitForReceipt(chain.client, hash)
        return { hash }
      },
      'payment_wrong_token',
      /does not transfer ITO/,
    ],
    [
      'for a payment that is too old',
      async () => {
        const { transactionHash } = await payIto(1, '10')
        clock.advance(25 * HOUR_MS)
        return { hash: transactionHash }
      },
      'payment_too_old',
      /24 hours/,
    ],
  ]
  test.each(cases)('%s', async (_, prepare, code, message) => {
    const refusal = await readRefusal(postSubscription(await prepare()))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(message)
    expect(await countStoredRows()).toBe(0)
  })

  test('with too few confirmations, and accepted once it has them', async () => {
    const { payment } = box.ctx.config
    const ctx = { ...box.ctx, config: { ...box.ctx.config, payment: { ...payment, confirmations: 3 } } }
    const { transactionHash } = await payIto(1, '10')
    await chain.mine()
    const refusal = await readRefusal(postSubscription({ hash: transactionHash, ctx }))
    expect(refusal).toMatchObject({ code: 'payment_confirming', details: { confirmations: 2, required: 3 } })
    expect(await countStoredRows()).toBe(0)
    await chain.mine()
    expect(await postSubscription({ hash: transactionHash, ctx })).toMatchObject({ isActive: true })
  })

  test('while the transaction is pending', async () => {
    await chain.control.setAutomine(false)
    const hash = await chain.wallet(1).writeContract({
      address: chain.token,
      abi: itoTokenAbi,
      functionName: 'transfer',
      args: [chain.treasury, parseUnits('10', 18)],
    })
    const refusal = await readRefusal(postSubscription({ hash }))
    await chain.control.setAutomine(true)
    await chain.mine()
    expect(refusal).toMatchObject({ code: 'payment_confirming', details: { confirmations: 0, required: 1 } })
    expect(await countStoredRows()).toBe(0)
  })

  test('when the node is unreachable or serves another chain', async () => {
    const { transactionHash } = await payIto(1, '10')
    const { payment } = box.ctx.config
    const other = { ...box.ctx, config: { ...box.ctx.config, payment: { ...payment, chainId: 1 } } }
    const silentContext = await createTestContext(testConfig({ databaseUrl: box.ctx.config.databaseUrl }), clock)
    for (const ctx of [other, silentContext.ctx]) {
      expect((await readRefusal(postSubscription({ hash: transactionHash, ctx }))).code).toBe('unavailable')
    }
    await silentContext.close()
    expect(await countStoredRows()).toBe(0)
  })

  test('for a payment that another account has used, and a repeated report by that account returns its subscription', async () => {
    const { transactionHash: hash } = await payIto(1, '10')
    expect((await readRefusal(postSubscription({ hash, by: bert, proved: [2] }))).code).toBe('payment_wrong_sender')
    const createdPlan = await postSubscription({ hash })
    const rows = await countStoredRows()
    expect((await readRefusal(postSubscription({ hash, by: bert, proved: [2] }))).code).toBe('payment_used')
    expect((await readRefusal(postSubscription({ hash, by: bert, proved: [1, 2] }))).code).toBe('payment_used')
    expect(await postSubscription({ hash: hash.toUpperCase().replace('0X', '0x') })).toEqual(createdPlan)
    expect(await postSubscription({ hash, plan: '3d' })).toEqual(createdPlan)
    expect(await countStoredRows()).toBe(rows)
  })

  test('for an unknown transaction during an active subscription', async () => {
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    const refusal = await readRefusal(postSubscription({ hash: `0x${'77'.repeat(32)}` }))
    expect(refusal).toMatchObject({ code: 'subscription_active', message: 'You already have an active subscription' })
  })
})

describe('a purchase', () => {
  test('of each plan starts a subscription of its length, regardless of times sent by the client', async () => {
    for (const plan of plans) {
      const owner = await createAccount(plan.id, 3 + plans.indexOf(plan))
      const proved = [3 + plans.indexOf(plan)]
      const { transactionHash } = await chain.pay({ from: proved[0] ?? 0, amountWei: plan.priceWei })
      const createdPlan = await postSubscription({ hash: transactionHash, plan: plan.id, by: owner, proved })
      const endTime = new Date(clock.now().getTime() + plan.hours * HOUR_MS).toISOString()
      expect(createdPlan).toMatchObject({
        userId: owner,
        planType: plan.id,
        tokenAmount: plan.priceWei.toString(),
        startTime: clock.now().toISOString(),
        endTime,
        transactionHash,
        isActive: true,
      })
      expect(await findActivePlan(owner, owner)).toEqual(createdPlan)
    }
    const lines = await box.ctx.db.select().from(activities).orderBy(activities.id)
    expect(lines.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([
      'plan_paid: 6 hours, 10 ITO',
      'plan_paid: 24 hours, 30 ITO',
      'plan_paid: 3 days, 75 ITO',
    ])
  })

  test('reported 100 times concurrently by two accounts creates one subscription', async () => {
    const { transactionHash: hash } = await payIto(1, '10')
    const posts = Array.from({ length: 100 }, (_, i) =>
      postSubscription({ hash, by: i % 2 ? anna : bert, proved: [1] }),
    )
    const outcomes = await Promise.allSettled(posts)
    const subscriptionIds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : []))
    const refusalCodes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(subscriptionIds).toHaveLength(50)
    expect(new Set(subscriptionIds).size).toBe(1)
    // A report by the other account is refused because the wallet belongs to `anna`, or, once the
    // payment is credited, because it is already used.
    expect(['payment_used', 'payment_wrong_sender']).toEqual(expect.arrayContaining(refusalCodes))
    expect(await countStoredRows()).toBe(3)
  })

  test('of several plans concurrently queues them without gap or overlap', async () => {
    const hashes: string[] = []
    for (let i = 0; i < 5; i++) hashes.push((await payIto(1, '10')).transactionHash)
    await Promise.all([...hashes, ...hashes].map((hash) => postSubscription({ hash })))
    const rows = await box.ctx.db.select().from(subscriptions).orderBy(subscriptions.startsAt)
    const startMs = clock.now().getTime()
    expect(rows.map(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt.getTime()])).toEqual(
      [0, 1, 2, 3, 4].map((i) => [startMs + i * 6 * HOUR_MS, startMs + (i + 1) * 6 * HOUR_MS]),
    )
    const active = await findActivePlan(anna)
    expect(active?.endTime).toBe(new Date(startMs + 30 * HOUR_MS).toISOString())
  })

  test('sends an entitlement notification for its account', async () => {
    const notifiedKey = new Promise<string>((resolve) => box.ctx.notifications.on('entitlement', resolve))
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    expect(await notifiedKey).toBe(anna)
  })
})

describe('the active subscription', () => {
  test('of another account gets the same response as the subscription of an unknown account', async () => {
    const answers = [bert, '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'x'].map((userId) =>
      readRefusal(findActivePlan(userId)),
    )
    const [first, ...others] = (await Promise.all(answers)).map(({ code, message }) => ({ code, message }))
    expect(first?.code).toBe('not_found')
    for (const other of others) expect(other).toEqual(first)
  })

  test('is null outside its period and readable by admins', async () => {
    expect(await findActivePlan(anna)).toBeNull()
    await postSubscription({ hash: (await payIto(1, '10')).transactionHash })
    clock.advance(6 * HOUR_MS - 1)
    expect(await findActivePlan(anna, bert, true)).toMatchObject({ userId: anna })
    expect(await findEntitlement(box.ctx, anna, clock.now())).toMatchObject({ planId: '6h' })
    clock.advance(1)
    expect(await findActivePlan(anna)).toBeNull()
    expect(await findEntitlement(box.ctx, anna, clock.now())).toBeNull()
  })
})

test('reported payment: is logged once when it is reported twice', async () => {
  const infoSpy = vi.spyOn(box.ctx.logger, 'info')
  const { transactionHash: hash } = await payIto(1, '10')
  await postSubscription({ hash })
  await postSubscription({ hash })
  const lines = infoSpy.mock.calls.filter(([, text]) => text === 'payments credited')
  expect(lines.map(([what]) => what)).toEqual([{ payments: 1, chainId: chain.chainId }])
})

describe('a purchase with many contract wallets in the session', () => {
  const createContractBytecode = (word: string) => `0x63${word}60e01b60005260206000f3` as const

  /**
   * Adds proofs of the wallets 1 to 9 to the session, with a signature that only a contract can
   * accept. `calls` counts the contract calls.
   */
  async function addContractWallets() {
    const { message } = await createSignInChallenge(box.ctx, getWallet(1))
    const [session] = await box.ctx.db.select().from(sessions).where(eq(sessions.id, anna))
    const sessionIdHash = session?.idHash ?? ''
    const numbers = Array.from({ length: 9 }, (_, index) => index + 1)
    const [now, signature] = [clock.now(), `0x${'12'.repeat(65)}`]
    const proofFields = { sessionIdHash, chainId: chain.chainId, message, signature, checkedAt: now, provedAt: now }
    await box.ctx.db
      .insert(walletProofs)
      .values(numbers.map((number) => ({ ...proofFields, address: getWallet(number) })))
    let calls = 0
    const call: typeof box.ctx.paymentChain.call = (request) => {
      calls += 1
      return box.ctx.paymentChain.call(request)
    }
    return { numbers, calls: () => calls, ctx: { ...box.ctx, paymentChain: { ...box.ctx.paymentChain, call } } }
  }

  test('calls only the contract that has paid', async () => {
    const { transactionHash: hash } = await payIto(1, '10')
    const { numbers, calls, ctx } = await addContractWallets()
    await chain.control.setCode({ address: getWallet(1), bytecode: createContractBytecode('1626ba7e') })
    expect(await postSubscription({ hash, proved: numbers, ctx })).toMatchObject({ transactionHash: hash })
    expect(calls()).toBe(1)
  })

  test('is rejected when the contract that paid no longer accepts the signature', async () => {
    const { transactionHash: hash } = await payIto(1, '10')
    const { numbers, ctx } = await addContractWallets()
    await chain.control.setCode({ address: getWallet(1), bytecode: createContractBytecode('ffffffff') })
    expect((await readRefusal(postSubscription({ hash, proved: numbers, ctx }))).code).toBe('wallet_not_proved')
    expect(await findActivePlan(anna)).toBeNull()
  })

  test('calls only the contract that will pay when the order is created', async () => {
    const { numbers, calls, ctx } = await addContractWallets()
    await chain.control.setCode({ address: getWallet(1), bytecode: createContractBytecode('1626ba7e') })
    const body = { planType: '6h', walletAddress: getWallet(1) }
    const input = { ...createInput(anna, numbers.map(getWallet)), request: { headers: {}, ip: '127.0.0.1' }, body }
    await createOrder(ctx, input as unknown as Input<typeof endpoints.createOrder>)
    expect(calls()).toBe(1)
  })
})
