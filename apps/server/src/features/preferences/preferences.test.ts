import { defaultPreferences, type Preferences, type PreferencesChange } from '@tocsin/protocol'
import { createTestContext, startTestSession, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { accounts, activities, preferences } from '../../db/schema/accounts.ts'
import { changePreferences, describeChange } from './preferences.ts'
import { savePreferences } from './service.ts'
import { findPreferences } from './store.ts'

describe('a preferences change', () => {
  it.each<PreferencesChange>([{}, { sound: undefined }, { sound: false, realTimeAlerts: true }, defaultPreferences])(
    'without effect returns the same object: %j',
    (change) => {
      expect(changePreferences(defaultPreferences, change)).toBe(defaultPreferences)
    },
  )

  it.each<[PreferencesChange, string]>([
    [{ sound: true }, 'Sound on'],
    [{ realTimeAlerts: false, highPriorityOnly: true }, 'Real-time alerts off, High priority only on'],
    [{ sound: true, soundFrom: 'critical', soundVolume: 5 }, 'Sound on, Sound from critical priority, Volume 5%'],
    [{ timeZone: 'UTC', hourCycle: '12' }, 'Times in UTC, 12-hour clock'],
    [{ watchlist: ['BTC/USDT'] }, 'Watching BTC/USDT'],
    [{ watchlist: ['BTC/USDT', 'ETH'] }, 'Watchlist of 2 assets'],
    [{ density: 'compact', shortcuts: false }, 'Keyboard shortcuts off, Rows compact'],
  ])('to %j is described as: %s', (change, words) => {
    const changedPreferences = changePreferences(defaultPreferences, change)
    expect(describeChange(defaultPreferences, changedPreferences)).toBe(words)
    expect(changedPreferences).toEqual({ ...defaultPreferences, ...change })
  })

  it.each([
    [['A', 'B'], ['A'], 'No longer watching B'],
    [['A'], ['B'], 'Watchlist of 1 asset'],
    [['A', 'B'], ['B', 'A'], 'Watchlist of 2 assets'],
    [['A', 'B'], [], 'Watchlist of 0 assets'],
  ])('of the watchlist from %j to %j is described as: %s', (before, after, words) => {
    const createPreferences = (watchlist: string[]) => ({ ...defaultPreferences, watchlist })
    expect(describeChange(createPreferences(before), createPreferences(after))).toBe(words)
  })

  it('has a description, whichever preference it changes', () => {
    const otherPreferences: Preferences = {
      realTimeAlerts: false,
      autoVerify: false,
      highPriorityOnly: true,
      outcomeToasts: true,
      browserNotifications: true,
      pushContent: false,
      sound: true,
      soundFrom: 'low',
      soundVolume: 1,
      shortcuts: false,
      density: 'compact',
      timeZone: 'Asia/Tokyo',
      hourCycle: '12',
      watchlist: ['BTC/USDT'],
    }
    for (const [name, value] of Object.entries(otherPreferences)) {
      expect(describeChange(defaultPreferences, { ...defaultPreferences, [name]: value }), name).not.toBe('')
    }
  })
})

describe('stored preferences', () => {
  const database = useTestDatabase()
  let context: TestContext
  beforeAll(async () => {
    context = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  })
  afterAll(() => context?.close())

  async function createActor(): Promise<{ accountId: string; sessionId: string }> {
    const { db, clock } = context.ctx
    const [row] = await db.insert(accounts).values({ name: 'Ann', createdAt: clock.now() }).returning()
    return startTestSession(context.ctx, row?.id ?? '')
  }
  const readHistory = async (accountId: string) => {
    const rows = await context.ctx.db.select().from(activities).where(eq(activities.accountId, accountId))
    return rows.map(({ kind, detail }) => `${kind}: ${detail}`)
  }

  test('are the defaults for a new account, and reading writes nothing', async () => {
    const { accountId } = await createActor()
    expect(await findPreferences(context.ctx.db, accountId)).toEqual(defaultPreferences)
    expect(await context.ctx.db.$count(preferences, eq(preferences.accountId, accountId))).toBe(0)
  })

  test('persist, belong to one account and are logged once per change', async () => {
    const [actor, { accountId: otherId }] = [await createActor(), await createActor()]
    const { accountId } = actor
    const change = { highPriorityOnly: true, soundVolume: 0 }
    const savedPreferences = await savePreferences(context.ctx, actor, change)
    expect(savedPreferences).toEqual({ ...defaultPreferences, ...change })
    expect(await savePreferences(context.ctx, actor, change)).toEqual(savedPreferences)
    expect(await findPreferences(context.ctx.db, accountId)).toEqual(savedPreferences)
    expect(await findPreferences(context.ctx.db, otherId)).toEqual(defaultPreferences)
    expect(await readHistory(accountId)).toEqual(['settings_changed: High priority only on, Volume 0%'])
    expect(await readHistory(otherId)).toEqual([])
  })

  test('contain all concurrent changes, even if these are the first changes of an account', async () => {
    const actor = await createActor()
    const { accountId } = actor
    await Promise.all([
      savePreferences(context.ctx, actor, { sound: true }),
      savePreferences(context.ctx, actor, { density: 'compact' }),
      savePreferences(context.ctx, actor, { timeZone: 'Europe/Berlin' }),
    ])
    const expected = { ...defaultPreferences, sound: true, density: 'compact', timeZone: 'Europe/Berlin' }
    expect(await findPreferences(context.ctx.db, accountId)).toEqual(expected)
    expect(await context.ctx.db.$count(preferences, eq(preferences.accountId, accountId))).toBe(1)
  })

  test('are deleted with the account', async () => {
    const actor = await createActor()
    const { accountId } = actor
    await savePreferences(context.ctx, actor, { sound: true })
    await context.ctx.db.delete(accounts).where(eq(accounts.id, accountId))
    expect(await context.ctx.db.$count(preferences, eq(preferences.accountId, accountId))).toBe(0)
  })
})
