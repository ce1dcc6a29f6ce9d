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
import { mailDue } from '../src/features/receipts/mail-subscribers.ts'
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

const askReceipt = (client: TestClient, id = subscriptionId) => client.call('findReceipt', { params: { id } })

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

const mailsTo = async (name: string, subject: string) =>
  (await listOutbox(server.outboxDir)).filter((mail) => mail.to === `${name}@example.com` && mail.subject === subject)

describe('a receipt', () => {
  test('is readable only by its owner, and others get the response for an unknown subscription', async () => {
    const bert = await signUp('bert')
    for (const id of [subscriptionId, crypto.randomUUID(), 'x']) {
      await expect(askReceipt(bert, id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    }
    await expect(askReceipt(server.createClient())).rejects.toMatchObject({ status: 401 })
  })

  test('is signed once for concurrent requests and identical for admins', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => askReceipt(i % 2 ? anna : admin)))
    expect(new Set(answers.map(({ bytes, signature }) => bytes + signature)).size).toBe(1)
    expect(await server.ctx.db.$count(receipts)).toBe(1)
  })

  test('can be verified with only the chain, and fails after any change', async () => {
    const receipt = await eventually(async () => {
      const made = await askReceipt(anna)
      expect(made.keys.every(({ avalancheTx }) => avalancheTx !== null)).toBe(true)
      return made
    })
    const { verdict, statement } = await verify(receipt)
    expect(verdict).toBe('verified')
    expect(statement).toMatchObject({ id: subscriptionId, plan: '6h', treasury: chain.treasury, token: chain.token })
    expect(statement?.payments).toMatchObject([
      { payer: chain.wallet(1).account.address, amountWei: (10n * ITO).toString(), logIndex: 0 },
    ])
    const longer = { ...receipt, bytes: receipt.bytes.replace('"plan":"6h"', '"plan":"3d"') }
    expect(await verify(longer)).toMatchObject({ verdict: 'failed', failed: 'signature' })
  })

  test('is reissued with the new period after an extension, and the former one is kept', async () => {
    const before = JSON.parse((await askReceipt(anna)).bytes)
    const body = { additionalHours: 1, reason: 'An hour was lost' }
    await admin.call('extendSubscription', { params: { id: annaId }, body })
    const after = JSON.parse((await askReceipt(anna)).bytes)
    expect(Date.parse(after.endsAt) - Date.parse(before.endsAt)).toBe(HOUR_MS)
    expect(await server.ctx.db.$count(receipts)).toBe(2)
  })

  test('does not exist while a reorganisation has removed the payment', async () => {
    const setRevoked = (revokedAt: Date | null) =>
      server.ctx.db.update(subscriptions).set({ revokedAt }).where(eq(subscriptions.id, subscriptionId))
    await setRevoked(clock.now())
    await expect(askReceipt(anna)).rejects.toMatchObject({ status: 422, code: 'payment_unknown' })
    await setRevoked(null)
    expect((await askReceipt(anna)).format).toBe('tocsin-receipt')
  })

  /** Buys a plan by order and adds transfers to its payment. Returns the subscription's id. */
  async function buyInTransfers(client: TestClient, wallet: number, more: number, revertedAt: Date | null) {
    await client.proveWallet(chain.wallet(wallet))
    const walletAddress = chain.wallet(wallet).account.address
    await client.call('createOrder', { body: { planType: '6h', walletAddress } })
    const { id } = await buy(client, wallet, '6h')
    const [paid] = await server.ctx.db
      .select({ payment: payments })
      .from(subscriptions)
      .innerJoin(payments, eq(payments.id, subscriptions.paymentId))
      .where(eq(subscriptions.id, id))
    if (!paid?.payment.orderId) throw new Error('The payment has no order')
    const { id: _, ...copy } = paid.payment
    const logIndexes = Array.from({ length: more }, (_more, index) => index + 1)
    await server.ctx.db.insert(payments).values(logIndexes.map((logIndex) => ({ ...copy, logIndex, revertedAt })))
    return id
  }

  test('names no transfer of its order that a reorganisation removed', async () => {
    const rosa = await signUp('rosa')
    const id = await buyInTransfers(rosa, 5, 1, clock.now())
    const { payments: named } = JSON.parse((await askReceipt(rosa, id)).bytes)
    expect(named).toMatchObject([{ logIndex: 0 }])
  })

  test('is signed again when a reorganisation removed one of its transfers', async () => {
    const olaf = await signUp('olaf')
    const id = await buyInTransfers(olaf, 7, 1, null)
    const readNamed = async () => JSON.parse((await askReceipt(olaf, id)).bytes).payments
    const named = await readNamed()
    expect(named).toMatchObject([{ logIndex: 0 }, { logIndex: 1 }])
    const setReverted = (revertedAt: Date | null) =>
      server.ctx.db
        .update(payments)
        .set({ revertedAt })
        .where(and(eq(payments.txHash, named[1].transactionHash), eq(payments.logIndex, 1)))
    await setReverted(clock.now())
    const answers = await Promise.all(Array.from({ length: 5 }, () => askReceipt(olaf, id)))
    expect(new Set(answers.map(({ bytes, signature }) => bytes + signature)).size).toBe(1)
    expect(await readNamed()).toEqual([named[0]])
    await setReverted(null)
    expect(await readNamed()).toEqual(named)
  })

  test('is refused for a purchase in more than 100 transfers', async () => {
    const emil = await signUp('emil')
    const id = await buyInTransfers(emil, 6, 100, null)
    await expect(askReceipt(emil, id)).rejects.toMatchObject({ status: 422, code: 'receipt_too_long' })
  })
})

describe('subscription emails', () => {
  const rounds = async () => {
    for (let i = 0; i < 3; i++) await mailDue(server.ctx)
  }

  test('announce a payment once, with its amount', async () => {
    await rounds()
    const [mail] = await eventually(async () => {
      const mails = await mailsTo('anna', 'Your payment has arrived')
      expect(mails).toHaveLength(1)
      return mails
    })
    expect(mail?.text).toMatch(/Paid: 10 ITO/)
    expect(mail?.text).toContain('/history')
  })

  test('announce the end once, an hour before, and again only after it was moved', async () => {
    const carla = await signUp('carla')
    await carla.proveWallet(chain.wallet(3))
    const { endTime, userId } = await buy(carla, 3, '6h')
    const ending = () => mailsTo('carla', 'Your subscription ends soon')
    clock.advance(Date.parse(endTime) - clock.now().getTime() - HOUR_MS - MINUTE_MS)
    await rounds()
    clock.advance(2 * MINUTE_MS)
    await rounds()
    await expect.poll(ending).toHaveLength(1)

    // Signs in again, because the admin's session has expired.
    const body = { additionalHours: 6, reason: 'A present' }
    await (await server.signInAdmin()).call('extendSubscription', { params: { id: userId }, body })
    await rounds()
    clock.advance(6 * HOUR_MS)
    await rounds()
    await expect.poll(ending).toHaveLength(2)
  })

  test('do not announce an end when another period follows', async () => {
    const dora = await signUp('dora')
    await dora.proveWallet(chain.wallet(4))
    const first = await buy(dora, 4, '6h')
    // This payment is made during the first period, so its period is queued behind the first one.
    await buy(dora, 4, '24h')
    clock.advance(Date.parse(first.startTime) + 5.5 * HOUR_MS - clock.now().getTime())
    await rounds()
    await expect.poll(() => mailsTo('dora', 'Your payment has arrived')).toHaveLength(2)
    expect(await mailsTo('dora', 'Your subscription ends soon')).toHaveLength(0)
  })
})
