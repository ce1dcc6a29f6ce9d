import { checksumAddress } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { testTreasury } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findPaymentChain } from '../src/chain/payment-chains.ts'
import type { Context } from '../src/context.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { protectedChanges } from '../src/db/schema/protected-changes.ts'
import { settings } from '../src/db/schema/server.ts'
import {
  applyApprovedValues,
  assertSignerApproved,
  findApproved,
  saveApproved,
} from '../src/features/settings/approved-values.ts'
import {
  applyDueChanges,
  approveChange,
  cancelChange,
  forceChange,
  proposeChange,
} from '../src/features/settings/protected-changes.ts'
import { findProtectedState, listAnnouncedChanges } from '../src/features/settings/protected-routes.ts'
import { changeChain } from '../src/features/settings/routes.ts'
import { type AdminFixture, createAdminFixture } from './admin-fixture.ts'

const OTHER_TREASURY = checksumAddress(`0x${'aa'.repeat(20)}`)
const THIRD_TREASURY = checksumAddress(`0x${'bb'.repeat(20)}`)

const database = useTestDatabase()
let fixture: AdminFixture
let ctx: Context
let ids: Record<'ada' | 'bob' | 'eve', string>

beforeAll(async () => {
  fixture = await createAdminFixture(database)
  const verifiedFields = { emailVerifiedAt: fixture.clock.now() }
  ids = {
    ada: await fixture.addAccount('Ada', { role: 'owner', ...verifiedFields }),
    bob: await fixture.addAccount('Bob', { role: 'admin', ...verifiedFields }),
    eve: await fixture.addAccount('Eve', { role: 'auditor', ...verifiedFields }),
  }
  const { config } = fixture.box.ctx
  ctx = { ...fixture.box.ctx, config: { ...config, twoAdmins: { isOn: true, delayHours: 24, configured: [] } } }
})
afterAll(() => fixture?.box.close())
beforeEach(async () => {
  await ctx.db.delete(protectedChanges)
  await ctx.db.delete(settings)
  await ctx.db.update(accounts).set({ role: 'admin', suspendedAt: null }).where(eq(accounts.id, ids.bob))
  fixture.box.mails.length = 0
  const signer = ctx.signers.held[0]?.address ?? ''
  await saveApproved(ctx.db, { isOn: true, treasuries: { '31337': testTreasury }, signer }, ctx.clock.now())
})

const createActor = (actorId: string) => ({ actorId, requestId: 'r1' })
const treasuryRequest = { kind: 'treasury', chainId: 31337, address: OTHER_TREASURY, reason: 'A new safe' } as const
const propose = (request: Parameters<typeof proposeChange>[2] = treasuryRequest, who = ids.ada) =>
  proposeChange(ctx, createActor(who), request)
const findTreasury = async () => (await findApproved(ctx.db))?.treasuries['31337']
const listOutcomes = async () => (await ctx.db.select().from(protectedChanges)).map(({ outcome }) => outcome)

test('two admins: a treasury changes after the second approval and the delay, exactly once', async () => {
  const { id } = await propose()
  fixture.clock.advance(25 * HOUR_MS)
  await applyDueChanges(ctx)
  expect(await findTreasury(), 'not without the approval').toBe(testTreasury)
  await approveChange(ctx, createActor(ids.bob), id)
  fixture.clock.advance(24 * HOUR_MS - 1)
  await applyDueChanges(ctx)
  expect(await findTreasury(), 'not before the delay').toBe(testTreasury)
  fixture.clock.advance(1)
  await Promise.all(Array.from({ length: 5 }, () => applyDueChanges(ctx)))
  expect(await findTreasury()).toBe(OTHER_TREASURY)
  const appliedEntries = (await fixture.audited()).filter(([action]) => action === 'change_applied')
  expect(appliedEntries).toHaveLength(1)
  const subjects = fixture.box.mails.map(({ to, subject }) => `${to}: ${subject}`)
  for (const step of ['was proposed', 'was approved', 'has taken effect']) {
    expect(subjects).toContain(`ada@example.com: A change of the treasury ${step}`)
    expect(subjects).toContain(`bob@example.com: A change of the treasury ${step}`)
  }
  expect(subjects.join()).not.toContain('eve@example.com')
  expect(await listAnnouncedChanges(ctx, fixture.ask(ids.ada))).toMatchObject([
    { to: OTHER_TREASURY, outcome: 'applied' },
  ])
})

test('two admins: the old treasury is listed as in use until a restart, which the email asks for', async () => {
  const listTreasuries = async (context: Context) =>
    (await findProtectedState(context, fixture.ask(ids.ada))).treasuries
  const { id } = await propose()
  await approveChange(ctx, createActor(ids.bob), id)
  fixture.clock.advance(24 * HOUR_MS)
  await applyDueChanges(ctx)
  const inUse = ctx.config.payment.treasury
  expect(await listTreasuries(ctx)).toMatchObject([{ chainId: 31337, address: inUse, approved: OTHER_TREASURY }])
  const mails = fixture.box.mails.filter(({ subject }) => subject === 'A change of the treasury has taken effect')
  expect(mails[0]?.text).toContain('Restart every instance. Until then, payments go to the former address.')
  expect(await listTreasuries(await applyApprovedValues(ctx))).toMatchObject([
    { address: OTHER_TREASURY, approved: OTHER_TREASURY },
  ])
})

test('two admins: an admin cannot approve their own change, and each change is approved once', async () => {
  const { id } = await propose()
  await expect(approveChange(ctx, createActor(ids.ada), id)).rejects.toMatchObject({ code: 'own_change' })
  const approvals = await Promise.allSettled(
    Array.from({ length: 8 }, () => approveChange(ctx, createActor(ids.bob), id)),
  )
  expect(approvals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(approveChange(ctx, createActor(ids.bob), id), 'a replay').rejects.toMatchObject({
    code: 'change_approved',
  })
  const [row] = await ctx.db.select().from(protectedChanges)
  expect(row?.effectiveAt?.getTime()).toBe((row?.approvedAt?.getTime() ?? 0) + 24 * HOUR_MS)
})

test('two admins: each setting has at most one open change, even when two are proposed concurrently', async () => {
  const proposals = await Promise.allSettled([
    propose(),
    propose({ ...treasuryRequest, address: THIRD_TREASURY }, ids.bob),
    propose(),
  ])
  expect(proposals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(proposals.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'change_pending' } })
  await propose({ kind: 'signer', address: THIRD_TREASURY, reason: 'Rotation' })
  expect(await listOutcomes()).toEqual([null, null])
})

test.each([
  ['demoted', { role: 'auditor' }],
  ['suspended', { suspendedAt: new Date() }],
] as const)(
  'two admins: a change becomes void if its approver was %s before it takes effect',
  async (_name, change) => {
    const { id } = await propose()
    await approveChange(ctx, createActor(ids.bob), id)
    await ctx.db.update(accounts).set(change).where(eq(accounts.id, ids.bob))
    fixture.clock.advance(24 * HOUR_MS)
    await applyDueChanges(ctx)
    expect(await findTreasury()).toBe(testTreasury)
    expect(await listOutcomes()).toEqual(['void'])
  },
)

test('two admins: a cancelled change has no effect, and cannot be approved or cancelled again', async () => {
  const { id } = await propose()
  await approveChange(ctx, createActor(ids.bob), id)
  await cancelChange(ctx, createActor(ids.ada), id)
  fixture.clock.advance(48 * HOUR_MS)
  await applyDueChanges(ctx)
  expect(await findTreasury()).toBe(testTreasury)
  for (const repeatAction of [approveChange, cancelChange]) {
    await expect(repeatAction(ctx, createActor(ids.bob), id)).rejects.toMatchObject({ code: 'change_ended' })
  }
})

test('two admins: a proposal expires after a week, and no change is applied when the clock goes back', async () => {
  const { id } = await propose()
  fixture.clock.advance(7 * 24 * HOUR_MS)
  await expect(approveChange(ctx, createActor(ids.bob), id)).rejects.toMatchObject({ code: 'change_ended' })
  await applyDueChanges(ctx)
  expect(await listOutcomes()).toEqual(['expired'])
  const next = await propose()
  await approveChange(ctx, createActor(ids.bob), next.id)
  fixture.clock.advance(-48 * HOUR_MS)
  await applyDueChanges(ctx)
  expect(await findTreasury()).toBe(testTreasury)
  fixture.clock.advance(72 * HOUR_MS)
  await applyDueChanges(ctx)
  expect(await findTreasury()).toBe(OTHER_TREASURY)
})

test('two admins: selecting a chain only proposes it, and the chain changes after approval and delay', async () => {
  const body = { value: '137', description: 'Cheaper' }
  const answer = await changeChain(ctx, fixture.ask(ids.ada, { body }))
  expect(answer.message).toMatch(/^Proposed\./)
  expect((await findPaymentChain(ctx)).id).toBe(31337)
  const [row] = await ctx.db.select().from(protectedChanges)
  await approveChange(ctx, createActor(ids.bob), row?.id ?? '')
  fixture.clock.advance(24 * HOUR_MS)
  await applyDueChanges(ctx)
  expect((await findPaymentChain(ctx)).id).toBe(137)
})

test.each([
  ['an unsupported chain', { kind: 'chain', chainId: 99_999, reason: 'x' }, 'chain_unsupported'],
  ['the current chain', { kind: 'chain', chainId: 31337, reason: 'x' }, 'chain_unchanged'],
  ['the current treasury', { ...treasuryRequest, address: testTreasury }, 'value_unchanged'],
  ['a mistyped address', { ...treasuryRequest, address: `0x${'aB'.repeat(20)}` }, 'malformed'],
] as const)('two admins: %s cannot be proposed', async (_name, request, code) => {
  await expect(propose(request)).rejects.toMatchObject({ code })
  expect(await listOutcomes()).toEqual([])
})

test('two admins: nothing can be proposed while the two-admin rule is off, which is the default', async () => {
  await expect(proposeChange(fixture.box.ctx, createActor(ids.ada), treasuryRequest)).rejects.toMatchObject({
    code: 'two_admins_off',
  })
})

test('two admins: proposals are not public, approved changes are', async () => {
  const { id } = await propose()
  const listAnnounced = () => listAnnouncedChanges(ctx, fixture.ask(ids.ada))
  expect(await listAnnounced()).toEqual([])
  await approveChange(ctx, createActor(ids.bob), id)
  const [announcedChange] = await listAnnounced()
  expect(announcedChange).toMatchObject({ kind: 'treasury', from: testTreasury, to: OTHER_TREASURY, outcome: null })
  expect(JSON.stringify(announcedChange)).not.toMatch(new RegExp(`${ids.ada}|${ids.bob}|A new safe`))
  await cancelChange(ctx, createActor(ids.bob), id)
  expect(await listAnnounced()).toEqual([])
})

test('environment: the treasury is adopted at the first start, and the approved treasury is kept when the setting changes later', async () => {
  await ctx.db.delete(settings)
  expect((await applyApprovedValues(ctx)).config.payment.treasury).toBe(testTreasury)
  const createChangedCtx = (address: string) => {
    const payment = { ...ctx.config.payment, treasury: address as typeof ctx.config.payment.treasury }
    const otherPaymentChains = [{ ...payment, chainId: 137 }]
    return { ...ctx, config: { ...ctx.config, payment, otherPaymentChains } }
  }
  const started = await applyApprovedValues(createChangedCtx(OTHER_TREASURY))
  expect(started.config.payment.treasury).toBe(testTreasury)
  expect(started.config.otherPaymentChains, 'a chain whose treasury no one approved').toEqual([])
  const { id } = await propose()
  await approveChange(ctx, createActor(ids.bob), id)
  fixture.clock.advance(24 * HOUR_MS)
  await applyDueChanges(ctx)
  expect((await applyApprovedValues(createChangedCtx(OTHER_TREASURY))).config.payment.treasury).toBe(OTHER_TREASURY)
  const otherChainCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, chainId: 10 } } }
  await expect(applyApprovedValues(otherChainCtx)).rejects.toThrow('chain 10')
})

test('environment: switching the two-admin rule on or off is audited and emailed to all admins', async () => {
  await applyApprovedValues(fixture.box.ctx)
  expect((await fixture.audited()).at(-1)?.[0]).toBe('two_admins_disabled')
  expect(fixture.box.mails.map(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com'])
  await applyApprovedValues(ctx)
  expect((await fixture.audited()).at(-1)?.[0]).toBe('two_admins_enabled')
  expect(await findTreasury(), 'the approved value is kept').toBe(testTreasury)
})

test('environment: switching the two-admin rule off ends all open changes, including approved ones', async () => {
  const { id } = await propose({ kind: 'chain', chainId: 137, reason: 'Cheaper' })
  await approveChange(ctx, createActor(ids.bob), id)
  await propose()
  const withoutRule = await applyApprovedValues(fixture.box.ctx)
  await applyDueChanges(withoutRule)
  expect(await listOutcomes()).toEqual(['void', 'void'])
  fixture.clock.advance(24 * HOUR_MS)
  await applyDueChanges(withoutRule)
  expect((await findPaymentChain(ctx)).id).toBe(31337)
})

test('signer: only the approved key may become the signer', async () => {
  await expect(assertSignerApproved(ctx, ctx.db, THIRD_TREASURY)).rejects.toMatchObject({ code: 'change_not_approved' })
  const { id } = await propose({ kind: 'signer', address: THIRD_TREASURY, reason: 'Rotation' })
  await approveChange(ctx, createActor(ids.bob), id)
  await expect(assertSignerApproved(ctx, ctx.db, THIRD_TREASURY)).rejects.toMatchObject({ code: 'change_not_approved' })
  fixture.clock.advance(24 * HOUR_MS)
  await applyDueChanges(ctx)
  await expect(assertSignerApproved(ctx, ctx.db, THIRD_TREASURY)).resolves.toBeUndefined()
  await expect(
    assertSignerApproved(fixture.box.ctx, ctx.db, OTHER_TREASURY),
    'without the rule',
  ).resolves.toBeUndefined()
})

test('break-glass: sets the value immediately, ends the open change, and notifies admins and the public', async () => {
  await propose()
  fixture.box.mails.length = 0
  await forceChange(ctx, { kind: 'treasury', chainId: 31337, toValue: THIRD_TREASURY, reason: 'One admin is ill' })
  expect(await findTreasury()).toBe(THIRD_TREASURY)
  expect((await listOutcomes()).sort()).toEqual(['forced', 'void'])
  expect(await listAnnouncedChanges(ctx, fixture.ask(ids.ada))).toMatchObject([
    { to: THIRD_TREASURY, outcome: 'forced' },
  ])
  expect(fixture.box.mails.map(({ subject }) => subject)).toContain(
    'A change of the treasury was made on the server without approval',
  )
  expect((await fixture.audited()).at(-1)).toEqual(['change_forced', 'treasury:31337', 'One admin is ill'])
})
