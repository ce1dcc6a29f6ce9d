import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  adminUser,
  adminUserDetail,
  endpoints,
  type Role,
  type UserFilter,
  type UserSort,
  userCursor,
  userTimeline,
} from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { asc, eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { recordActivity } from '../src/activity-log.ts'
import { operator, recordAudit } from '../src/audit-log.ts'
import { systemClock } from '../src/clock.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { payments } from '../src/db/schema/payments.ts'
import { supportMessages } from '../src/db/schema/support.ts'
import * as users from '../src/features/accounts/admin-routes.ts'
import { listUserTimeline } from '../src/features/accounts/timeline.ts'
import { exportAudit, listAudit } from '../src/features/audit/routes.ts'
import { cancelUserFactorReset, requestFactorReset } from '../src/features/factors/routes.ts'
import { deleteOldEntries } from '../src/features/security/write-out.ts'
import { cancelSubscription, extendSubscription } from '../src/features/subscriptions/admin-routes.ts'
import { activeSubscription } from '../src/features/subscriptions/routes.ts'
import { findEntitlement } from '../src/features/subscriptions/service.ts'
import { type AdminFixture, createAdminFixture, readRefusal } from './admin-fixture.ts'

/** Tests the administration of accounts: lists, details and changes. */

const database = useTestDatabase()
let fixture: AdminFixture
let root: string

beforeEach(async () => {
  fixture = await createAdminFixture(database)
  root = await fixture.addAccount('Root', { role: 'owner', emailVerifiedAt: fixture.clock.now() })
})
afterEach(() => fixture.box.close())

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
const createParams = (accountId: string) => ({ params: { id: accountId } })

interface ListQuery {
  search?: string
  filter?: UserFilter
  sort?: UserSort
  cursor?: string
  limit?: number
}
function listUsers(query: ListQuery = {}, role: Role = 'owner') {
  const fullQuery = { filter: 'all', sort: 'newest', limit: 50, ...query }
  return users.listUsers(fixture.box.ctx, fixture.ask<typeof endpoints.listUsers>(root, { query: fullQuery, role }))
}
const listNames = async (query: Parameters<typeof listUsers>[0]) => (await listUsers(query)).map(({ name }) => name)

function findUser(accountId: string) {
  return users.findUser(fixture.box.ctx, fixture.ask(root, createParams(accountId)))
}
const extendPlan = (accountId: string, additionalHours: number, reason?: string) =>
  extendSubscription(
    fixture.box.ctx,
    fixture.ask(root, { ...createParams(accountId), body: { additionalHours, reason } }),
  )
const cancelPlan = (accountId: string, body?: object) =>
  cancelSubscription(fixture.box.ctx, fixture.ask(root, { ...createParams(accountId), body }))
const suspendUser = (accountId: string, by = root) =>
  users.suspendUser(fixture.box.ctx, fixture.ask(by, { ...createParams(accountId), body: { reason: 'Chargeback' } }))
const setRole = (accountId: string, role: Role, by = root) =>
  users.changeRole(fixture.box.ctx, fixture.ask(by, { ...createParams(accountId), body: { role, reason: 'Shift' } }))
const readEndsAt = async (accountId: string) =>
  (await findEntitlement(fixture.box.ctx, accountId, fixture.clock.now()))?.endsAt.toISOString()
const inHours = (hours: number) => new Date(fixture.clock.now().getTime() + hours * HOUR_MS).toISOString()

describe('user list', () => {
  beforeEach(async () => {
    const active = await fixture.addAccount('Mara Okafor')
    await fixture.addWallet(active, '0x71C7656EC7ab88b098defB751B7401B5f6d8976F')
    await fixture.addPeriod(active, -1, 5)
    const expired = await fixture.addAccount('Jonas Lindqvist')
    await fixture.addPeriod(expired, -10, -4)
    const cancelled = await fixture.addAccount('100% Wei_Zhang')
    await fixture.addPeriod(cancelled, -1, 5, { cancelledAt: fixture.clock.now() })
    await fixture.addAccount('Suspended', { suspendedAt: fixture.clock.now(), email: null })
  })

  test.each<[UserFilter, string[]]>([
    ['all', ['Suspended', '100% Wei_Zhang', 'Jonas Lindqvist', 'Mara Okafor', 'Root']],
    ['active', ['Mara Okafor']],
    ['expired', ['100% Wei_Zhang', 'Jonas Lindqvist']],
    ['none', ['Suspended', 'Root']],
    ['admin', ['Root']],
    ['suspended', ['Suspended']],
  ])('filters by %s', async (filter, expected) => {
    expect(await listNames({ filter })).toEqual(expected)
    const input = fixture.ask<typeof endpoints.countUsers>(root, { query: { filter } })
    expect(await users.countUsers(fixture.box.ctx, input)).toEqual({ total: 5, active: 1, matching: expected.length })
  })

  test.each([
    ['okaf', ['Mara Okafor']],
    ['JONAS.LIND', ['Jonas Lindqvist']],
    ['71c7656ec7AB', ['Mara Okafor']],
    ['0X7', ['Mara Okafor']],
    ['0% wei_', ['100% Wei_Zhang']],
    ['%', ['100% Wei_Zhang']],
    ['_zh', ['100% Wei_Zhang']],
    ['okaf\\', []],
    ["' or 1=1 --", []],
  ])('finds the accounts that match %j, if any', async (search, expected) => {
    expect(await listNames({ search })).toEqual(expected)
  })

  it('finds accounts by a text that more than 1,000 addresses contain, and counts at most 1,000 matches', async () => {
    await fixture.box.ctx.db.execute(sql`with made as (
        insert into accounts (name, created_at) select 'Crowd', '2026-01-01' from generate_series(1, 1001) returning id)
      insert into wallets (address, chain_id, account_id, linked_at)
      select '0x' || md5(id::text) || 'Ab345678', 0, id, '2026-01-01' from made`)
    expect(await listNames({ search: 'aB345678', limit: 2 })).toEqual(['Crowd', 'Crowd'])
    expect(await listNames({ search: '0x', limit: 2 })).toEqual(['Mara Okafor', 'Crowd'])
    expect(await listNames({ search: '0x', filter: 'active' })).toEqual(['Mara Okafor'])
    const countMatches = async (search: string, filter: UserFilter) => {
      const input = fixture.ask<typeof endpoints.countUsers>(root, { query: { search, filter } })
      return (await users.countUsers(fixture.box.ctx, input)).matching
    }
    expect(await countMatches('0x', 'all')).toBe(1000)
    expect(await countMatches('0x', 'active')).toBe(1)
  })

  it('is paged without gaps or duplicates when accounts have equal creation times', async () => {
    const at = fixture.clock.now()
    for (const name of ['A', 'B', 'C', 'D']) await fixture.addAccount(name, { createdAt: at })
    const seenNames: string[] = []
    for (let cursor: string | undefined, pages = 0; pages < 10; pages++) {
      const page = await listUsers({ limit: 2, ...(cursor ? { cursor } : {}) })
      seenNames.push(...page.map(({ name }) => name))
      const last = page.at(-1)
      cursor = last && userCursor(last)
      if (page.length < 2) break
    }
    expect(seenNames).toHaveLength(9)
    expect(new Set(seenNames).size).toBe(9)
  })

  test.each([
    ['newest', 2, [2, 2, 1]],
    ['name', 2, [2, 2, 1]],
    ['expires', 3, [3, 2]],
    ['newest', 5, [5]],
    ['name', 5, [5]],
  ] as const)('has the next page in the Link header, sorted by %s in pages of %i', async (sort, limit, sizes) => {
    const pages: string[][] = []
    let query: string | undefined = `sort=${sort}&limit=${limit}`
    while (query !== undefined) {
      const parameters = endpoints.listUsers.query.parse(Object.fromEntries(new URLSearchParams(query)))
      const input = fixture.ask<typeof endpoints.listUsers>(root, { query: parameters })
      const header = vi.spyOn(input.reply, 'header')
      pages.push((await users.listUsers(fixture.box.ctx, input)).map(({ name }) => name))
      const link = String(header.mock.calls[0]?.[1] ?? '')
      query = /^<\/api\/admin\/users\?(.+)>; rel="next"$/.exec(link)?.[1]
    }
    expect(pages.map(({ length }) => length)).toEqual(sizes)
    expect(pages.flat()).toEqual(await listNames({ sort }))
  })

  it('continues after the last account of a page when that account was deleted', async () => {
    for (const name of ['Deleted', 'Newest']) await fixture.addAccount(name)
    const last = (await listUsers({ limit: 2 })).at(-1)
    if (last?.name !== 'Deleted') throw new Error('The page has another order')
    await fixture.box.ctx.db.delete(accounts).where(eq(accounts.id, last.id))
    expect(await listNames({ limit: 2, cursor: userCursor(last) })).toEqual(['Suspended', '100% Wei_Zhang'])
    expect(await listNames({ limit: 1, cursor: last.id }), 'an invalid cursor').toEqual(['Newest'])
  })

  test.each<[UserSort, string[]]>([
    ['oldest', ['Root', 'Mara Okafor', 'Jonas Lindqvist', '100% Wei_Zhang', 'Suspended']],
    ['name', ['100% Wei_Zhang', 'Jonas Lindqvist', 'Mara Okafor', 'Root', 'Suspended']],
    ['email', ['100% Wei_Zhang', 'Jonas Lindqvist', 'Mara Okafor', 'Root', 'Suspended']],
    ['seen', ['Jonas Lindqvist', 'Mara Okafor']],
    ['expires', ['Jonas Lindqvist', 'Mara Okafor']],
    ['paid', ['Jonas Lindqvist']],
  ])('sorts by %s across pages', async (sort, first) => {
    const [jonas, mara] = await Promise.all(
      ['Jonas', 'Mara'].map(async (search) => (await listUsers({ search }))[0]?.id ?? ''),
    )
    if (!jonas || !mara) throw new Error('The accounts are missing')
    await fixture.addPeriod(jonas, -1, 2)
    await recordActivity(fixture.box.ctx.db, {
      accountId: mara,
      kind: 'signed_in',
      detail: '',
      at: fixture.clock.now(),
    })
    fixture.clock.advance(1000)
    await fixture.addSession(jonas)
    const pages = []
    for (const cursor of ['', '2', '4']) pages.push(...(await listUsers({ sort, limit: 2, ...(cursor && { cursor }) })))
    expect(new Set(pages.map((user) => user.id)).size).toBe(5)
    expect(pages.map(({ name }) => name).slice(0, first.length)).toEqual(first)
    const largerPages = [
      ...(await listUsers({ sort, limit: 3 })),
      ...(await listUsers({ sort, limit: 3, cursor: '3' })),
    ]
    expect(largerPages.map(({ id }) => id)).toEqual(pages.map(({ id }) => id))
  })

  it('shows sums of payments, and orders by them, only to roles that may read payments', async () => {
    const [jonas] = await listUsers({ search: 'Jonas' })
    await fixture.addPeriod(jonas?.id ?? '', -1, 2)
    const listPaidAs = async (role: Role) => (await listUsers({ search: 'Jonas' }, role)).map(({ paidWei }) => paidWei)
    expect(await listPaidAs('auditor')).toEqual(['20000000000000000000'])
    await fixture.box.ctx.db.update(payments).set({ revertedAt: fixture.clock.now() })
    expect(await listPaidAs('owner')).toEqual(['0'])
    expect(await listPaidAs('support')).toEqual([null])
    expect((await readRefusal(listUsers({ sort: 'paid' }, 'support'))).code).toBe('permission_required')
  })

  it('contains exactly the fields of the protocol and no secret', async () => {
    for (const user of await listUsers()) expect(adminUser.strict().parse(user)).toEqual(user)
    const [mara] = await listUsers({ search: 'Mara' })
    expect(mara).toMatchObject({
      walletAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      isAdmin: false,
      activeSubscription: { planType: '6h', tokenAmount: '10000000000000000000' },
    })
  })

  it('is exported as CSV without spreadsheet formulas', async () => {
    await fixture.addAccount('=cmd|calc')
    const input = fixture.ask<typeof endpoints.exportUsers>(root, { query: { filter: 'none' } })
    const csv = await text(await users.exportUsers(fixture.box.ctx, input))
    expect(csv.split('\r\n')).toHaveLength(5)
    expect(csv).toContain(",'=cmd|calc,'=cmd|calc@example.com,")
    expect(await fixture.audited()).toEqual([['users_exported', null, null]])
  })

  it('is exported page by page, and audited even if the client disconnects', async () => {
    const { ctx } = fixture.box
    const fillers = Array.from({ length: 5_000 }, () => ({ name: 'Filler', createdAt: fixture.clock.now() }))
    await ctx.db.insert(accounts).values(fillers)
    const createInput = () => fixture.ask<typeof endpoints.exportUsers>(root, { query: { filter: 'all' } })
    const abortedFile = await users.exportUsers(ctx, createInput())
    abortedFile.destroy()
    expect(await fixture.audited()).toEqual([['users_exported', null, null]])
    const csv = await readCsv(await users.exportUsers(ctx, createInput()), () =>
      ctx.db.delete(accounts).where(eq(accounts.name, 'Filler')),
    )
    expect(countLines(csv)).toBeLessThan(4_000)
    expect(csv, 'the oldest account').toContain(',Root,')
  })
})

describe('user details', () => {
  it('returns 404 for an unknown account', async () => {
    for (const other of [UNKNOWN_ID, 'x', '']) expect((await readRefusal(findUser(other))).code).toBe('not_found')
  })

  it('contain sessions, periods and payments', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addSession(mara, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
    await fixture.addPeriod(mara, -9, -3)
    await fixture.addPeriod(mara, -1, 5)
    await fixture.addPeriod(mara, 5, 11)
    await fixture.addPeriod(mara, 11, 17, { revokedAt: fixture.clock.now() })
    const detail = await findUser(mara)
    expect(adminUserDetail.strict().parse(detail)).toEqual(detail)
    expect(detail.subscriptions.map(({ state }) => state)).toEqual(['revoked', 'queued', 'running', 'ended'])
    expect(detail.user.activeSubscription?.endTime).toBe(inHours(11))
    expect(detail.sessions).toMatchObject([{ device: 'Firefox on Linux' }])
    expect(detail.payments).toHaveLength(4)
  })
})

describe('timeline of a user', () => {
  const readTimeline = (accountId: string, query: { cursor?: string; limit?: number } = {}, role: Role = 'owner') => {
    const input = fixture.ask<typeof endpoints.listUserTimeline>(root, {
      ...createParams(accountId),
      query: { limit: 50, ...query },
      role,
    })
    return listUserTimeline(fixture.box.ctx, input)
  }

  async function addEvents(accountId: string): Promise<void> {
    const { db } = fixture.box.ctx
    const at = fixture.clock.now()
    await recordActivity(db, { accountId, kind: 'signed_in', detail: 'Signed in by password', at })
    await recordActivity(db, { accountId, kind: 'plan_paid', detail: '6 hours for 10 ITO', at })
    await recordActivity(db, { accountId, kind: 'alert_verified', detail: '#1,234, 6 of 6 checks', at })
    const auditFields = { requestId: 'request-1', subject: accountId, at }
    await recordAudit(db, { ...auditFields, actorId: root, action: 'user_suspended', reason: 'Chargeback' })
    await recordAudit(db, { ...auditFields, actorId: accountId, action: 'api_key_created' })
    const supportMessage = { accountId, name: 'Mara', email: 'mara@example.com', message: 'Where is it?', at }
    await db.insert(supportMessages).values({ ...supportMessage, subject: 'My plan' })
    fixture.clock.advance(1000)
  }

  it('returns 404 for an unknown account', async () => {
    for (const other of [UNKNOWN_ID, 'x']) expect((await readRefusal(readTimeline(other))).code).toBe('not_found')
  })

  it('contains every activity, staff action and support message once across pages of any size', async () => {
    const [mara, other] = [await fixture.addAccount('Mara'), await fixture.addAccount('Other')]
    for (const account of [mara, mara, other]) await addEvents(account)
    const wholeTimeline = await readTimeline(mara)
    expect(userTimeline.parse(wholeTimeline)).toEqual(wholeTimeline)
    const types = ['letter', 'staff', 'activity', 'activity', 'activity']
    expect(wholeTimeline.items.map(({ type }) => type)).toEqual([...types, ...types])
    expect(wholeTimeline.items[1]).toMatchObject({
      actor: { name: 'Root' },
      action: 'user_suspended',
      reason: 'Chargeback',
    })
    for (const limit of [1, 3, 7]) {
      const seenItems = []
      for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 20; pages++) {
        const page: typeof wholeTimeline = await readTimeline(mara, { limit, ...(cursor && { cursor }) })
        seenItems.push(...page.items)
        cursor = page.nextCursor
      }
      expect(seenItems).toEqual(wholeTimeline.items)
    }
    expect((await readTimeline(mara, { cursor: 'x.y' })).items).toEqual(wholeTimeline.items)
  })

  it('shows no payments, no activity with alerts and no actions of staff to support', async () => {
    const mara = await fixture.addAccount('Mara')
    await addEvents(mara)
    const listShown = async (role: Role) =>
      (await readTimeline(mara, {}, role)).items.map((one) => (one.type === 'activity' ? one.kind : one.type))
    expect(await listShown('auditor')).toEqual(['letter', 'staff', 'alert_verified', 'plan_paid', 'signed_in'])
    expect(await listShown('support')).toEqual(['letter', 'signed_in'])
  })
})

describe('extending a subscription', () => {
  it.each([UNKNOWN_ID, 'x'])('is rejected for the unknown account %s', async (other) => {
    expect((await readRefusal(extendPlan(other, 6))).code).toBe('not_found')
  })

  it('is rejected without changes when no subscription is active', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -9, -3)
    const refusal = await readRefusal(extendPlan(mara, 6))
    expect([refusal.code, refusal.status]).toEqual(['no_active_subscription', 409])
    expect(await fixture.audited()).toEqual([])
  })

  it('moves the end and queued periods, notifies the account and writes an audit entry', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    await fixture.addPeriod(mara, 5, 11)
    const notified = waitForNotification('entitlement')
    expect(await extendPlan(mara, 24, 'An outage')).toEqual({
      success: true,
      message: 'Subscription extended by 24 hours.',
    })
    expect(await readEndsAt(mara)).toBe(inHours(35))
    expect((await findUser(mara)).subscriptions.map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
      [inHours(29), inHours(35)],
      [inHours(-1), inHours(29)],
    ])
    const { user, subscriptions, extensions } = await findUser(mara)
    expect(user.activeSubscription).toMatchObject({ planType: '6h', endTime: inHours(35), extendedHours: 24 })
    expect(subscriptions.map(({ extendedHours }) => extendedHours)).toEqual([0, 24])
    expect(extensions).toEqual([
      { id: expect.any(String), at: inHours(0), hours: 24, by: { id: root, name: 'Root' }, reason: 'An outage' },
    ])
    expect(await notified).toBe(mara)
    expect(await fixture.audited()).toEqual([['subscription_extended', mara, 'An outage']])
    expect(fixture.box.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['mara@example.com', 'Your subscription was extended'],
    ])
  })

  it('extends the period eight times when it runs eight times concurrently', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    await Promise.all(Array.from({ length: 8 }, () => extendPlan(mara, 1)))
    expect(await readEndsAt(mara)).toBe(inHours(13))
    expect(await fixture.audited()).toHaveLength(8)
  })
})

describe('cancelling a subscription', () => {
  it('is rejected when no subscription is active', async () => {
    const mara = await fixture.addAccount('Mara')
    expect((await readRefusal(cancelPlan(mara))).code).toBe('no_active_subscription')
  })

  it('ends current and queued periods immediately, with or without a reason', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    await fixture.addPeriod(mara, 5, 11)
    const notified = waitForNotification('entitlement')
    expect(await cancelPlan(mara)).toEqual({ success: true, message: 'Subscription cancelled.' })
    expect(await readEndsAt(mara)).toBeUndefined()
    expect(await notified).toBe(mara)
    expect(await fixture.audited()).toEqual([['subscription_cancelled', mara, null]])
    expect((await readRefusal(cancelPlan(mara, { reason: 'Again' }))).code).toBe('no_active_subscription')
  })
})

describe('suspending a user', () => {
  it('is rejected when the user is the caller or the last admin', async () => {
    expect((await readRefusal(suspendUser(root))).code).toBe('own_account')
    const visitor = await fixture.addAccount('Visitor')
    expect((await readRefusal(suspendUser(root, visitor))).code).toBe('last_admin')
    expect(await fixture.audited()).toEqual([])
  })

  it('ends all sessions and can be undone', async () => {
    const mara = await fixture.addAccount('Mara')
    const session = await fixture.addSession(mara)
    const notified = waitForNotification('session')
    await suspendUser(mara)
    expect(await notified).toBe(session)
    const suspended = await findUser(mara)
    expect(suspended).toMatchObject({ suspensionReason: 'Chargeback', sessions: [] })
    expect(suspended.user.suspendedAt).not.toBeNull()
    const body = { reason: 'Settled' }
    await users.unsuspendUser(fixture.box.ctx, fixture.ask(root, { ...createParams(mara), body }))
    expect((await findUser(mara)).user.suspendedAt).toBeNull()
    expect(await fixture.audited()).toEqual([
      ['user_suspended', mara, 'Chargeback'],
      ['user_unsuspended', mara, 'Settled'],
    ])
  })
})

describe('roles', () => {
  it('cannot be changed by the account itself, nor by a former owner', async () => {
    const admin = await fixture.addAccount('Second', { role: 'admin' })
    expect((await readRefusal(setRole(root, 'user'))).code).toBe('own_account')
    expect((await readRefusal(setRole(admin, 'owner', admin))).code).toBe('permission_required')
    expect((await readRefusal(setRole(UNKNOWN_ID, 'admin'))).code).toBe('not_found')
    expect(await fixture.audited()).toEqual([])
  })

  it('leave one owner when two owners demote or suspend each other concurrently', async () => {
    const secondOwnerId = await fixture.addAccount('Second', { role: 'owner' })
    const outcomes = await Promise.allSettled([
      setRole(secondOwnerId, 'user', root),
      setRole(root, 'user', secondOwnerId),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await listNames({ filter: 'admin' })).toHaveLength(1)
    const [remainingId = ''] = (await listUsers({ filter: 'admin' })).map((user) => user.id)
    const third = await fixture.addAccount('Third', { role: 'owner' })
    const suspended = await Promise.allSettled([suspendUser(third, remainingId), suspendUser(remainingId, third)])
    expect(suspended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it.each([
    ['support', 'user', null],
    ['support', 'publisher', 'permission_required'],
    ['admin', 'support', null],
    ['admin', 'owner', 'permission_required'],
    ['owner', 'owner', null],
  ] as const)('decide who manages whom: role %s on role %s gets the refusal %s', async (role, targetRole, code) => {
    const actor = await fixture.addAccount('Actor', { role })
    const target = await fixture.addAccount('Target', { role: targetRole })
    const { ctx } = fixture.box
    const createActorInput = (body?: object) => fixture.ask(actor, { ...createParams(target), body, role })
    const attempts = [
      users.endUserSessions(ctx, createActorInput()),
      users.endUserSession(ctx, fixture.ask(actor, { params: { id: target, sessionId: UNKNOWN_ID }, role })),
      requestFactorReset(ctx, createActorInput({ reason: 'Lost' })),
      cancelUserFactorReset(ctx, createActorInput()),
      users.suspendUser(ctx, createActorInput({ reason: 'Left' })),
      users.unsuspendUser(ctx, createActorInput({ reason: 'Back' })),
    ]
    const outcomes = await Promise.all(
      attempts.map((attempt) =>
        attempt.then(
          () => null,
          ({ code }) => code,
        ),
      ),
    )
    // 'not_found' is expected because the target has neither this session nor a second factor.
    expect(outcomes).toEqual(
      code ? attempts.map(() => code) : [null, 'not_found', 'not_found', 'not_found', null, null],
    )
  })

  it('hide payments in the details of an account from support', async () => {
    const { ctx } = fixture.box
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    await extendPlan(mara, 24, 'Outage')
    const fullUser = await findUser(mara)
    expect(fullUser).toMatchObject({ payments: [{}], extensions: [{ reason: 'Outage' }] })
    const { tokenAmount, transactionHash } = fullUser.subscriptions[0] ?? {}
    expect([tokenAmount, transactionHash]).toEqual(['10000000000000000000', expect.stringMatching(/^0x/)])

    const supportView = await users.findUser(ctx, fixture.ask(root, { ...createParams(mara), role: 'support' }))
    const hiddenPayment = { planType: '6h', tokenAmount: null, transactionHash: null }
    expect(supportView).toMatchObject({
      user: { paidWei: null, activeSubscription: hiddenPayment },
      subscriptions: [{ state: 'running', ...hiddenPayment }],
      extensions: [],
      payments: [],
    })
    expect(() => adminUserDetail.parse(supportView)).not.toThrow()
    const [listedUser] = await listUsers({ filter: 'active' }, 'support')
    expect(listedUser).toMatchObject({ paidWei: null, activeSubscription: hiddenPayment })
    const query = { filter: 'active' }
    const csv = await text(await users.exportUsers(ctx, fixture.ask(root, { query, role: 'support' })))
    for (const payment of [tokenAmount, transactionHash, 'Outage']) {
      expect(JSON.stringify(supportView)).not.toContain(payment)
      expect(csv).not.toContain(payment)
    }
  })

  it('hide the plan of another account from support with a 404, because the plan contains payment data', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    const readPlan = (by: string, role: Role) => {
      const input = fixture.ask<typeof endpoints.activeSubscription>(by, { params: { userId: mara }, role })
      return activeSubscription(fixture.box.ctx, input)
    }
    expect((await readRefusal(readPlan(root, 'support'))).code).toBe('not_found')
    const payment = { tokenAmount: '10000000000000000000', transactionHash: expect.stringMatching(/^0x/) }
    expect(await readPlan(root, 'auditor')).toMatchObject(payment)
    expect(await readPlan(mara, 'support'), 'the own plan').toMatchObject(payment)
  })

  it('are announced by email to the account and to every owner when they change', async () => {
    const mara = await fixture.addAccount('Mara', { emailVerifiedAt: fixture.clock.now() })
    await setRole(mara, 'publisher')
    expect(fixture.box.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['mara@example.com', 'Your role was changed'],
      ['root@example.com', 'The role of an account was changed'],
    ])
  })

  it('end all sessions when they change', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addSession(mara)
    await setRole(mara, 'admin')
    expect(await findUser(mara)).toMatchObject({ user: { isAdmin: true }, sessions: [] })
    expect(await fixture.audited()).toEqual([['role_changed', mara, 'Shift']])
  })
})

test('ending all sessions: returns the number of ended sessions', async () => {
  const mara = await fixture.addAccount('Mara')
  for (let count = 0; count < 3; count++) await fixture.addSession(mara)
  const answer = await users.endUserSessions(fixture.box.ctx, fixture.ask(root, createParams(mara)))
  expect(answer.message).toBe('3 sessions were ended.')
  expect((await findUser(mara)).sessions).toEqual([])
  expect(await fixture.audited()).toEqual([['sessions_ended', mara, null]])
})

test('ending all sessions: neither shows nor counts expired sessions', async () => {
  const mara = await fixture.addAccount('Mara')
  for (let count = 0; count < 2; count++) await fixture.addSession(mara)
  fixture.clock.advance(12 * HOUR_MS)
  const openSessionId = await fixture.addSession(mara)
  expect((await findUser(mara)).sessions).toMatchObject([{ id: openSessionId }])
  const answer = await users.endUserSessions(fixture.box.ctx, fixture.ask(root, createParams(mara)))
  expect(answer.message).toBe('One session was ended.')
  const [entry] = await fixture.box.ctx.db.select().from(auditEntries)
  expect(entry?.detail).toEqual({ sessions: 1 })
})

describe('ending one session', () => {
  const endSession = (accountId: string, sessionId: string) =>
    users.endUserSession(
      fixture.box.ctx,
      fixture.ask<typeof endpoints.endUserSession>(root, { params: { id: accountId, sessionId } }),
    )

  it('returns 404 without an audit entry when account and session do not match', async () => {
    const [mara, jonas] = [await fixture.addAccount('Mara'), await fixture.addAccount('Jonas')]
    await fixture.addSession(jonas)
    const [foreignSession] = (await findUser(jonas)).sessions
    for (const [account, session] of [
      [mara, foreignSession?.id ?? ''],
      [mara, 'none'],
      [mara, root],
      [root.replace(/^./, 'x'), foreignSession?.id ?? ''],
    ] as const) {
      expect((await readRefusal(endSession(account, session))).code).toBe('not_found')
    }
    expect((await findUser(jonas)).sessions).toHaveLength(1)
    expect(await fixture.audited()).toEqual([])
  })

  it('closes its sockets and keeps other sessions', async () => {
    const mara = await fixture.addAccount('Mara')
    for (let count = 0; count < 3; count++) await fixture.addSession(mara)
    const [first, ...others] = (await findUser(mara)).sessions
    const notified = new Promise((resolve) => fixture.box.ctx.notifications.on('session', resolve))
    expect((await endSession(mara, first?.id ?? '')).message).toBe('The session was ended.')
    expect(await notified).toBe(first?.id)
    expect((await findUser(mara)).sessions).toEqual(others)
    expect((await readRefusal(endSession(mara, first?.id ?? ''))).code).toBe('not_found')
    expect(await fixture.audited()).toEqual([['sessions_ended', mara, null]])
  })
})

describe('audit log', () => {
  it('gets no entry when the transaction of the change fails', async () => {
    const mara = await fixture.addAccount('Mara')
    await fixture.addPeriod(mara, -1, 5)
    const endsAtBefore = await readEndsAt(mara)
    const { ctx } = fixture.box
    const failingCtx = {
      ...ctx,
      notifications: { ...ctx.notifications, notify: () => Promise.reject(new Error('The last step fails')) },
    }
    const input = fixture.ask<typeof endpoints.extendSubscription>(root, {
      ...createParams(mara),
      body: { additionalHours: 6 },
    })
    await expect(extendSubscription(failingCtx, input)).rejects.toThrow('The last step fails')
    expect([await readEndsAt(mara), await fixture.audited()]).toEqual([endsAtBefore, []])
  })

  // Uses the real time, because the database computes the age with its own clock.
  const recordAuditEntry = (ageDays = 0) =>
    recordAudit(fixture.box.ctx.db, {
      ...operator,
      action: 'feed_saved',
      subject: `${ageDays} days ago`,
      at: new Date(Date.now() - ageDays * DAY_MS),
    })

  it.each([
    ['update audit_entries set reason = $$x$$', 'Audit entries are never changed, and deleted only by age'],
    ['delete from audit_entries', 'Audit entries of the last 365 days are never deleted'],
    ['truncate audit_entries', 'Audit entries are never changed, and deleted only by age'],
  ])('rejects %s', async (statement, message) => {
    await recordAuditEntry()
    await expect(fixture.box.ctx.db.execute(statement)).rejects.toMatchObject({ cause: { message } })
    expect(await fixture.box.ctx.db.$count(auditEntries)).toBe(1)
  })

  it.each([
    ['loses entries that are older than the policy', 500, ['400 days ago', '10 days ago']],
    ['keeps the last 365 days even if asked to delete them', 1, ['10 days ago']],
    ['is kept forever without a policy', null, ['600 days ago', '400 days ago', '10 days ago']],
  ])('%s', async (_name, auditLogDays, keptReasons) => {
    for (const days of [600, 400, 10]) await recordAuditEntry(days)
    const { ctx } = fixture.box
    const { signal } = new AbortController()
    await deleteOldEntries({ ...ctx, clock: systemClock, config: { ...ctx.config, auditLogDays } }, signal)
    const rows = await ctx.db.select().from(auditEntries).orderBy(asc(auditEntries.id))
    expect(rows.map(({ subject }) => subject)).toEqual(keptReasons)
  })

  it('is paged and filtered by actor and action, and keeps entries of deleted accounts', async () => {
    const mara = await fixture.addAccount('Mara')
    const bert = await fixture.addAccount('Bert', { role: 'owner' })
    await setRole(mara, 'admin')
    await setRole(mara, 'user', bert)
    await suspendUser(mara, bert)
    const listEntries = async (query: object) => {
      const input = fixture.ask<typeof endpoints.listAudit>(root, { query: { limit: 50, ...query } })
      const { items, nextCursor } = await listAudit(fixture.box.ctx, input)
      return { actions: items.map(({ action }) => action), items, nextCursor }
    }
    expect((await listEntries({})).actions).toEqual(['user_suspended', 'role_changed', 'role_changed'])
    expect((await listEntries({ actor: root })).actions).toEqual(['role_changed'])
    expect((await listEntries({ actor: 'unknown-account' })).actions).toEqual([])
    expect((await listEntries({ action: 'user_suspended' })).items).toMatchObject([
      {
        actor: { id: bert, name: 'Bert' },
        subject: mara,
        subjectName: 'Mara',
        alert: null,
        receiver: null,
        reason: 'Chargeback',
        requestId: 'request-1',
      },
    ])
    const first = await listEntries({ limit: 2 })
    expect((await listEntries({ limit: 2, cursor: first.nextCursor })).actions).toEqual(['role_changed'])
    await fixture.box.ctx.db.execute(`delete from accounts where id = '${mara}'`)
    expect((await listEntries({ action: 'user_suspended' })).items).toMatchObject([
      { subject: mara, subjectName: null },
    ])
  })

  it('contains the id of the account that received a credited plan, and its name while the account exists', async () => {
    const mara = await fixture.addAccount('Mara')
    const { ctx } = fixture.box
    for (const accountId of [mara, '0f0c1d3e-2b4a-4c5d-8e6f-7a8b9c0d1e2f', 'no id']) {
      const entry = { action: 'payment_credited', subject: accountId.toUpperCase(), detail: { accountId } } as const
      await recordAudit(ctx.db, { actorId: root, requestId: 'request-1', ...entry, at: ctx.clock.now() })
    }
    const { items } = await listAudit(ctx, fixture.ask<typeof endpoints.listAudit>(root, { query: { limit: 50 } }))
    expect(items.map(({ receiver }) => receiver)).toEqual([
      null,
      { id: '0f0c1d3e-2b4a-4c5d-8e6f-7a8b9c0d1e2f', name: null },
      { id: mara, name: 'Mara' },
    ])
  })

  it('is exported as CSV', async () => {
    await setRole(await fixture.addAccount('Mara'), 'admin')
    const csv = await text(await exportAudit(fixture.box.ctx, fixture.ask(root)))
    expect(csv).toMatch(
      /\r\n1,2026-01-15T[^,]+,[^,]{36},Root,role_changed,[^,]{36},Mara,Shift,"\{""to"":""admin"",""from"":""user""\}",request-1\r\n$/,
    )
  })

  it('is exported page by page, after an entry about the export was written', async () => {
    const { ctx } = fixture.box
    // Insert old entries, because entries of the last 365 days cannot be deleted.
    await ctx.db.execute(sql`
      insert into audit_entries (at, action, detail, request_id)
      select '2020-01-01', 'feed_saved', '{}', 'filler' from generate_series(1, 5000)`)
    const file = await exportAudit(ctx, fixture.ask(root))
    expect((await fixture.audited()).at(-1)).toEqual(['audit_exported', null, null])
    const csv = await readCsv(file, () => ctx.db.delete(auditEntries).where(eq(auditEntries.requestId, 'filler')))
    expect(countLines(csv)).toBeLessThan(4_000)
  })
})

/** Reads a CSV file. Calls `afterFirst` when its first rows have been read. */
async function readCsv(file: Readable, afterFirst: () => Promise<unknown>): Promise<string> {
  const chunks: string[] = []
  for await (const chunk of file) {
    // The first chunk is the header.
    if (chunks.push(String(chunk)) === 2) await afterFirst()
  }
  return chunks.join('')
}

const countLines = (csv: string) => csv.split('\r\n').length - 1

function waitForNotification(topic: 'entitlement' | 'session'): Promise<string> {
  return new Promise((resolve) => {
    const stop = fixture.box.ctx.notifications.on(topic, (key) => {
      stop()
      resolve(key)
    })
  })
}
