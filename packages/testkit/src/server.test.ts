import { afterAll, beforeAll, expect, test } from 'vitest'
import { useTestChain, useTestDatabase } from './hooks.ts'
import { startTestServer, type TestServer } from './server.ts'

const database = useTestDatabase()
const chain = useTestChain()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ database, chain })
})
afterAll(() => server?.close())

test('startTestServer: rejects anonymous callers and serves an admin who pays for a subscription', async () => {
  const anonymous = server.createClient()
  await expect(anonymous.call('adminStats')).rejects.toMatchObject({ status: 401, code: 'not_signed_in' })

  const admin = await server.signInAdmin()
  const { user } = await admin.call('currentUser')
  const { transactionHash } = await chain.pay({ from: 1, amountWei: 10n ** 19n })
  const purchase = { body: { planType: '6h', transactionHash } } as const
  await expect(admin.call('subscribe', purchase)).rejects.toMatchObject({ status: 403, code: 'wallet_not_proved' })

  await admin.proveWallet(chain.wallet(1))
  const subscription = await admin.call('subscribe', purchase)
  expect(subscription).toMatchObject({ userId: user?.id, planType: '6h', transactionHash, isActive: true })
  expect(await admin.call('activeSubscription', { params: { userId: user?.id ?? '' } })).toEqual(subscription)
})
