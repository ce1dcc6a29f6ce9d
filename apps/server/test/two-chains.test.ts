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
import { CHAIN_SETTING, configuredContexts } from '../src/chain/payment-chains.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { settings } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { getReceipt } from '../src/features/receipts/service.ts'
import { ensureKeyList } from '../src/features/tlog/service.ts'
import { checkWallets } from '../src/features/wallets/recheck.ts'
import { findOwner, getWalletUser } from '../src/features/wallets/service.ts'
import { createSignInChallenge, type SignInChallenge, signInWithWallet } from '../src/features/wallets/sign-in.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, reportHash, watch } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  getInput,
  getWallet,
  payIto,
  post,
  readActive,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

/**
 * Tests two live chains. Token and treasury have the same addresses on both, as after a deployment
 * by the same deployer.
 */

setPaymentFixture()

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

test('two chains: a payment on one chain does not pay an order on the other', async () => {
  const here = await makeOrder('6h', { ctx: both.ctx })
  const { transactionHash } = await payThere(1)
  expect(await reportHash(here.id, transactionHash, { ctx: both.ctx })).toMatchObject({ status: 'seen' })
  for (const one of configuredContexts(both.ctx).slice(0, 1)) await watch(one)
  expect(await readOrder(here.id, { ctx: both.ctx })).not.toMatchObject({ status: 'paid' })
  expect(await box.ctx.db.select().from(payments)).toEqual([])
})

test('two chains: each order is paid on its own chain after the selected chain changes, and both ledgers match', async () => {
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

test('two chains: the receipt of a payment without an order names the treasury of its chain', async () => {
  const { config } = both.ctx
  const treasury = other.wallet(7).account.address
  const otherPaymentChains = config.otherPaymentChains.map((terms) => ({ ...terms, treasury }))
  const ctx = { ...both.ctx, config: { ...config, otherPaymentChains } }
  await ensureKeyList(ctx)
  await other.pay({ from: 1, amountWei: parseUnits('10', 18), to: treasury })
  for (const one of configuredContexts(ctx)) await watch(one)
  const [period] = await box.ctx.db.select().from(subscriptions)
  const wanted = { subscriptionId: period?.id ?? '', accountId: anna }
  // The treasury of older payments was not recorded, so the configured one is used.
  await box.ctx.db.update(payments).set({ treasury: null })
  const withoutChain = { ...ctx, config: { ...config, otherPaymentChains: [] } }
  const refusal = await readRefusal(getReceipt(withoutChain, wanted))
  expect(refusal).toMatchObject({ status: 404, message: expect.stringContaining('is not configured') })
  const { bytes } = await getReceipt(ctx, wanted)
  expect(JSON.parse(bytes)).toMatchObject({ chainId: OTHER_ID, treasury })
})

test('two chains: receipt and history of a payment without an order name the treasury that it was paid to', async () => {
  const { config } = both.ctx
  await ensureKeyList(both.ctx)
  await payThere(1)
  await watchBoth()
  const [paid] = await box.ctx.db.select().from(payments)
  const [period] = await box.ctx.db.select().from(subscriptions)
  const otherPaymentChains = config.otherPaymentChains.map((terms) => ({ ...terms, treasury: getWallet(7) }))
  const changed = { ...both.ctx, config: { ...config, otherPaymentChains } }
  const { treasury } = other.settings.payment
  expect(await readOrder(paid?.id ?? '', { ctx: changed })).toMatchObject({ chainId: OTHER_ID, treasury })
  const { bytes } = await getReceipt(changed, { subscriptionId: period?.id ?? '', accountId: anna })
  expect(JSON.parse(bytes)).toMatchObject({ chainId: OTHER_ID, treasury })
})

describe('a contract wallet with the same address on two chains', () => {
  /** Runtime code that accepts every signature (ERC-1271). */
  const YES = '0x631626ba7e60e01b60005260206000f3'
  const signature = `0x${'12'.repeat(65)}`
  const address = testAccount(500).address

  /** Signs in on the selected chain. Only the contract approves the signature. */
  async function signIn() {
    return answer(await createSignInChallenge(both.ctx, address), signature)
  }
  async function answer({ message, browser: secret }: SignInChallenge, signed: string) {
    const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '' }
    const proof = { message, signature: signed }
    const { account } = await signInWithWallet(both.ctx, proof, secret, { browser, rememberMe: false })
    return { accountId: account.id }
  }

  test('opens a different account on each chain', async () => {
    await chain.control.setCode({ address, bytecode: YES })
    await other.control.setCode({ address, bytecode: YES })
    const owner = await signIn()
    await choose(OTHER_ID)
    const stranger = await signIn()
    expect(stranger.accountId).not.toBe(owner.accountId)
    expect((await signIn()).accountId).toBe(stranger.accountId)
    await choose(chain.chainId)
    expect((await signIn()).accountId).toBe(owner.accountId)

    // With a contract wallet's signature, a program gets the account of the contract's chain. With
    // a key's signature, it gets neither account.
    const owners = [chain.chainId, OTHER_ID, null].map((chainId) => findOwner(both.ctx, address, chainId))
    expect(await Promise.all(owners)).toEqual([owner.accountId, stranger.accountId, null])
    const getActor = ({ accountId }: { accountId: string }) => getInput(accountId, [address]).actor
    for (const one of [owner, stranger]) {
      expect(await getWalletUser(both.ctx, getActor(one), address)).toEqual({
        id: one.accountId,
        walletAddress: address,
      })
    }

    // When the contract on the other chain rejects signatures, the sessions that depend on it end,
    // but not the owner's.
    await other.control.setCode({ address, bytecode: '0x60006000fd' })
    clock.advance(300_000)
    // Adds a second sign-in method, because the last one is never removed.
    const linked = { chainId: 0, accountId: stranger.accountId, linkedAt: clock.now() }
    await box.ctx.db.insert(wallets).values({ ...linked, address: testAccount(502).address })
    await checkWallets(both.ctx)
    const left = await box.ctx.db.select().from(wallets).where(eq(wallets.address, address))
    expect(left).toMatchObject([{ accountId: owner.accountId, chainId: chain.chainId }])
  })

  test('can’t open the account of the key with the same address, nor the reverse', async () => {
    const key = testAccount(501)
    await box.ctx.db.insert(wallets).values([
      { address: key.address, chainId: 0, accountId: anna, linkedAt: clock.now() },
      { address, chainId: chain.chainId, accountId: bert, linkedAt: clock.now() },
    ])
    await chain.control.setCode({ address: key.address, bytecode: YES })
    const signInAs = async (of: `0x${string}`, sign: (message: string) => Promise<string>) => {
      const challenge = await createSignInChallenge(both.ctx, of)
      return answer(challenge, await sign(challenge.message))
    }
    expect((await readRefusal(signInAs(key.address, async () => signature))).code).toBe('wallet_taken')
    const byKey = signInAs(address, (message) => testAccount(500).signMessage({ message }))
    expect((await readRefusal(byKey)).code).toBe('wallet_taken')
    expect((await signInAs(key.address, (message) => key.signMessage({ message }))).accountId).toBe(anna)
  })

  test('is credited on each chain to the account that proved it there', async () => {
    const [payer, hers] = [getWallet(2), getWallet(1)]
    await box.ctx.db.update(wallets).set({ chainId: OTHER_ID }).where(eq(wallets.address, payer))
    await box.ctx.db.update(wallets).set({ chainId: chain.chainId }).where(eq(wallets.address, hers))
    await box.ctx.db
      .insert(wallets)
      .values({ address: hers, chainId: OTHER_ID, accountId: bert, linkedAt: clock.now() })

    const refusal = await readRefusal(makeOrder('6h', { ctx: both.ctx, by: bert, wallet: 2 }))
    expect(refusal).toMatchObject({ code: 'wallet_not_proved', message: expect.stringMatching(/another chain/) })
    expect((await readRefusal(makeOrder('6h', { ctx: both.ctx, by: bert, wallet: 1 }))).code).toBe('wallet_not_proved')
    const { transactionHash: foreign } = await payIto(2, '10')
    const { transactionHash: hash } = await payIto(1, '10')
    for (const claimed of [foreign, hash]) {
      const claim = post({ hash: claimed, by: bert, proved: [1, 2], ctx: both.ctx })
      expect((await readRefusal(claim)).code).toBe('payment_wrong_sender')
    }
    await watchBoth()
    expect(await readActive(bert, bert)).toBeNull()
    expect(await readActive(anna)).toMatchObject({ transactionHash: hash })
    const unmatched = await box.ctx.db.select().from(unmatchedTransfers)
    expect(unmatched).toMatchObject([{ payer, reason: 'unknown_wallet' }])
    await payThere(1)
    await watchBoth()
    expect(await readActive(bert, bert)).toMatchObject({ planType: '6h' })
    await checkBoth()
  })
})
