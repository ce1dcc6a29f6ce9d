import { listPermissions } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { operator, recordAudit } from '../../audit-log.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { apiKeys } from '../../db/schema/api-keys.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { privateFeeds } from '../../db/schema/channels.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../db/schema/factors.ts'
import { saveSetting } from '../../db/setting.ts'
import { resetFactorsNow } from '../factors/reset.ts'
import { changeRole } from './admin-service.ts'
import { listEarlierAccess, warnOfEarlierAccess } from './earlier-access.ts'
import { endAccess } from './end-access.ts'
import { FIRST_ADMIN_LINK } from './first-admin.ts'

const database = useTestDatabase()
let bed: TestContext
const ctx = () => bed.ctx
const clock = { now: () => ctx().clock.now() }
const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * MINUTE_MS)
const allWays = ['API key', 'authenticator app', 'passkey', 'private feed', 'recovery codes']

beforeEach(async () => {
  await bed?.close()
  const adminFactor = { isRequired: true, exemptEmail: null }
  bed = await createTestContext(testConfig({ databaseUrl: await database.createDatabase(), adminFactor }))
})
afterAll(() => bed?.close())

/** Adds a staff account whose second factors, API key and private feed date from `accessAt`. */
async function addStaff(accessAt: Date, role: 'owner' | 'admin' = 'admin') {
  const { db } = ctx()
  const values = { name: 'Mara', email: 'mara@example.com', role, createdAt: minutesAgo(60), emailVerifiedAt: accessAt }
  const [account] = await db.insert(accounts).values(values).returning()
  if (!account) throw new Error('The account was not inserted')
  const ownerFields = { accountId: account.id, createdAt: accessAt }
  const key = { publicKey: Buffer.from('key'), signCount: 0, transports: [], backupEligible: true, backedUp: true }
  await db.insert(passkeys).values([
    { id: 'one', name: 'One', ...key, ...ownerFields },
    { id: 'two', name: 'Two', ...key, ...ownerFields },
  ])
  await db
    .insert(totpFactors)
    .values({ ...ownerFields, sealedSecret: 'x', sessionId: account.id, confirmedAt: accessAt })
  await db.insert(recoveryCodes).values({ ...ownerFields, codeHash: 'x', salt: Buffer.from('salt') })
  const limits = { scopes: ['alerts' as const], requestsPerMinute: 60 }
  await db.insert(apiKeys).values({ ...ownerFields, keyHash: 'x', prefix: 'x', name: 'Key', ...limits })
  await db.insert(privateFeeds).values({ ...ownerFields, secretHash: 'x' })
  return account
}

const promotions: [string, (id: string, at: Date) => Promise<void>][] = [
  [
    'the role dialog',
    (subject, at) =>
      recordAudit(ctx().db, {
        ...operator,
        action: 'role_changed',
        subject,
        detail: { from: 'user', to: 'admin' },
        at,
      }),
  ],
  [
    'the command line',
    (subject, at) =>
      recordAudit(ctx().db, {
        ...operator,
        action: 'admin_created',
        subject,
        detail: { existing: true, role: 'admin' },
        at,
      }),
  ],
  ['the setup link', (_id, at) => ctx().db.transaction((tx) => saveSetting(tx, FIRST_ADMIN_LINK, { usedAt: at }, at))],
]

test.each(promotions)('listEarlierAccess: lists access from before a promotion by %s', async (_, promote) => {
  const { id } = await addStaff(minutesAgo(30))
  await promote(id, minutesAgo(10))
  const found = await listEarlierAccess(ctx().db)
  expect(found).toMatchObject([{ accountId: id, email: 'mara@example.com', role: 'admin', promotedAt: minutesAgo(10) }])
  expect(found[0]?.ways.sort()).toEqual(allWays)
})

test.each(promotions)('listEarlierAccess: ignores access from after a promotion by %s', async (_, promote) => {
  const { id } = await addStaff(minutesAgo(5))
  await promote(id, minutesAgo(10))
  expect(await listEarlierAccess(ctx().db)).toEqual([])
})

test('listEarlierAccess: does not count a change between staff roles as a promotion', async () => {
  const { id: subject } = await addStaff(minutesAgo(30))
  const recordChange = (action: 'role_changed' | 'admin_created', detail: Record<string, string | boolean>) =>
    recordAudit(ctx().db, { ...operator, action, subject, detail, at: minutesAgo(10) })
  await recordChange('admin_created', { existing: false, role: 'support' })
  await recordChange('role_changed', { from: 'support', to: 'admin' })
  await recordChange('admin_created', { existing: true, role: 'owner' })
  expect(await listEarlierAccess(ctx().db)).toEqual([])
  await recordChange('role_changed', { from: 'owner', to: 'user' })
  await recordChange('admin_created', { existing: true, role: 'owner' })
  expect(await listEarlierAccess(ctx().db)).toHaveLength(1)
})

test('listEarlierAccess: returns nothing after a promotion by this version, which ends earlier access', async () => {
  const { id, email } = await addStaff(minutesAgo(30))
  const { db } = ctx()
  await db.update(accounts).set({ role: 'user' }).where(eq(accounts.id, id))
  const owner = { name: 'Owner', email: 'owner@example.com', role: 'owner' as const, createdAt: minutesAgo(60) }
  const [actor] = await db.insert(accounts).values(owner).returning()
  const action = { by: { actorId: actor?.id ?? '', requestId: 'r' }, permissions: listPermissions('owner') }
  await changeRole(ctx(), { ...action, accountId: id, reason: 'Shift', role: 'admin' })
  expect(email).toBe('mara@example.com')
  expect(await listEarlierAccess(db)).toEqual([])
})

test('warnOfEarlierAccess: logs a warning that names the account until its earlier access is ended', async () => {
  const { id } = await addStaff(minutesAgo(30))
  await promotions[0]?.[1](id, minutesAgo(10))
  const warnSpy = vi.spyOn(ctx().logger, 'warn')
  await warnOfEarlierAccess(ctx())
  expect(warnSpy).toHaveBeenCalledExactlyOnceWith(
    { accountId: id, role: 'admin', ways: expect.arrayContaining(allWays) },
    expect.stringContaining('from before the promotion'),
  )
  await resetFactorsNow(ctx(), 'mara@example.com')
  expect((await listEarlierAccess(ctx().db))[0]?.ways).toEqual(['API key', 'private feed'])
  const code = await resetFactorsNow(ctx(), 'mara@example.com', (tx, of) =>
    endAccess(ctx(), tx, of, 'operator command'),
  )
  expect(code).not.toBeNull()
  await warnOfEarlierAccess(ctx())
  expect(warnSpy).toHaveBeenCalledOnce()
  expect(await ctx().db.$count(auditEntries, eq(auditEntries.action, 'api_key_revoked'))).toBe(1)
})
