import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { type AccessBesidesPassword, endpoints } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { type TestClient, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { streamReach } from '../src/db/schema/alerts.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { createLogger } from '../src/logger.ts'
import { listOutbox } from '../src/mail/outbox.ts'
import { alertMarkedWith } from './access-matrix.ts'
import { createWriteRequest, openSocket, send } from './raw-client.ts'

/**
 * Tests the life cycle of accounts on the whole server: emails, logs, and the data that remains
 * after deletion.
 */

const password = 'tern-ocelot-7'

const parts = useTestDatabaseAndChain()
let server: TestServer
const logged: string[] = []

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  server = await startTestServer(parts, {}, { logger: createLogger(testConfig({ logLevel: 'trace' }), stream) })
})
afterAll(() => server?.close())

/** Waits for the newest email to the address with this subject. */
const waitForMail = (to: string, subject: RegExp) =>
  eventually(async () => {
    const mail = (await listOutbox(server.outboxDir)).find((one) => one.to === to && subject.test(one.subject))
    if (!mail) throw new Error(`${to} got no mail ${subject}`)
    return mail
  })
const getToken = ({ links }: { links: string[] }) => new URL(links[0] ?? '').searchParams.get('token') ?? ''

async function signIn(email: string): Promise<TestClient> {
  const client = server.createClient()
  await client.call('login', { body: { email, password } })
  return client
}

test.each([
  { host: 'evil.example' },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  { forwarded: 'host=evil.example;proto=https' },
  { 'x-original-host': 'evil.example', 'x-host': 'evil.example' },
  { 'x-forwarded-server': 'evil.example', 'x-forwarded-port': '666' },
])('emailed links: point to the configured site when the request has the headers %j', async (headers) => {
  const email = `host-${JSON.stringify(headers).length}-${Object.keys(headers).length}@example.com`
  const request = createWriteRequest(server.url, endpoints.register.path, { email, password, name: 'Ann' })
  const answer = await send(server.url, { ...request, headers: { ...request.headers, ...headers } })
  expect(answer.status).toBe(200)
  const { links, text } = await waitForMail(email, /Verify/)
  expect(links.map((link) => new URL(link).origin)).toEqual([server.url])
  expect(text).not.toContain('evil')
})

test('logs: contain no token and no password from sign-up to the last password change', async () => {
  const client = server.createClient()
  const [email, newEmail] = ['life@example.com', 'new-life@example.com']
  await client.call('register', { body: { email, password, name: 'Ann' } })
  const tokens = [getToken(await waitForMail(email, /Verify/))]
  await client.call('verifyEmail', { query: { token: tokens[0] ?? '' } })
  await client.call('forgotPassword', { body: { email } })
  tokens.push(getToken(await waitForMail(email, /Reset/)))
  await client.call('resetPassword', { body: { token: tokens[1] ?? '', newPassword: `${password}-reset` } })
  await client.call('login', { body: { email, password: `${password}-reset` } })
  await client.call('changeEmail', { body: { email: newEmail } })
  tokens.push(getToken(await waitForMail(newEmail, /Verify/)))
  await expect(client.call('verifyEmail', { query: { token: tokens[2] ?? '' } })).resolves.toMatchObject({
    success: true,
  })
  await expect(client.call('verifyEmail', { query: { token: `${tokens[2]}x` } })).resolves.toMatchObject({
    success: false,
  })
  const createSecret = (label: string) => `secret-of-${label}-`.padEnd(43, 'x')
  const [setup, code, state] = [createSecret('setup'), createSecret('code'), createSecret('state')] as const
  const admin = { token: setup, email, name: 'Ann', password }
  await expect(client.call('createFirstAdmin', { body: admin })).rejects.toMatchObject({ code: 'token_invalid' })
  const callback = { path: `/api/auth/google/callback?code=${code}&state=${state}` }
  expect((await send(server.url, callback)).headers.location).toContain('provider_error=')
  await server.ctx.db.execute(sql.raw('alter table mail_tokens rename to mail_tokens_gone'))
  const broken = client.call('resetPassword', { body: { token: tokens[1] ?? '', newPassword: `${password}-again` } })
  await expect(broken).rejects.toMatchObject({ status: 500 })
  await server.ctx.db.execute(sql.raw('alter table mail_tokens_gone rename to mail_tokens'))
  expect(logged.join()).toContain('request failed with a server error')
  expect(tokens.every((token) => token.length === 43)).toBe(true)
  const secrets = [...tokens, setup, code, state, password, client.cookie().split('=')[1] ?? '']
  for (const secret of secrets) {
    expect(logged.join().includes(secret), 'a secret in the logs').toBe(false)
  }
})

test('password reset: ends sessions and sockets and invalidates older links', async () => {
  const email = 'reset@example.com'
  await createAccount(server.ctx, { email, name: 'Reset', password, role: 'user', verified: true })
  const [firstClient, otherClient] = [await signIn(email), await signIn(email)]
  const headers = (client: TestClient) => ({ origin: server.url, cookie: client.cookie() })
  const sockets = [
    await openSocket(server.url, headers(firstClient)),
    await openSocket(server.url, headers(otherClient)),
  ]
  await firstClient.call('changeEmail', { body: { email: 'reset-new@example.com' } })
  const changeToken = getToken(await waitForMail('reset-new@example.com', /Verify/))
  await otherClient.call('forgotPassword', { body: { email } })
  const token = getToken(await waitForMail(email, /Reset/))
  await server.createClient().call('resetPassword', { body: { token, newPassword: `${password}-reset` } })
  await expect.poll(() => sockets.map((socket) => socket.closeCode())).toEqual([4401, 4401])
  for (const client of [firstClient, otherClient]) {
    await expect(client.call('findAccount')).rejects.toMatchObject({ status: 401 })
    await expect(openSocket(server.url, headers(client))).rejects.toThrow('401')
  }
  await expect(firstClient.call('verifyEmail', { query: { token: changeToken } })).resolves.toMatchObject({
    success: false,
  })
})

test('linked wallet: is announced by email, and can’t sign in after a password reset removed it', async () => {
  const email = 'hijacked@example.com'
  await createAccount(server.ctx, { email, name: 'Hijacked', password, role: 'user', verified: true })
  const wallets = [parts.chain.wallet(5), parts.chain.wallet(6)] as const
  const [foreignAddress, ownAddress] = wallets.map(({ account }) => account.address)
  const client = await signIn(email)
  for (const wallet of wallets) await client.proveWallet(wallet)
  const expectMail = (subject: RegExp, address: string | undefined) =>
    eventually(async () => {
      const mails = (await listOutbox(server.outboxDir)).filter((mail) => mail.to === email)
      expect(mails.some((mail) => subject.test(mail.subject) && mail.text.includes(`${address}`))).toBe(true)
    })
  for (const address of [foreignAddress, ownAddress]) await expectMail(/sign-in method was added/, address)

  await client.call('forgotPassword', { body: { email } })
  const token = getToken(await waitForMail(email, /Reset/))
  const { waysIn } = await client.call('checkResetLink', { body: { token } })
  expect(waysIn.wallets.map(({ address }) => address)).toEqual([foreignAddress, ownAddress])
  const body = {
    token,
    newPassword: `${password}-reset`,
    removeWallets: [`${foreignAddress}`, parts.chain.wallet(9).account.address],
  }
  const resetResponse = await server.createClient().call('resetPassword', { body })
  expect(resetResponse.waysIn.wallets.map(({ address }) => address)).toEqual([ownAddress])
  await expectMail(/sign-in method was removed/, foreignAddress)
  const newClient = server.createClient()
  await newClient.call('login', { body: { email, password: body.newPassword } })
  expect((await newClient.call('findAccount')).wallets.map(({ address }) => address)).toEqual([ownAddress])
  await newClient.call('unlinkWallet', { params: { address: `${ownAddress}` } })
  await expectMail(/sign-in method was removed/, ownAddress)
})

test('password reset: lists the account’s destinations and deletes those selected in the request', async () => {
  const email = 'destinations@example.com'
  await createAccount(server.ctx, { email, name: 'Destinations', password, role: 'user', verified: true })
  const [client, otherClient] = [await signIn(email), server.createClient()]
  await otherClient.call('login', { body: { email: 'reset@example.com', password: `${password}-reset` } })
  const addDestination = async (owner: TestClient, name: string) => {
    const body = { kind: 'email' as const, name, address: 'intruder@example.com' }
    return (await owner.call('createDestination', { body })).destination.id
  }
  const [foreignId, ownId, otherId] = [
    await addDestination(client, 'Foreign'),
    await addDestination(client, 'Own'),
    await addDestination(otherClient, 'Other'),
  ]
  await client.call('forgotPassword', { body: { email } })
  const token = getToken(await waitForMail(email, /Reset/))
  const listNames = ({ waysIn }: { waysIn: AccessBesidesPassword }) => waysIn.destinations.map(({ name }) => name)
  expect(listNames(await client.call('checkResetLink', { body: { token } }))).toEqual(['Foreign', 'Own'])
  const newPassword = `${password}-reset`
  const body = { token, newPassword, removeDestinations: [foreignId, foreignId, otherId, randomUUID()] }
  expect(listNames(await server.createClient().call('resetPassword', { body }))).toEqual(['Own'])
  await client.call('login', { body: { email, password: newPassword } })
  const readIds = async (owner: TestClient) => (await owner.call('listDestinations')).map(({ id }) => id)
  expect([await readIds(client), await readIds(otherClient)]).toEqual([[ownId], [otherId]])
})

test('account export: contains an order with a coupon', async () => {
  const email = 'coupon@example.com'
  await createAccount(server.ctx, { email, name: 'Coupon', password, role: 'user', verified: true })
  const client = await signIn(email)
  const wallet = parts.chain.wallet(3)
  await client.proveWallet(wallet)
  const admin = await server.signInAdmin()
  const expiresAt = new Date(server.ctx.clock.now().getTime() + DAY_MS).toISOString()
  const coupon = { planTypes: ['24h' as const], maxUses: 1, maxUsesPerAccount: 1, expiresAt, note: 'Launch' }
  await admin.call('createCoupon', { body: { ...coupon, code: 'LAUNCH', percent: 50 } })
  const order = { planType: '24h' as const, walletAddress: wallet.account.address, couponCode: 'LAUNCH' }
  const { id } = await client.call('createOrder', { body: order })
  const { held } = await client.call('exportAccount')
  const [priceWei, listPriceWei] = [15n, 30n].map((ito) => (ito * 10n ** 18n).toString())
  expect(held.orders).toMatchObject([{ id, priceWei, listPriceWei }])
})

test('deleted account: leaves a valid log and anonymous payments, and can’t sign in', async () => {
  const email = 'leaving@example.com'
  const accountId = await createAccount(server.ctx, { email, name: 'Leaving', password, role: 'user', verified: true })
  const client = await signIn(email)
  const wallet = parts.chain.wallet(4)
  await client.proveWallet(wallet)
  const { transactionHash } = await parts.chain.pay({ from: 4, amountWei: 10n ** 19n })
  await eventually(() => client.call('subscribe', { body: { planType: '6h', transactionHash } }))
  const socket = await openSocket(server.url, { origin: server.url, cookie: client.cookie() })
  socket.send({ type: 'authenticate', walletAddress: wallet.account.address })
  await expect.poll(() => socket.frames.join()).toContain('"live"')
  const admin = await server.signInAdmin()
  const body = { ...alertMarkedWith('zqleavingqz'), priority: 'critical' as const, broadcast: true }
  const { id } = (await admin.call('createAlert', { body })).alert
  await client.call('markAlertsRead', { body: { ids: [id] } })
  await client.call('markAlertsRead', { body: { ids: [id], verified: true } })
  await expect.poll(() => server.ctx.db.$count(streamReach)).toBeGreaterThan(0)
  const exported = await client.call('exportAccount')
  expect(exported).toMatchObject({
    account: { email, wallets: [{ address: wallet.account.address, isProvedHere: true }] },
    held: {
      subscriptions: [{ planId: '6h' }],
      payments: [{ txHash: transactionHash }],
      readAlerts: [{ alertId: id, verifiedAt: expect.any(String) }],
    },
  })
  expect(JSON.stringify(exported)).not.toMatch(/argon2|passwordHash|idHash|tokenHash/i)

  await client.call('deleteAccount', { body: { confirmation: 'delete my account' } })
  await expect.poll(() => socket.closeCode()).not.toBeNull()
  await expect(client.call('findAccount')).rejects.toMatchObject({ status: 401 })
  expect((await waitForMail(email, /deleted/)).text).not.toContain('token')
  const { rows } = await server.ctx.db.execute(sql`select account_id, tx_hash from payments`)
  expect(rows).toEqual([{ account_id: null, tx_hash: transactionHash }])
  const tables = await server.ctx.db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  for (const { name } of tables.rows) {
    const foundRows = await server.ctx.db.execute(
      sql`select 1 from ${sql.identifier(name)} t where t::text like ${`%${accountId}%`} or t::text like ${`%${email}%`}`,
    )
    expect(foundRows.rows, `${name} still knows the account`).toEqual([])
  }
  await expect(checkLog(server.ctx)).resolves.toMatchObject({ size: expect.any(Number) })

  // A later owner of the wallet cannot use the transaction again.
  await createAccount(server.ctx, { email, name: 'Back', password, role: 'user', verified: true })
  const laterOwner = await signIn(email)
  await laterOwner.proveWallet(wallet)
  const secondSubscription = laterOwner.call('subscribe', { body: { planType: '6h', transactionHash } })
  await expect(secondSubscription).rejects.toMatchObject({ status: 409, code: 'payment_used' })
})
