import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordActivity } from '../src/activity-log.ts'
import type { Tx } from '../src/db/database.ts'
import { accountFigures, accounts, credentialLimits, sessions } from '../src/db/schema/accounts.ts'
import { isDatabaseBusy } from '../src/db/unavailable.ts'
import { deleteExpiredAccountData } from '../src/features/accounts/service.ts'
import { lockAccount, lockAccountByEmail, tryLockAccounts } from '../src/features/sessions/account-store.ts'
import { lockLimit } from '../src/features/sessions/limit-store.ts'
import { findActors, lockNamedAccount } from '../src/features/sessions/service.ts'
import { findSession, lockSession } from '../src/features/sessions/store.ts'

const database = useTestDatabase()
let box: TestContext
beforeAll(async () => {
  box = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
})
afterAll(() => box?.close())

async function addAccount(): Promise<{ id: string; email: string }> {
  const email = `${crypto.randomUUID()}@example.com`
  const values = { name: 'Anna', email, createdAt: box.ctx.clock.now() }
  const [added] = await box.ctx.db.insert(accounts).values(values).returning({ id: accounts.id })
  if (!added) throw new Error('No account')
  return { ...added, email }
}

type Lock = (tx: Tx, account: { id: string; email: string }) => Promise<unknown>

test.each<[string, Lock]>([
  ['an account', (tx, { id }) => lockAccount(tx, id)],
  ['an account by its email address', (tx, { email }) => lockAccountByEmail(tx, email)],
  ['a user in the admin area', (tx, { id }) => lockNamedAccount(tx, id)],
])('account locks: two transactions that both reference and then lock %s do not deadlock', async (_, lock) => {
  const account = await addAccount()
  let writeCount = 0
  let tellBoth = () => {}
  const bothHaveWritten = new Promise<void>((resolve) => {
    tellBoth = resolve
  })
  const recordAndLock = () =>
    box.ctx.db.transaction(async (tx) => {
      const at = box.ctx.clock.now()
      await recordActivity(tx, { accountId: account.id, kind: 'name_changed', detail: 'Now Anna', at })
      writeCount += 1
      if (writeCount === 2) tellBoth()
      await bothHaveWritten
      return lock(tx, account)
    })
  const outcomes = await Promise.allSettled([recordAndLock(), recordAndLock()])
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
})

test('account locks: tryLockAccounts locks only the accounts that are not locked, and does not wait for the others', async () => {
  const [anna, bert] = [await addAccount(), await addAccount()]
  await box.ctx.db.transaction(async (otherTx) => {
    await lockAccount(otherTx, anna.id)
    const ids = [anna.id, bert.id, crypto.randomUUID()]
    const lockedIds = await box.ctx.db.transaction((tx) => tryLockAccounts(tx, ids))
    expect([...lockedIds]).toEqual([bert.id])
  })
  expect(await tryLockAccounts(box.ctx.db, [])).toEqual(new Set())
})

test('deadlock: ends one of two transactions with an error that is answered like a busy database', async () => {
  const [anna, bert] = [await addAccount(), await addAccount()]
  let lockCount = 0
  let tellBoth = () => {}
  const bothHaveLocked = new Promise<void>((resolve) => {
    tellBoth = resolve
  })
  const lockInOrder = (...accountIds: string[]) =>
    box.ctx.db.transaction(async (tx) => {
      for (const id of accountIds) {
        await lockAccount(tx, id)
        lockCount += 1
        if (lockCount === 2) tellBoth()
        await bothHaveLocked
      }
    })
  const outcomes = await Promise.allSettled([lockInOrder(anna.id, bert.id), lockInOrder(bert.id, anna.id)])
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(errors.map(isDatabaseBusy)).toEqual([true])
})

test('expired rate limits: are deleted without waiting for those that a request has locked', async () => {
  const { db, clock } = box.ctx
  const endedLimit = { tries: 1, windowEndsAt: new Date(clock.now().getTime() - 1), blockedUntil: new Date(0) }
  for (const subject of ['locked', 'free']) await lockLimit(db, subject, endedLimit)
  const listSubjects = async () => (await db.select().from(credentialLimits)).map(({ subject }) => subject)
  await db.transaction(async (otherTx) => {
    await lockLimit(otherTx, 'locked', endedLimit)
    await deleteExpiredAccountData(box.ctx)
    expect(await listSubjects()).toEqual(['locked'])
  })
  await deleteExpiredAccountData(box.ctx)
  expect(await listSubjects()).toEqual([])
})

test('session activity: is stored only for sessions whose rows are not locked, without waiting for the locked rows', async () => {
  const { db, clock } = box.ctx
  const lastSeenAt = new Date(clock.now().getTime() - 2 * MINUTE_MS)
  const addSession = async () => {
    const { id: accountId } = await addAccount()
    const times = { createdAt: lastSeenAt, lastSeenAt, expiresAt: new Date(lastSeenAt.getTime() + HOUR_MS) }
    const values = { idHash: crypto.randomUUID(), accountId, remembered: true, userAgent: '', ...times }
    const [added] = await db.insert(sessions).values(values).returning()
    if (!added) throw new Error('No session')
    return added
  }
  const [lockedSession, countedSession, freeSession] = [await addSession(), await addSession(), await addSession()]
  const allSessions = [lockedSession, countedSession, freeSession]
  const isSeen = async ({ id }: { id: string }) => {
    const found = await findSession(db, { id })
    return found !== undefined && found.session.lastSeenAt > lastSeenAt
  }
  await db.transaction(async (otherTx) => {
    await lockSession(otherTx, lockedSession.id)
    await otherTx
      .select()
      .from(accountFigures)
      .where(eq(accountFigures.accountId, countedSession.accountId))
      .for('update')
    expect((await findActors(box.ctx, allSessions)).map((actor) => actor?.sessionId)).toEqual(
      allSessions.map(({ id }) => id),
    )
    expect(await Promise.all(allSessions.map(isSeen))).toEqual([false, false, true])
  })
  await findActors(box.ctx, allSessions)
  expect(await Promise.all(allSessions.map(isSeen))).toEqual([true, true, true])
})
