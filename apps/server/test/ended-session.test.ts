import { type EndpointName, examples } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { desc, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Tx } from '../src/db/database.ts'
import { accounts, sessions } from '../src/db/schema/accounts.ts'
import { passkeys, totpFactors } from '../src/db/schema/factors.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { lockAccount, lockAdmins, updateAccount } from '../src/features/sessions/account-store.ts'
import { deleteSessionsOf, updateSession } from '../src/features/sessions/store.ts'
import { alertMarkedWith } from './access-matrix.ts'
import { extendLockTimeouts, longStatements } from './support/extend-lock-timeouts.ts'
import { readTables } from './table-snapshot.ts'

/**
 * Tests requests that wait for a lock while their session is ended by a password reset, a
 * suspension, a change of role or a logout. Uses the whole server.
 */

const parts = useTestDatabaseAndChain()
let server: TestServer
let owner: TestClient
let ownerId: string
let admin: TestClient
const password = 'a very long password of a trader'
const ids = { destination: '', code: '', key: '', view: '', alert: '', order: '', otherSession: '', wallet: '' }
let alertIndex = 0

beforeAll(async () => {
  server = await startTestServer(parts, longStatements)
  extendLockTimeouts(server.ctx)
  const login = { email: 'trader@example.com', password }
  ownerId = await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
  const other = server.createClient()
  await other.call('login', { body: login })
  ids.otherSession = (await server.ctx.db.select().from(sessions))[0]?.id ?? ''
  owner = server.createClient()
  await owner.call('login', { body: login })
  admin = await server.signInAdmin()
  await prepareRows(parts.chain.wallet(1))
})
afterAll(() => server?.close())

/** Creates all rows that the calls below change, delete or need. */
async function prepareRows(wallet: ReturnType<typeof parts.chain.wallet>): Promise<void> {
  const { db, clock } = server.ctx
  await owner.proveWallet(wallet)
  ids.wallet = wallet.account.address
  ids.order = (await owner.call('createOrder', { body: { planType: '6h', walletAddress: ids.wallet } })).id
  await owner.call('createPrivateFeed')
  ids.key = (await owner.call('createApiKey', examples.createApiKey)).key.id
  ids.view = (await owner.call('createAlertView', examples.createAlertView)).id
  ids.destination = (await owner.call('createDestination', createDestinationInput('first@example.com'))).destination.id
  const linkFields = { accountId: ownerId, linkedAt: clock.now() }
  await db.insert(wallets).values({ ...linkFields, address: `0x${'1'.repeat(40)}` })
  await addSubscription(server.ctx, ownerId, HOUR_MS)
  const issued = await admin.call('createAlert', { body: { ...alertMarkedWith('zqendedqz'), broadcast: true } })
  ids.alert = issued.alert.id
  alertIndex = issued.alert.logIndex
  await owner.call('shareAlert', { params: { id: ids.alert } })
}

/** Adds an authenticator app with which all sessions of the account have just confirmed. */
async function addFactor(): Promise<void> {
  const { db, clock } = server.ctx
  const at = clock.now()
  const factor = { accountId: ownerId, sessionId: ids.otherSession, sealedSecret: 'sealed', createdAt: at }
  await db
    .insert(totpFactors)
    .values({ ...factor, confirmedAt: at })
    .onConflictDoNothing()
  await db.update(sessions).set({ factorAt: at }).where(eq(sessions.accountId, ownerId))
}

async function addPasskey(): Promise<void> {
  const publicKey = Buffer.from('a public key')
  const passkey = { id: 'the-passkey', accountId: ownerId, name: 'Phone', publicKey, signCount: 0, transports: [] }
  const passkeyFields = { backupEligible: false, backedUp: false, createdAt: server.ctx.clock.now() }
  await server.ctx.db.insert(passkeys).values({ ...passkey, ...passkeyFields })
}

async function removeFactors(): Promise<void> {
  await server.ctx.db.delete(totpFactors)
  await server.ctx.db.delete(passkeys)
}

const createDestinationInput = (address: string) => ({ body: { kind: 'email' as const, name: 'Mail', address } })

/** Waits until a request is blocked by a lock on an account or on the admins. */
async function waitForLockWaiter(): Promise<void> {
  const lockWaitersSql = sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and (query ilike '%"accounts"%' or query ilike '%pg_advisory_xact_lock%')`
  await expect.poll(async () => (await server.ctx.db.execute(lockWaitersSql)).rowCount).toBe(1)
}

/**
 * Tables that may change: rows that are deleted with the session, counters of attempts, and records
 * of emails to subscribers.
 */
const CHANGING_TABLES = ['sessions', 'wallet_proofs', 'credential_limits', 'subscription_mails']

async function readUnchangedTables(): Promise<Record<string, string>> {
  const kept = Object.entries(await readTables(server.ctx.db)).filter(([name]) => !CHANGING_TABLES.includes(name))
  return Object.fromEntries(kept)
}

async function restoreSessions(rows: (typeof sessions.$inferSelect)[]): Promise<void> {
  await server.ctx.db.insert(sessions).values(rows).onConflictDoNothing()
}

/**
 * Starts the call while a transaction holds the locks that `hold` takes. When the call is blocked,
 * the transaction runs `end` and commits. Returns 'accepted' or the call's status and error code.
 */
async function callDuringLock(
  hold: (tx: Tx) => Promise<unknown>,
  start: () => Promise<unknown>,
  end: (tx: Tx) => Promise<unknown>,
): Promise<unknown> {
  const { db } = server.ctx
  let outcome: Promise<unknown> = Promise.resolve()
  await db.transaction(async (tx) => {
    await hold(tx)
    outcome = start().then(
      () => 'accepted',
      ({ status, code }) => [status, code],
    )
    await Promise.race([waitForLockWaiter(), outcome])
    await end(tx)
  })
  return outcome
}

type Prepare = () => Promise<void>
type Call = [EndpointName, (() => object | undefined)?, Prepare?]

const calls: Call[] = [
  ['createApiKey', () => examples.createApiKey],
  ['revokeApiKey', () => ({ params: { id: ids.key } })],
  ['createPrivateFeed'],
  ['revokePrivateFeed'],
  ['createDestination', () => createDestinationInput('second@example.com')],
  ['changeDestination', () => ({ params: { id: ids.destination }, body: { name: 'Renamed' } })],
  ['changeAllDestinations', () => ({ body: { mutedUntil: '2100-01-01T00:00:00.000Z' } })],
  ['setEscalation', () => ({ body: { ids: [ids.destination] } })],
  ['confirmDestination', () => ({ params: { id: ids.destination }, body: {} })],
  ['confirmDestination', () => ({ params: { id: ids.destination }, body: { code: 'AAAAAAAA' } })],
  ['deleteDestination', () => ({ params: { id: ids.destination } })],
  ['createAlertView', () => ({ body: { ...examples.createAlertView?.body, name: 'Another' } })],
  ['deleteAlertView', () => ({ params: { id: ids.view } })],
  ['shareAlert', () => ({ params: { id: ids.alert } })],
  ['acknowledgeAlert', () => ({ body: { logIndex: alertIndex } })],
  ['endShares', () => ({ params: { id: ids.alert } })],
  ['savePreferences', () => ({ body: { watchlist: ['BTC/USDT'] } })],
  ['startTotp'],
  ['replaceRecoveryCodes', () => ({}), addFactor],
  ['removeTotp', () => ({}), addFactor],
  ['renamePasskey', () => ({ params: { id: 'the-passkey' }, body: { name: 'Another' } }), addPasskey],
  ['unlinkWallet', () => ({ params: { address: ids.wallet } }), removeFactors],
  ['confirm', () => ({ body: { password } })],
  ['changeName', () => ({ body: { name: 'Another' } })],
  ['changeEmail', () => ({ body: { email: 'another@example.com' } })],
  ['changePassword', () => ({ body: { currentPassword: password, newPassword: 'two bells that ring at night' } })],
  ['endSession', () => ({ params: { id: ids.otherSession } })],
  ['endOtherSessions'],
  ['cancelOrder', () => ({ params: { id: ids.order } })],
  ['deleteAccount', () => examples.deleteAccount],
]

describe('a request that waits for a lock while its session ends', () => {
  test.each(calls)('is refused and changes nothing: %s', async (name, inputOf, prepare) => {
    const { db } = server.ctx
    await prepare?.()
    const rows = await db.select().from(sessions).where(eq(sessions.accountId, ownerId))
    onTestFinished(() => restoreSessions(rows))
    const tablesBefore = await readUnchangedTables()
    const outcome = await callDuringLock(
      (tx) => lockAccount(tx, ownerId),
      () => owner.call(name, inputOf?.() as never),
      (tx) => deleteSessionsOf(tx, ownerId),
    )
    expect(outcome).toEqual([401, 'not_signed_in'])
    expect(await readUnchangedTables()).toEqual(tablesBefore)
  })

  test('is refused when the session expires during the wait', async () => {
    const { db, clock } = server.ctx
    const tablesBefore = await readUnchangedTables()
    const outcome = await callDuringLock(
      (tx) => lockAccount(tx, ownerId),
      () => owner.call('createPrivateFeed'),
      (tx) => tx.update(sessions).set({ expiresAt: clock.now() }).where(eq(sessions.accountId, ownerId)),
    )
    expect(outcome).toEqual([401, 'not_signed_in'])
    expect(await readUnchangedTables()).toEqual(tablesBefore)
    await db.update(sessions).set({ expiresAt: new Date('2100-01-01') })
  })
})

test('a logout ends a session whose cookie is renewed while the logout waits', async () => {
  const browser = server.createClient()
  await browser.call('login', { body: { email: 'trader@example.com', password } })
  const [session] = await server.ctx.db.select().from(sessions).orderBy(desc(sessions.createdAt)).limit(1)
  const id = session?.id ?? ''
  const outcome = await callDuringLock(
    (tx) => lockAccount(tx, ownerId),
    () => browser.call('logout'),
    (tx) => updateSession(tx, id, { idHash: 'renewed in another tab' }),
  )
  expect(outcome).toBe('accepted')
  expect(await server.ctx.db.$count(sessions, eq(sessions.id, id))).toBe(0)
})

test('a late response to a logout does not end a session that started after the logout', async () => {
  const browser = server.createClient()
  await browser.call('login', { body: { email: 'trader@example.com', password } })
  const outcome = await callDuringLock(
    (tx) => lockAccount(tx, ownerId),
    () => browser.call('logout'),
    () => browser.call('login', { body: server.firstAdmin }),
  )
  expect(outcome).toBe('accepted')
  expect((await browser.call('currentUser')).user?.email).toBe(server.firstAdmin.email)
})

describe('an action of an admin that waits for a lock while the admin loses the role', () => {
  const createInput = () => ({ params: { id: ownerId }, body: { reason: 'Spam' } })
  const calls: Call[] = [
    ['suspendUser', createInput],
    ['grantPlan', () => ({ ...createInput(), body: { planType: '6h', reason: 'Thanks' } })],
    ['endUserSessions', () => ({ params: { id: ownerId } })],
  ]
  test.each(calls)('is refused and changes nothing: %s', async (name, inputOf) => {
    const { db } = server.ctx
    const adminId = (await admin.call('currentUser')).user?.id ?? ''
    const rows = await db.select().from(sessions).where(eq(sessions.accountId, adminId))
    onTestFinished(async () => {
      await updateAccount(db, adminId, { role: 'owner' })
      await restoreSessions(rows)
    })
    const tablesBefore = { ...(await readUnchangedTables()), accounts: '' }
    const outcome = await callDuringLock(
      async (tx) => {
        await lockAdmins(tx)
        await lockAccount(tx, ownerId)
      },
      () => admin.call(name, inputOf?.() as never),
      async (tx) => {
        await updateAccount(tx, adminId, { role: 'user' })
        await deleteSessionsOf(tx, adminId)
      },
    )
    expect(outcome).toEqual([401, 'not_signed_in'])
    expect({ ...(await readUnchangedTables()), accounts: '' }).toEqual(tablesBefore)
    const [account] = await db.select().from(accounts).where(eq(accounts.id, ownerId))
    expect(account?.suspendedAt).toBeNull()
  })
})
