import { listPermissions, type Role, adminStats as statsShape, systemStatus as statusShape } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts } from '../../db/schema/accounts.ts'
import { payments } from '../../db/schema/payments.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import type { Input } from '../../http/route.ts'
import type { AlertFigures } from '../alerts/figures.ts'
import { computeAnchorsLeft } from './anchor-wallet.ts'
import { adminStats, type Measurements, systemStatus } from './routes.ts'

const postgres = useTestDatabase()
let context: TestContext
let clock: FakeClock

beforeAll(async () => {
  clock = fakeClock()
  const config = testConfig({ databaseUrl: await postgres.createDatabase(), anchor: { chainId: 43114 } })
  context = await createTestContext(config, clock)
})
afterAll(() => context.close())

const emptyFigures: AlertFigures = {
  total: 0,
  critical: 0,
  last24Hours: 0,
  criticalLast24Hours: 0,
  averageConfidence: null,
  medianToAnchorMs: null,
}
const someFigures = {
  ...emptyFigures,
  total: 9,
  critical: 2,
  averageConfidence: 84.74,
  last24Hours: 3,
  medianToAnchorMs: 3_100,
}
const unknownId = '00000000-0000-4000-8000-000000000000'
// The cast is safe, because the handlers read only the actor.
const getRequest = (accountId: string, role: Role = 'user') =>
  ({ actor: { accountId, permissions: listPermissions(role) } }) as unknown as Input<never>

let subscriptionCount = 0

async function addSubscription(accountId: string, fromHours: number, toHours: number, end: object = {}): Promise<void> {
  subscriptionCount += 1
  const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS)
  const transfer = {
    chainId: 1,
    txHash: `0x${subscriptionCount}` as const,
    logIndex: 0,
    blockNumber: 1,
    blockHash: '0x',
    token: '0x',
  } as const
  const [payment] = await context.ctx.db
    .insert(payments)
    .values({
      ...transfer,
      payer: '0x',
      amountWei: 1n,
      accountId,
      planId: '6h',
      blockAt: inHours(0),
      createdAt: inHours(0),
    })
    .returning()
  const paymentId = payment?.id ?? ''
  const period = { startsAt: inHours(fromHours), endsAt: inHours(toHours), createdAt: inHours(0), ...end }
  await context.ctx.db.insert(subscriptions).values({ accountId, paymentId, planId: '6h', ...period })
}

async function addAccount(name: string): Promise<string> {
  const [account] = await context.ctx.db.insert(accounts).values({ name, createdAt: clock.now() }).returning()
  return account?.id ?? ''
}

describe('adminStats', () => {
  it('counts each account with a running subscription once', async () => {
    const [past, future, cancelled, revoked, active, twice] = await Promise.all(
      ['past', 'future', 'cancelled', 'revoked', 'active', 'twice'].map(addAccount),
    )
    await addSubscription(past ?? '', -2, 0)
    await addSubscription(future ?? '', 1, 2)
    await addSubscription(cancelled ?? '', -1, 1, { cancelledAt: clock.now() })
    await addSubscription(revoked ?? '', -1, 1, { revokedAt: clock.now() })
    await addSubscription(active ?? '', 0, 1)
    await addSubscription(twice ?? '', -1, 1)
    await addSubscription(twice ?? '', -1, 2)
    const stats = await adminStats(context.ctx, getRequest(unknownId, 'admin'), async () => someFigures)
    expect(statsShape.parse(stats)).toEqual({
      totalAlerts: 9,
      criticalAlerts: 2,
      activeUsers: 2,
      averageConfidence: 84.74,
    })
  })

  it.each([
    ['owner', 'all'],
    ['publisher', 'all'],
    ['auditor', 'all'],
    ['support', 'public'],
  ] as const)('covers for the role %s only the alerts that the role may read', async (role, coverage) => {
    const coverages: string[] = []
    await adminStats(context.ctx, getRequest(unknownId, role), async (_ctx, of) => {
      coverages.push(of)
      return someFigures
    })
    expect(coverages).toEqual([coverage])
  })
})

describe('computeAnchorsLeft: estimates the anchors left', () => {
  const cost = 90_000n * 25n
  it.each([
    ['a balance just below 20 anchors', cost * 20n - 1n, 25n, { anchorsLeft: 19, isLow: true }],
    ['a balance for 20 anchors', cost * 20n, 25n, { anchorsLeft: 20, isLow: false }],
    ['an empty balance', 0n, 25n, { anchorsLeft: 0, isLow: true }],
    ['a balance for more than 1,000,000 anchors', 10n ** 30n, 1n, { anchorsLeft: 1_000_000, isLow: false }],
    ['a gas price of zero', 0n, 0n, { anchorsLeft: null, isLow: false }],
  ])('with %s', (_name, balance, gasPrice, expectedProblem) => {
    expect(computeAnchorsLeft(balance, gasPrice)).toEqual({ balanceWei: balance.toString(), ...expectedProblem })
  })
})

describe('systemStatus', () => {
  const feed = { state: 'off', signalsReceived: 0, signalsRefused: 0, lastSignalAt: null } as const
  const measurements: Measurements = {
    startedAt: new Date('2026-01-15T11:00:00.000Z'),
    countListening: async () => 4,
    feedStatus: async () => feed,
    alertFigures: async () => emptyFigures,
    anchorState: async () => ({ state: 'current', reason: null, lastAnchoredAt: null }),
  }

  it('returns null for the average confidence and the success rate when there are no measurements', async () => {
    const status = statusShape.parse(await systemStatus(context.ctx, getRequest('admin', 'admin'), measurements))
    expect(status.measured).toEqual({
      averageConfidence: null,
      confidenceSample: 0,
      successRate: null,
      successSample: 0,
      successInterval: null,
    })
    expect(status).toMatchObject({ feed, anchor: { chainName: 'Avalanche C-Chain', lastAnchoredAt: null } })
  })

  it('returns the measurements', async () => {
    const lastAnchoredAt = new Date('2026-01-15T11:59:57.000Z')
    const status = await systemStatus(context.ctx, getRequest('admin', 'admin'), {
      ...measurements,
      alertFigures: async () => someFigures,
      anchorState: async () => ({ state: 'delayed', reason: 'the chain is away', lastAnchoredAt }),
    })
    expect(statusShape.parse(status)).toMatchObject({
      startedAt: '2026-01-15T11:00:00.000Z',
      stream: { connected: 4 },
      anchor: { state: 'delayed', lastAnchoredAt: '2026-01-15T11:59:57.000Z' },
      alerts: { total: 9, last24Hours: 3, criticalLast24Hours: 0, medianToAnchorMs: 3_100 },
      measured: { averageConfidence: 84.74, confidenceSample: 9 },
    })
  })

  it('returns the strict rate of the public record with its interval, in percent', async () => {
    const overall = { strict: { n: 8, count: 2, rate: 0.25 }, interval: [0.125, 0.5] }
    const trackRecords = { find: async () => null, peek: () => ({ overall }) as never }
    const status = await systemStatus(context.ctx, getRequest('admin', 'admin'), { ...measurements, trackRecords })
    expect(statusShape.parse(status).measured).toMatchObject({
      successRate: 25,
      successSample: 8,
      successInterval: [12.5, 50],
    })
  })

  it.each([
    ['an admin', 'admin', 'all', { signalsReceived: 7, signalsRefused: 1, lastSignalAt: 'then' }],
    ['a subscriber', 'user', 'subscribed', { signalsReceived: 7, signalsRefused: 1, lastSignalAt: 'then' }],
    [
      'an account without a subscription',
      'user',
      'public',
      { signalsReceived: null, signalsRefused: null, lastSignalAt: null },
    ],
  ] as const)('covers for %s only the alerts the caller may read', async (_name, role, coverage, counters) => {
    const accountId = await addAccount('reader')
    if (coverage === 'subscribed') await addSubscription(accountId, -1, 1)
    const coverages: string[] = []
    const status = await systemStatus(context.ctx, getRequest(accountId, role), {
      ...measurements,
      feedStatus: async () => ({ state: 'connected', signalsReceived: 7, signalsRefused: 1, lastSignalAt: 'then' }),
      alertFigures: async (_ctx, of) => {
        coverages.push(of)
        return someFigures
      },
    })
    expect(coverages).toEqual([coverage])
    expect(status).toMatchObject({ coverage, feed: { state: 'connected', ...counters } })
  })
})
