import { itoTokenAbi } from '@tocsin/contracts/abi'
import type { Address } from '@tocsin/proof'
import { type endpoints, listPermissions, type PlanId } from '@tocsin/protocol'
import {
  createTestContext,
  type FakeClock,
  fakeClock,
  startTestChain,
  startTestDatabase,
  startTestSession,
  type TestChain,
  type TestContext,
  type TestDatabase,
  testConfig,
  waitForReceipt,
} from '@tocsin/testkit'
import { concat, encodeFunctionData, pad, parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { accounts, activities } from '../src/db/schema/accounts.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { subscribe } from '../src/features/payments/routes.ts'
import { activeSubscription } from '../src/features/subscriptions/routes.ts'
import type { Input } from '../src/http/route.ts'
import { Refusal } from '../src/refusal.ts'
import { testActor } from './support/test-actor.ts'

let database: TestDatabase
export let chain: TestChain
export let clock: FakeClock
export let box: TestContext
let cleanSnapshot: `0x${string}`
export let anna: string
export let bert: string

/** Sets up the fixture before each test of the calling file. Its parts are exported variables. */
export function setPaymentFixture(): void {
  beforeAll(async () => {
    ;[database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  })
  afterAll(async () => {
    await Promise.all([database?.stop(), chain?.stop()])
  })
  beforeEach(async () => {
    clock = fakeClock(await chain.latestBlockAt())
    const config = testConfig({ databaseUrl: await database.createDatabase(), ...chain.settings })
    box = await createTestContext(config, clock)
    anna = await createAccount('anna', 1)
    bert = await createAccount('bert', 2)
    cleanSnapshot = await chain.snapshot()
  })
  afterEach(async () => {
    await box.close()
    await chain.revert(cleanSnapshot)
  })
}

/** Creates an account with the wallet of this index. Wallet 9 never has an account. */
export async function createAccount(name: string, wallet: number): Promise<string> {
  const { db } = box.ctx
  const at = clock.now()
  const values = { name, email: `${name}@example.com`, createdAt: at }
  const [account] = await db.insert(accounts).values(values).returning()
  if (!account) throw new Error('No account')
  await db.insert(wallets).values({ address: getWallet(wallet), accountId: account.id, linkedAt: at })
  await startTestSession(box.ctx, account.id, account.id)
  return account.id
}

export function getWallet(index: number): Address {
  return chain.wallet(index).account.address
}

export function createInput(accountId: string, provedWallets: string[], isAdmin = false) {
  return {
    actor: testActor(accountId, { permissions: isAdmin ? listPermissions('admin') : [], provedWallets }),
    query: {},
  }
}

export interface PostOptions {
  hash: string
  plan?: PlanId
  by?: string
  proved?: number[]
  ctx?: TestContext['ctx']
}

export function postSubscription({ hash, plan = '6h', by = anna, proved = [1], ctx = box.ctx }: PostOptions) {
  const body = { planType: plan, transactionHash: hash, userId: bert, tokenAmount: '1', startTime: 0, endTime: 'never' }
  const input = { ...createInput(by, proved.map(getWallet)), params: {}, body }
  return subscribe(ctx, input as unknown as Input<typeof endpoints.subscribe>)
}

export function findActivePlan(userId: string, by = anna, isAdmin = false) {
  const input = { ...createInput(by, [], isAdmin), params: { userId }, body: undefined }
  return activeSubscription(box.ctx, input as unknown as Input<typeof endpoints.activeSubscription>)
}

export async function readRefusal(answer: Promise<unknown>): Promise<Refusal> {
  const outcome = await answer.then(
    () => 'accepted',
    (error: unknown) => error,
  )
  if (outcome instanceof Refusal) return outcome
  throw new Error('Expected a refusal', { cause: outcome })
}

export function payIto(from: number, ito: string, transferOptions: { to?: `0x${string}`; token?: `0x${string}` } = {}) {
  return chain.pay({ from, amountWei: parseUnits(ito, 18), ...transferOptions })
}

/** Signs a transfer of ITO to the treasury without sending it. */
export async function signPayment(from: number, ito: string): Promise<`0x${string}`> {
  const wallet = chain.wallet(from)
  const args = [chain.treasury, parseUnits(ito, 18)] as const
  const data = encodeFunctionData({ abi: itoTokenAbi, functionName: 'transfer', args })
  return wallet.signTransaction(await wallet.prepareTransactionRequest({ to: chain.token, data }))
}

export async function send(serializedTransaction: `0x${string}`) {
  const hash = await chain.client.sendRawTransaction({ serializedTransaction })
  return waitForReceipt(chain.client, hash)
}

/**
 * Sends a transaction in which a contract transfers the amount from the payer to the treasury
 * twice.
 */
export async function payTwice(from: number, amountWei: bigint): Promise<`0x${string}`> {
  await setPayingContract(contractCode.pay + contractCode.pay)
  return (await send(await signContractPayment(from, amountWei))).transactionHash
}

const payingContract = `0x${'22'.repeat(20)}` as const

/** EVM code for the paying contract. */
export const contractCode = {
  /** Calls the address in the first word of the calldata, with the rest of the calldata. */
  pay: '6000600082600060006000355af150',
  /** Replaces the amount in the call. */
  setAmount: (amountWei: bigint) => `7f${amountWei.toString(16).padStart(64, '0')}604452`,
  /** Emits an empty log. */
  log: '60006000a0',
}

/** Sets the code of the paying contract, even if a payment that calls it is already signed. */
export function setPayingContract(code: string): Promise<void> {
  // Copies the calldata behind the first word to memory.
  return chain.control.setCode({ address: payingContract, bytecode: `0x60203603806020600037${code}00` })
}

/** Signs a call of the contract, which transfers the amount from the payer to the treasury. */
export async function signContractPayment(from: number, amountWei: bigint): Promise<`0x${string}`> {
  const wallet = chain.wallet(from)
  const approve = { address: chain.token, abi: itoTokenAbi, functionName: 'approve' } as const
  const approvalHash = await wallet.writeContract({ ...approve, args: [payingContract, 2n * amountWei] })
  await waitForReceipt(chain.client, approvalHash)
  const args = [wallet.account.address, chain.treasury, amountWei] as const
  const transferCall = encodeFunctionData({ abi: itoTokenAbi, functionName: 'transferFrom', args })
  const call = { to: payingContract, data: concat([pad(chain.token), transferCall]), gas: 200_000n }
  return wallet.signTransaction(await wallet.prepareTransactionRequest(call))
}

export async function countStoredRows(): Promise<number> {
  const { db } = box.ctx
  const tables = [payments, subscriptions, activities, unmatchedTransfers]
  const counts = await Promise.all(tables.map((table) => db.$count(table)))
  return counts.reduce((sum, count) => sum + count, 0)
}
