import type { endpoints } from '@tocsin/protocol'
import {
  createTestContext,
  startTestChain,
  type TestChain,
  type TestContext,
  testAccount,
  testConfig,
} from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CHAIN_SETTING, listChainContexts } from '../src/chain/payment-chains.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { settings } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { businessTreasury } from '../src/features/business/routes.ts'
import { getReceipt } from '../src/features/receipts/service.ts'
import { ensureKeyList } from '../src/features/tlog/service.ts'
import { checkWallets } from '../src/features/wallets/recheck.ts'
import { findOwner, getWalletUser } from '../src/features/wallets/service.ts'
import { createSignInChallenge, type SignInChallenge, signInWithWallet } from '../src/features/wallets/sign-in.ts'
import type { Input } from '../src/http/route.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, reportHash, runWatcherRound } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  createInput,
  findActivePlan,
  getWallet,
  payIto,
  postSubscription,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

/**
 * Tests two live chains. Token and treasury have the same addresses on both, as after a deployment
 * by the same deployer.
 */

setPaymentFixture()

const OTHER_CHAIN_ID = 31_338
let otherChain: TestChain
let bothContext: TestContext
let cleanSnapshot: `0x${string}`

beforeAll(async () => {
  otherChain = await startTestChain(OTHER_CHAIN_ID)
})
afterAll(async () => {
  await otherChain?.stop()
})
beforeEach(async () => {
  const { rpcUrls, token, treasury, confirmations } = otherChain.settings.payment
  const { databaseUrl, payment } = box.ctx.config
  const otherPaymentChains = [{ chainId: OTHER_CHAIN_ID, rpcUrls, token, treasury, confirmations }]
  cleanSnapshot = await otherChain.snapshot()
  bothContext = await createTestContext(testConfig({ databaseUrl, payment, otherPaymentChains }), clock)
})
afterEach(async () => {
  await bothContext.close()
  await otherChain.revert(cleanSnapshot)
})

const selectChain = (chainId: number) => {
  const value = { chainId, description: '' }
  return box.ctx.db
    .insert(settings)
    .values({ name: CHAIN_SETTING, value, updatedAt: clock.now() })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
}
const payOnOtherChain = (from: number) => otherChain.pay({ from, amountWei: parseUnits('10', 18) })
const watchBoth = async () => {
  for (const chainCtx of listChainContexts(bothContext.ctx)) await runWatcherRound(chainCtx)
}
const checkBoth = async () => {
  for (const chainCtx of listChainContexts(bothContext.ctx)) await checkLedger(chainCtx)
}

test('two chains: a payment on one chain does not pay an order on the other', async () => {
  const firstOrder = await makeOrder('6h', { ctx: bothContext.ctx })
  const { transactionHash } = await payOnOtherChain(1)
  expect(await reportHash(firstOrder.id, transactionHash, { ctx: bothContext.ctx })).toMatchObject({ status: 'seen' })
  for (const chainCtx of listChainContexts(bothContext.ctx).slice(0, 1)) await runWatcherRound(chainCtx)
  expect(await readOrder(firstOrder.id, { ctx: bothContext.ctx })).not.toMatchObject({ status: 'paid' })
  expect(await box.ctx.db.select().from(payments)).toEqual([])
})

test('two chains: each order is paid on its own chain after the selected chain changes, and both ledgers are consistent', async () => {
  expect(chain.token).toBe(otherChain.token)
  const firstOrder = await makeOrder('6h', { ctx: bothContext.ctx })
  await selectChain(OTHER_CHAIN_ID)
  const otherOrder = await makeOrder('6h', { ctx: bothContext.ctx, by: bert, wallet: 2 })
  expect([firstOrder.chainId, otherOrder.chainId]).toEqual([chain.chainId, OTHER_CHAIN_ID])

  await payIto(1, '10')
  await payOnOtherChain(2)
  await watchBoth()
  expect(await readOrder(firstOrder.id, { ctx: bothContext.ctx })).toMatchObject({
    status: 'paid',
    chainId: chain.chainId,
  })
  expect(await readOrder(otherOrder.id, { ctx: bothContext.ctx, by: bert })).toMatchObject({
    status: 'paid',
    chainId: OTHER_CHAIN_ID,
  })
  expect(await findActivePlan(bert, bert)).toMatchObject({ planType: '6h', isActive: true })
  await selectChain(chain.chainId)
  await watchBoth()
  expect(await box.ctx.db.select().from(payments)).toHaveLength(2)
  await checkBoth()
})

test('two chains: the business page has no balance from a node that serves another chain', async () => {
  const readBalances = async (ctx: TestContext['ctx']) => {
    const request = createInput(anna, [], true) as unknown as Input<typeof endpoints.businessTreasury>
    return (await businessTreasury(ctx, request)).map(({ balanceWei }) => balanceWei)
  }
  await payIto(1, '10')
  await payOnOtherChain(2)
  const balanceWei = `10${'0'.repeat(18)}`
  await expect.poll(() => readBalances(bothContext.ctx)).toEqual([balanceWei, balanceWei])
  const { config } = bothContext.ctx
  const otherPaymentChains = config.otherPaymentChains.map((one) => ({ ...one, rpcUrls: config.payment.rpcUrls }))
  const wrongNodeCtx = { ...bothContext.ctx, config: { ...config, otherPaymentChains } }
  await expect.poll(() => readBalances(wrongNodeCtx)).toEqual([balanceWei, null])
})

test('two chains: the receipt of a payment without a recorded treasury names the treasury configured for its chain', async () => {
  const { config } = bothContext.ctx
  const treasury = otherChain.wallet(7).account.address
  const otherPaymentChains = config.otherPaymentChains.map((terms) => ({ ...terms, treasury }))
  const ctx = { ...bothContext.ctx, config: { ...config, otherPaymentChains } }
  await ensureKeyList(ctx)
  await otherChain.pay({ from: 1, amountWei: parseUnits('10', 18), to: treasury })
  for (const chainCtx of listChainContexts(ctx)) await runWatcherRound(chainCtx)
  const [period] = await box.ctx.db.select().from(subscriptions)
  const receiptKey = { subscriptionId: period?.id ?? '', accountId: anna }
  // The treasury of older payments was not recorded, so the configured one is used.
  await box.ctx.db.update(payments).set({ treasury: null })
  const withoutChain = { ...ctx, config: { ...config, otherPaymentChains: [] } }
  const refusal = await readRefusal(getReceipt(withoutChain, receiptKey))
  expect(refusal).toMatchObject({ status: 404, message: expect.stringContaining('is not configured') })
  const { bytes } = await getReceipt(ctx, receiptKey)
  expect(JSON.parse(bytes)).toMatchObject({ chainId: OTHER_CHAIN_ID, treasury })
})

test('two chains: receipt and history of a payment without an order name the treasury paid, even if it was changed since', async () => {
  const { config } = bothContext.ctx
  await ensureKeyList(bothContext.ctx)
  await payOnOtherChain(1)
  await watchBoth()
  const [paidRow] = await box.ctx.db.select().from(payments)
  const [period] = await box.ctx.db.select().from(subscriptions)
  const otherPaymentChains = config.otherPaymentChains.map((terms) => ({ ...terms, treasury: getWallet(7) }))
  const changedCtx = { ...bothContext.ctx, config: { ...config, otherPaymentChains } }
  const { treasury } = otherChain.settings.payment
  expect(await readOrder(paidRow?.id ?? '', { ctx: changedCtx })).toMatchObject({ chainId: OTHER_CHAIN_ID, treasury })
  const { bytes } = await getReceipt(changedCtx, { subscriptionId: period?.id ?? '', accountId: anna })
  expect(JSON.parse(bytes)).toMatchObject({ chainId: OTHER_CHAIN_ID, treasury })
})

describe('a contract wallet with the same address on two chains', () => {
  /** Runtime code that accepts every signature (ERC-1271). */
  const ACCEPTING_CODE = '0x631626ba7e60e01b60005260206000f3'
  const signature = `0x${'12'.repeat(65)}`
  const address = testAccount(500).address

  /** Signs in on the selected chain. Only the contract approves the signature. */
  async function signIn() {
    return answerChallenge(await createSignInChallenge(bothContext.ctx, address), signature)
  }
  async function answerChallenge({ message, browser: secret }: SignInChallenge, challengeSignature: string) {
    const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '' }
    const proof = { message, signature: challengeSignature }
    const { account } = await signInWithWallet(bothContext.ctx, proof, secret, { browser, rememberMe: false })
    return { accountId: account.id }
  }

  test('signs in to a different account on each chain', async () => {
    await chain.control.setCode({ address, bytecode: ACCEPTING_CODE })
    await otherChain.control.setCode({ address, bytecode: ACCEPTING_CODE })
    const owner = await signIn()
    await selectChain(OTHER_CHAIN_ID)
    const stranger = await signIn()
    expect(stranger.accountId).not.toBe(owner.accountId)
    expect((await signIn()).accountId).toBe(stranger.accountId)
    await selectChain(chain.chainId)
    expect((await signIn()).accountId).toBe(owner.accountId)

    // With a contract wallet's signature, a program gets the account of the contract's chain. With
    // a key's signature, it gets neither account.
    const owners = [chain.chainId, OTHER_CHAIN_ID, null].map((chainId) => findOwner(bothContext.ctx, address, chainId))
    expect(await Promise.all(owners)).toEqual([owner.accountId, stranger.accountId, null])
    const getActor = ({ accountId }: { accountId: string }) => createInput(accountId, [address]).actor
    for (const caller of [owner, stranger]) {
      expect(await getWalletUser(bothContext.ctx, getActor(caller), address)).toEqual({
        id: caller.accountId,
        walletAddress: address,
      })
    }

    // When the contract on the other chain rejects signatures, the wallet is unlinked from the
    // account on that chain, but not from the owner's account.
    await otherChain.control.setCode({ address, bytecode: '0x60006000fd' })
    clock.advance(300_000)
    // Adds a second sign-in method, because the last one is never removed.
    const linkFields = { chainId: 0, accountId: stranger.accountId, linkedAt: clock.now() }
    await box.ctx.db.insert(wallets).values({ ...linkFields, address: testAccount(502).address })
    await checkWallets(bothContext.ctx)
    const remainingWallets = await box.ctx.db.select().from(wallets).where(eq(wallets.address, address))
    expect(remainingWallets).toMatchObject([{ accountId: owner.accountId, chainId: chain.chainId }])
  })

  test('can’t sign in to the account of an EOA with the same address, and the EOA can’t sign in to the contract’s account', async () => {
    const key = testAccount(501)
    await box.ctx.db.insert(wallets).values([
      { address: key.address, chainId: 0, accountId: anna, linkedAt: clock.now() },
      { address, chainId: chain.chainId, accountId: bert, linkedAt: clock.now() },
    ])
    await chain.control.setCode({ address: key.address, bytecode: ACCEPTING_CODE })
    const signInAs = async (walletAddress: `0x${string}`, sign: (message: string) => Promise<string>) => {
      const challenge = await createSignInChallenge(bothContext.ctx, walletAddress)
      return answerChallenge(challenge, await sign(challenge.message))
    }
    expect((await readRefusal(signInAs(key.address, async () => signature))).code).toBe('wallet_taken')
    const byKey = signInAs(address, (message) => testAccount(500).signMessage({ message }))
    expect((await readRefusal(byKey)).code).toBe('wallet_taken')
    expect((await signInAs(key.address, (message) => key.signMessage({ message }))).accountId).toBe(anna)
  })

  test('pays, on each chain, only for the account that proved the wallet on that chain', async () => {
    const [payer, annasWallet] = [getWallet(2), getWallet(1)]
    await box.ctx.db.update(wallets).set({ chainId: OTHER_CHAIN_ID }).where(eq(wallets.address, payer))
    await box.ctx.db.update(wallets).set({ chainId: chain.chainId }).where(eq(wallets.address, annasWallet))
    await box.ctx.db
      .insert(wallets)
      .values({ address: annasWallet, chainId: OTHER_CHAIN_ID, accountId: bert, linkedAt: clock.now() })

    const refusal = await readRefusal(makeOrder('6h', { ctx: bothContext.ctx, by: bert, wallet: 2 }))
    expect(refusal).toMatchObject({ code: 'wallet_not_proved', message: expect.stringMatching(/another chain/) })
    expect((await readRefusal(makeOrder('6h', { ctx: bothContext.ctx, by: bert, wallet: 1 }))).code).toBe(
      'wallet_not_proved',
    )
    const { transactionHash: foreignHash } = await payIto(2, '10')
    const { transactionHash: hash } = await payIto(1, '10')
    for (const claimedHash of [foreignHash, hash]) {
      const claim = postSubscription({ hash: claimedHash, by: bert, proved: [1, 2], ctx: bothContext.ctx })
      expect((await readRefusal(claim)).code).toBe('payment_wrong_sender')
    }
    await watchBoth()
    expect(await findActivePlan(bert, bert)).toBeNull()
    expect(await findActivePlan(anna)).toMatchObject({ transactionHash: hash })
    const unmatched = await box.ctx.db.select().from(unmatchedTransfers)
    expect(unmatched).toMatchObject([{ payer, reason: 'unknown_wallet' }])
    await payOnOtherChain(1)
    await watchBoth()
    expect(await findActivePlan(bert, bert)).toMatchObject({ planType: '6h' })
    await checkBoth()
  })
})
