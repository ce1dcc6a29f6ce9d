import { parseReceiptFile, type Rpc, verifyReceipt } from '@tocsin/proof'
import type { SubscriptionReceipt } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payments } from '../src/db/schema/payments.ts'
import { receipts, subscriptions } from '../src/db/schema/subscriptions.ts'
import { mailDueSubscribers } from '../src/features/receipts/mail-subscribers.ts'
import { listOutbox } from '../src/mail/outbox.ts'

const ITO = 10n ** 18n

const database = useTestDatabase()
const chain = useTestChain()
let clock: FakeClock
let server: TestServer
let admin: TestClient
let anna: TestClient
let subscriptionId: string
let annaId: string

beforeAll(async () => {
  clock = fakeClock(await chain.latestBlockAt())
  server = await startTestServer({ database, chain }, {}, { clock })
  admin = await server.signInAdmin()
  anna = await signUp('anna')
  await anna.proveWallet(chain.wallet(1))
  const paid = await buy(anna, 1, '6h')
  subscriptionId = paid.id
  annaId = paid.userId
})
afterAll(() => server?.close())

const signUp = async (name: string) => (await server.addUser({ name, email: `${name}@example.com` })).client

async function buy(client: TestClient, wallet: number, planType: '6h' | '24h') {
  const amountWei = (planType === '6h' ? 10n : 30n) * ITO
  const { transactionHash } = await chain.pay({ from: wallet, amountWei })
  return client.call('subscribe', { body: { planType, transactionHash } })
}

const requestReceipt = (client: TestClient, id = subscriptionId) => client.call('findReceipt', { params: { id } })

/** Calls the node of the test chain without credentials. */
const rpc: Rpc = async (method, params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result }: { result?: unknown } = Object(await answer.json())
  return result
}

async function verify(receipt: SubscriptionReceipt) {
  const file = parseReceiptFile(JSON.parse(JSON.stringify(receipt)))
  const { chainId, contract: verifyingContract } = file.anchor
  const trust = { firstSigner: file.firstSigner, domain: { chainId, verifyingContract } }
  return verifyReceipt(file, { trust, rpc, paymentRpc: rpc })
}

const listMailsTo = async (name: string, subject: string) =>
  (await listOutbox(server.outboxDir)).filter((mail) => mail.to === `${name}@example.com` && mail.subject === subject)

describe('a receipt', () => {
  test('is readable only by its owner, and others get the response for an unknown subscription', async () => {
    const bert = await signUp('bert')
    for (const id of [subscriptionId, crypto.randomUUID(), 'x']) {
      await expect(requestReceipt(bert, id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    }
    await expect(requestReceipt(server.createClient())).rejects.toMatchObject({ status: 401 })
  })

  test('is signed once for concurrent requests and identical for admins', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => requestReceipt(i % 2 ? anna : admin)))
    expect(new Set(answers.map(({ bytes, signature }) => bytes + signature)).size).toBe(1)
    expect(await server.ctx.db.$count(receipts)).toBe(1)
  })

  test('can be verified with only the chain, and fails verification when its bytes were changed', async () => {
    const receipt = await eventually(async () => {
      const made = await requestReceipt(anna)
      expect(made.keys.every(({ avalancheTx }) => avalancheTx !== null)).toBe(true)
      return made
    })
    const { verdict, statement } = await verify(receipt)
    expect(verdict).toBe('verified')
    expect(statement).toMatchObject({ id: subscriptionId, plan: '6h', treasury: chain.treasury, token: chain.token })
    expect(statement?.payments).toMatchObject([
      { payer: chain.wallet(1).account.address, amountWei: (10n * ITO).toString(), logIndex: 0 },
    ])
    const longerReceipt = { ...receipt, bytes: receipt.bytes.replace('"plan":"6h"', '"plan":"3d"') }
    expect(await verify(longerReceipt)).toMatchObject({ verdict: 'failed', failed: 'signature' })
  })

  test('is reissued with the new period after an extension, and the former one is kept', async () => {
    const statementBefore = JSON.parse((await requestReceipt(anna)).bytes)
    const body = { additionalHours: 1, reason: 'An hour was lost' }
    await admin.call('extendSubscription', { params: { id: annaId }, body })
    const statementAfter = JSON.parse((await requestReceipt(anna)).bytes)
    expect(Date.parse(statementAfter.endsAt) - Date.parse(statementBefore.endsAt)).toBe(HOUR_MS)
    expect(await server.ctx.db.$count(receipts)).toBe(2)
  })

  test('does not exist while a reorganisation has removed the payment', async () => {
    const setRevoked = (revokedAt: Date | null) =>
      server.ctx.db.update(subscriptions).set({ revokedAt }).where(eq(subscriptions.id, subscriptionId))
    await setRevoked(clock.now())
    await expect(requestReceipt(anna)).rejects.toMatchObject({ status: 422, code: 'payment_unknown' })
    await setRevoked(null)
    expect((await requestReceipt(anna)).format).toBe('tocsin-receipt')
  })

  /** Buys a plan by order and adds transfers to its payment. Returns the subscription's id. */
  async function buyInTransfers(client: TestClient, wallet: number, extraTransfers: number, revertedAt: Date | null) {
    await client.proveWallet(chain.wallet(wallet))
    const walletAddress = chain.wallet(wallet).account.address
    await client.call('createOrder', { body: { planType: '6h', walletAddress } })
    const { id } = await buy(client, wallet, '6h')
    const [paidRow] = await server.ctx.db
      .select({ payment: payments })
      .from(subscriptions)
      .innerJoin(payments, eq(payments.id, subscriptions.paymentId))
      .where(eq(subscriptions.id, id))
    if (!paidRow?.payment.orderId) throw new Error('The payment has no order')
    const { id: _, ...copy } = paidRow.payment
    const logIndexes = Array.from({ length: extraTransfers }, (_more, index) => index + 1)
    await server.ctx.db.insert(payments).values(logIndexes.map((logIndex) => ({ ...copy, logIndex, revertedAt })))
    return id
  }

  test('names no transfer of its order that a reorganisation removed', async () => {
    const rosa = await signUp('rosa')
    const id = await buyInTransfers(rosa, 5, 1, clock.now())
    const { payments: receiptPayments } = JSON.parse((await requestReceipt(rosa, id)).bytes)
    expect(receiptPayments).toMatchObject([{ logIndex: 0 }])
  })

  test('is signed again when a reorganisation removed one of its transfers', async () => {
    const olaf = await signUp('olaf')
    const id = await buyInTransfers(olaf, 7, 1, null)
    const readReceiptPayments = async () => JSON.parse((await requestReceipt(olaf, id)).bytes).payments
    const receiptPayments = await readReceiptPayments()
    expect(receiptPayments).toMatchObject([{ logIndex: 0 }, { logIndex: 1 }])
    const setReverted = (revertedAt: Date | null) =>
      server.ctx.db
        .update(payments)
        .set({ revertedAt })
        .where(and(eq(payments.txHash, receiptPayments[1].transactionHash), eq(payments.logIndex, 1)))
    await setReverted(clock.now())
    const answers = await Promise.all(Array.from({ length: 5 }, () => requestReceipt(olaf, id)))
    expect(new Set(answers.map(({ bytes, signature }) => bytes + signature)).size).toBe(1)
    expect(await readReceiptPayments()).toEqual([receiptPayments[0]])
    await setReverted(null)
    expect(await readReceiptPayments()).toEqual(receiptPayments)
  })

  test('names payments of the same block in the order of their hashes when they have the same log index', async () => {
    const vera = await signUp('vera')
    const id = await buyInTransfers(vera, 8, 1, null)
    const firstHash = `0x${'00'.repeat(32)}` as const
    await server.ctx.db
      .update(payments)
      .set({ txHash: firstHash, logIndex: 0 })
      .where(and(eq(payments.payer, chain.wallet(8).account.address), eq(payments.logIndex, 1)))
    const { payments: receiptPayments } = JSON.parse((await requestReceipt(vera, id)).bytes)
    expect(receiptPayments).toMatchObject([{ transactionHash: firstHash, logIndex: 0 }, { logIndex: 0 }])
  })

  test('is refused for a purchase in more than 100 transfers', async () => {
    const emil = await signUp('emil')
    const id = await buyInTransfers(emil, 6, 100, null)
    await expect(requestReceipt(emil, id)).rejects.toMatchObject({ status: 422, code: 'receipt_too_long' })
  })
})

describe('subscription emails', () => {
  const runMailRounds = async () => {
    for (let i = 0; i < 3; i++) await mailDueSubscribers(server.ctx)
  }

  test('announce a payment once, with its amount', async () => {
    await runMailRounds()
    const [mail] = await eventually(async () => {
      const mails = await listMailsTo('anna', 'Your payment has arrived')
      expect(mails).toHaveLength(1)
      return mails
    })
    expect(mail?.text).toMatch(/Paid: 10 ITO/)
    expect(mail?.text).toContain('/history')
  })

  test('announce the end of a period once, an hour in advance, and again only when the end was postponed', async () => {
    const carla = await signUp('carla')
    await carla.proveWallet(chain.wallet(3))
    const { endTime, userId } = await buy(carla, 3, '6h')
    const listEndingMails = () => listMailsTo('carla', 'Your subscription ends soon')
    clock.advance(Date.parse(endTime) - clock.now().getTime() - HOUR_MS - MINUTE_MS)
    await runMailRounds()
    clock.advance(2 * MINUTE_MS)
    await runMailRounds()
    await expect.poll(listEndingMails).toHaveLength(1)

    // Signs in again, because the admin's session has expired.
    const body = { additionalHours: 6, reason: 'A present' }
    await (await server.signInAdmin()).call('extendSubscription', { params: { id: userId }, body })
    await runMailRounds()
    clock.advance(6 * HOUR_MS)
    await runMailRounds()
    await expect.poll(listEndingMails).toHaveLength(2)
  })

  test('do not announce an end when another period follows', async () => {
    const dora = await signUp('dora')
    await dora.proveWallet(chain.wallet(4))
    const firstPlan = await buy(dora, 4, '6h')
    // This payment is made during the first period, so its period is queued behind the first one.
    await buy(dora, 4, '24h')
    clock.advance(Date.parse(firstPlan.startTime) + 5.5 * HOUR_MS - clock.now().getTime())
    await runMailRounds()
    await expect.poll(() => listMailsTo('dora', 'Your payment has arrived')).toHaveLength(2)
    expect(await listMailsTo('dora', 'Your subscription ends soon')).toHaveLength(0)
  })
})
