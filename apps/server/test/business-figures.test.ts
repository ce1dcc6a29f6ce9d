import { planIds, priorities } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import type { TestContext } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountFigures, accounts, sessions } from '../src/db/schema/accounts.ts'
import { alertReadMarks, alertReads, alerts, deliveries, streamReach } from '../src/db/schema/alerts.ts'
import { channelDeliveries, destinations } from '../src/db/schema/channels.ts'
import { logEntries } from '../src/db/schema/log.ts'
import { paymentDays, payments } from '../src/db/schema/payments.ts'
import { dailyCounts } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { mergePaymentDays } from '../src/features/business/revenue-store.ts'
import * as business from '../src/features/business/routes.ts'
import { ago as at, createBusiness, createInput, createTransfer, ITO, NOW } from './business-fixture.ts'

// Compares every figure of the business page, on random rows, with a computation in plain
// JavaScript.

const WEEK_MS = 7 * DAY_MS
const NOW_MS = NOW.getTime()
const ACCOUNT_COUNT = 60

const database = useTestDatabase()
let box: TestContext

/** Creates a random generator with a fixed seed, so that a failure can be reproduced. */
function createRandom(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state * 48271) % 2147483647
    return state % limit
  }
  return { below, chance: (percent: number) => below(100) < percent, ago: (days: number) => at(below(days * DAY_MS)) }
}
type Random = ReturnType<typeof createRandom>

const hex = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const
const pick = <T>({ below }: Random, all: readonly T[]) => all[below(all.length)] as T
const getDay = (time: Date) => time.toISOString().slice(0, 10)
const getMonday = (time: Date) => {
  const midnight = Date.parse(getDay(time))
  return getDay(new Date(midnight - ((new Date(midnight).getUTCDay() + 6) % 7) * DAY_MS))
}
const countBy = <T>(all: readonly T[], matches: (one: T) => boolean) => all.filter(matches).length
const sumAmounts = (all: readonly { amountWei: bigint }[]) => all.reduce((sum, { amountWei }) => sum + amountWei, 0n)
/** Interpolates linearly between the nearest ranks, as percentile_cont does. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return low === undefined || high === undefined ? null : low + (high - low) * (rank % 1)
}
const getLatencies = (seconds: readonly number[]) => {
  const closeToPercentile = (share: number) => {
    const value = percentile(seconds, share)
    return value === null ? null : expect.closeTo(value, 6)
  }
  return {
    p50Seconds: closeToPercentile(0.5),
    p95Seconds: closeToPercentile(0.95),
    p99Seconds: closeToPercentile(0.99),
  }
}

async function fillDatabase(random: Random) {
  const { db } = box.ctx
  const people = await db
    .insert(accounts)
    .values(
      Array.from({ length: ACCOUNT_COUNT }, (_, n) => ({
        name: `User ${n}`,
        email: `user${n}@example.com`,
        createdAt: random.ago(60),
      })),
    )
    .returning()
  await db.insert(wallets).values(
    people
      .filter(() => random.chance(70))
      .flatMap(({ id }, n) =>
        [0, 1].slice(random.below(2)).map((walletNumber) => ({
          address: `${hex(n * 2 + walletNumber)}`,
          chainId: 0,
          accountId: id,
          linkedAt: random.ago(60),
        })),
      ),
  )
  await db.insert(sessions).values(
    people
      .filter(() => random.chance(80))
      .map(({ id }, n) => {
        const lastSeenAt = random.ago(3)
        const times = { createdAt: at(60 * DAY_MS), lastSeenAt, expiresAt: at(-DAY_MS) }
        return { idHash: `session ${n}`, accountId: id, remembered: true, userAgent: 'Firefox', ...times }
      }),
  )
  const paid = await db
    .insert(payments)
    .values(
      Array.from({ length: 500 }, () => {
        const blockAt = random.ago(70)
        const chainId = pick(random, [1, 137, 31337])
        const amountWei = BigInt(random.below(90)) * ITO + BigInt(random.below(1e9))
        return {
          ...createTransfer({ blockAt, chainId, amountWei }),
          createdAt: blockAt,
          accountId: random.chance(95) ? pick(random, people).id : null,
          planId: pick(random, planIds),
          priceWei: 10n * ITO,
          revertedAt: random.chance(5) ? at(0) : null,
        }
      }),
    )
    .returning()
  const hours = { '6h': 6, '24h': 24, '3d': 72 }
  await db.insert(subscriptions).values(
    paid.flatMap(({ id, accountId, planId, blockAt, revertedAt }) => {
      if (accountId === null || planId === null) return []
      // Some periods start later, because they wait for the end of an earlier plan.
      const startsAt = new Date(blockAt.getTime() + (random.chance(20) ? random.below(2 * DAY_MS) : 0))
      const endsAt = new Date(startsAt.getTime() + hours[planId] * HOUR_MS)
      const cancelledAt = random.chance(5) ? new Date(startsAt.getTime() + HOUR_MS) : null
      return {
        accountId,
        paymentId: id,
        planId,
        startsAt,
        endsAt,
        cancelledAt,
        revokedAt: revertedAt,
        createdAt: blockAt,
      }
    }),
  )
  await db.insert(dailyCounts).values(
    Array.from({ length: 60 }, (_, n) => getDay(at(n * DAY_MS))).flatMap((day) => [
      { day, name: 'landing_visits' as const, count: random.below(500) },
      { day, name: 'sign_ups' as const, count: random.below(50) },
    ]),
  )
  await fillAlerts(random, people)
}

async function fillAlerts(random: Random, accounts: readonly { id: string }[]) {
  const { db } = box.ctx
  const entries = Array.from({ length: 300 }, (_, index) => ({
    index,
    createdAt: at((300 - index) * 50 * 60_000 - random.below(40 * 60_000)),
  }))
  const emptyHash = Buffer.alloc(32)
  await db.insert(logEntries).values(
    entries.map(({ index, createdAt }) => ({
      index,
      leafHash: emptyHash,
      bytes: emptyHash,
      signature: '',
      appendedAt: createdAt,
    })),
  )
  const issuedAlerts = await db
    .insert(alerts)
    .values(
      entries.map(({ index, createdAt }) => ({
        ...{ id: `alert-${index}`, logIndex: index, asset: 'BTC/USDT', confidence: 50, regime: '', summary: '' },
        ...{ origin: 'admin' as const, signer: '0x', createdAt, broadcastAt: random.chance(95) ? createdAt : null },
        kind: random.chance(95) ? ('alert' as const) : ('correction' as const),
        priority: pick(random, priorities),
        anomalyType: pick(random, ['Volume spike', 'Depeg', 'Spread']),
      })),
    )
    .returning()
  await db.insert(deliveries).values(issuedAlerts.map(({ logIndex, createdAt }) => ({ logIndex, at: createdAt })))
  const sentDeliveries = await db.select().from(deliveries)
  const destinationRows = await db
    .insert(destinations)
    .values(
      accounts
        .filter(() => random.chance(60))
        .map(({ id }) => ({
          ...{
            accountId: id,
            kind: pick(random, ['webhook', 'telegram', 'email'] as const),
            name: '',
            host: '',
            sealed: '',
          },
          ...{ state: 'on' as const, createdAt: at(60 * DAY_MS) },
        })),
    )
    .returning()
  const newestDeliveries = sentDeliveries.slice(-6)
  await db.insert(channelDeliveries).values(
    newestDeliveries.flatMap(({ logIndex, seq, at: sentAt }) =>
      destinationRows.map((place) => {
        const state = pick(random, ['delivered', 'delivered', 'delivered', 'dead', 'skipped', 'waiting'] as const)
        const deliveredAt = state === 'delivered' ? new Date(sentAt.getTime() + random.below(9_000)) : null
        const reasons = {
          dead: ['Returned 502', 'Gone'],
          skipped: ['Rule', 'No active plan'],
          delivered: [''],
          waiting: [''],
        }
        const reason = pick(random, reasons[state])
        return {
          destinationId: place.id,
          logIndex,
          seq,
          rank: 0,
          state,
          reason,
          createdAt: sentAt,
          nextAt: sentAt,
          deliveredAt,
        }
      }),
    ),
  )
  const pickAccounts = () => accounts.filter(() => random.chance(30))
  for (const { logIndex, at: sentAt } of newestDeliveries) {
    const alertId = `alert-${logIndex}`
    const createLaterTime = () => new Date(sentAt.getTime() + random.below(HOUR_MS))
    const reads = pickAccounts().map(({ id }) => ({
      ...{ accountId: id, alertId, readAt: createLaterTime() },
      verifiedAt: random.chance(40) ? createLaterTime() : null,
    }))
    await db.insert(alertReads).values(reads)
    const rows = pickAccounts().map(({ id }) => ({ logIndex, accountId: id, at: sentAt, tookMs: random.below(300) }))
    await db.insert(streamReach).values(rows)
  }
  const marks = pickAccounts().map(({ id }) => ({
    accountId: id,
    upToIndex: 290 + random.below(10),
    at: random.ago(1),
  }))
  await db.insert(alertReadMarks).values(marks)
}

/** Reads the stored rows without any condition. */
async function readRows() {
  const { db } = box.ctx
  const [paid, plans, people, linked, counts, issued, reads, marks, streamed, ledger, places, sent, seen] =
    await Promise.all([
      db.select().from(payments),
      db.select().from(subscriptions),
      db.select().from(accounts),
      db.select().from(wallets),
      db.select().from(dailyCounts),
      db.select().from(alerts),
      db.select().from(alertReads),
      db.select().from(alertReadMarks),
      db.select().from(streamReach),
      db.select().from(channelDeliveries),
      db.select().from(destinations),
      db.select().from(deliveries),
      db.select().from(sessions),
    ])
  return { paid, plans, people, linked, counts, issued, reads, marks, streamed, ledger, places, sent, seen }
}
type Rows = Awaited<ReturnType<typeof readRows>>

describe.each([7, 2026, 424_242])('seed %i', (seed) => {
  let storedRows: Rows

  beforeAll(async () => {
    box = await createBusiness(database)
    await fillDatabase(createRandom(seed))
    storedRows = await readRows()
  })
  afterAll(() => box?.close())

  test('business figures: revenue equals a recomputation from the rows', async () => {
    const { paid } = storedRows
    const found = await business.businessRevenue(box.ctx, createInput<'businessRevenue'>())
    const validPayments = paid.filter(({ revertedAt }) => revertedAt === null)
    const midnight = Date.parse('2026-11-18T00:00:00.000Z')
    const sumBetween = (from: number, to: number) => {
      const paymentsInside = validPayments.filter(({ blockAt }) => blockAt.getTime() >= from && blockAt.getTime() < to)
      return { count: paymentsInside.length, sumWei: String(sumAmounts(paymentsInside)) }
    }
    expect(found).toMatchObject({
      yesterday: sumBetween(midnight - DAY_MS, midnight),
      today: sumBetween(midnight, NOW_MS),
      last7: sumBetween(NOW_MS - WEEK_MS, NOW_MS),
      before7: sumBetween(NOW_MS - 2 * WEEK_MS, NOW_MS - WEEK_MS),
      last30: sumBetween(NOW_MS - 30 * DAY_MS, NOW_MS),
      before30: sumBetween(NOW_MS - 60 * DAY_MS, NOW_MS - 30 * DAY_MS),
      allTime: sumBetween(0, NOW_MS),
    })
    const byPart = new Map<string, typeof validPayments>()
    for (const row of validPayments) {
      const key = [getDay(row.blockAt), row.planId, row.chainId].join()
      byPart.set(key, [...(byPart.get(key) ?? []), row])
    }
    const expected = [...byPart]
      .filter(([key]) => key >= '2026-10-20')
      .map(([key, rows]) => [key, rows.length, String(sumAmounts(rows))])
    const parts = found.days.flatMap(({ day, parts: of }) =>
      of.map(({ planType, chainId, count, sumWei }) => [[day, planType, chainId].join(), count, sumWei]),
    )
    expect(parts.sort()).toEqual(expected.sort())
  })

  test('business figures: funnel, cohorts and churn equal a recomputation from the rows', async () => {
    const { paid, plans, people: accounts, linked, counts } = storedRows
    const found = await business.businessCustomers(box.ctx)
    const validPayments = paid.filter(({ revertedAt, accountId }) => revertedAt === null && accountId !== null)
    const paymentsOf = new Map<string, Date[]>()
    for (const { accountId, blockAt } of [...validPayments].sort((a, b) => a.blockAt.getTime() - b.blockAt.getTime())) {
      paymentsOf.set(accountId ?? '', [...(paymentsOf.get(accountId ?? '') ?? []), blockAt])
    }
    const buyers = [...paymentsOf.values()]
    const sumCounts = (name: string, week: string) =>
      counts.reduce(
        (sum, row) => (row.name === name && getMonday(new Date(row.day)) === week ? sum + row.count : sum),
        0,
      )
    const firstLinks = accounts.flatMap(({ id }) => {
      const times = linked.flatMap(({ accountId, linkedAt }) => (accountId === id ? [linkedAt.getTime()] : []))
      return times.length > 0 ? [new Date(Math.min(...times))] : []
    })
    const weeks = Array.from({ length: 6 }, (_, n) => getMonday(at(n * WEEK_MS)))
    expect(found.weeks).toEqual(
      weeks.map((week) => ({
        week,
        visits: sumCounts('landing_visits', week),
        signUps: sumCounts('sign_ups', week),
        verified: countBy(accounts, ({ createdAt }) => getMonday(createdAt) === week),
        walletProved: countBy(firstLinks, (time) => getMonday(time) === week),
        firstPurchase: countBy(buyers, ([first]) => first !== undefined && getMonday(first) === week),
        boughtAgain: countBy(buyers, ([, ...later]) => later.some((time) => getMonday(time) === week)),
        paying: countBy(buyers, (times) => times.some((time) => getMonday(time) === week)),
      })),
    )
    expect(found.cohorts).toEqual(
      weeks.map((week, age) => {
        const cohort = buyers.filter(([first]) => first !== undefined && getMonday(first) === week)
        const laterWeeks = weeks.slice(0, age).reverse()
        const share = (later: string) => countBy(cohort, (times) => times.some((time) => getMonday(time) === later))
        return {
          week,
          size: cohort.length,
          paidAgain: laterWeeks.map((later) => (cohort.length === 0 ? null : share(later) / cohort.length)),
        }
      }),
    )
    const livePlans = plans.filter(({ cancelledAt, revokedAt }) => cancelledAt === null && revokedAt === null)
    const endOf = new Map<string, number>()
    for (const { accountId, endsAt } of livePlans) {
      endOf.set(accountId, Math.max(endOf.get(accountId) ?? 0, endsAt.getTime()))
    }
    const recentEnds = [...endOf.values()].filter((end) => end > NOW_MS - 30 * DAY_MS)
    expect(found.churn).toEqual({ hadPlan: recentEnds.length, lost: countBy(recentEnds, (end) => end <= NOW_MS) })
    const running = livePlans.filter(
      ({ startsAt, endsAt }) => startsAt.getTime() <= NOW_MS && endsAt.getTime() > NOW_MS,
    )
    expect(found.activePlans).toBe(new Set(running.map(({ accountId }) => accountId)).size)
    const recentPayments = validPayments.filter(({ blockAt }) => blockAt.getTime() >= NOW_MS - 30 * DAY_MS)
    expect(found.paying30).toEqual({
      accounts: new Set(recentPayments.map(({ accountId }) => accountId)).size,
      sumWei: String(sumAmounts(recentPayments)),
    })
    const renewals = buyers.flatMap((times) => times.filter((time) => times.some((before) => before < time)))
    expect(found.renewals7).toBe(countBy(renewals, (time) => time.getTime() >= NOW_MS - WEEK_MS))
  })

  test('business figures: accounts whose plan ends soon or has ended equal a recomputation from the rows', async () => {
    const { paid, plans, reads, marks, seen } = storedRows
    const found = await business.businessCustomers(box.ctx)
    const livePlans = plans.filter(({ cancelledAt, revokedAt }) => cancelledAt === null && revokedAt === null)
    const lastPlans = [...new Set(livePlans.map(({ accountId }) => accountId))].flatMap((id) => {
      const [last] = livePlans
        .filter(({ accountId }) => accountId === id)
        .sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime())
      return last ? [last] : []
    })
    const describeAccount = ({ accountId, startsAt, endsAt }: (typeof lastPlans)[number]) => {
      const start = startsAt.getTime()
      const lastSeen = Math.max(
        0,
        ...seen.filter((one) => one.accountId === accountId).map((one) => one.lastSeenAt.getTime()),
      )
      const purchaseCount = countBy(paid, (one) => one.accountId === accountId && one.revertedAt === null)
      const readCount = countBy(reads, (one) => one.accountId === accountId && one.readAt.getTime() >= start)
      const hasMark = marks.some((one) => one.accountId === accountId && one.at.getTime() >= start)
      const isOld = start <= NOW_MS - HOUR_MS
      const isUnseen = lastSeen < Math.min(endsAt.getTime(), NOW_MS) - DAY_MS || (isOld && lastSeen < start)
      return {
        id: accountId,
        endsAt: endsAt.toISOString(),
        payments: purchaseCount,
        alertsRead: readCount,
        lastSeenAt: lastSeen === 0 ? null : new Date(lastSeen).toISOString(),
        signs: [
          ...(purchaseCount <= 1 ? ['neverRenewed'] : []),
          ...(isUnseen ? ['notSeen'] : []),
          ...(isOld && readCount === 0 && !hasMark ? ['nothingRead'] : []),
        ],
      }
    }
    const listEndingIn = (from: number, to: number) =>
      lastPlans.filter(({ endsAt }) => endsAt.getTime() > from && endsAt.getTime() <= to).map(describeAccount)
    const endingAccounts = listEndingIn(NOW_MS, NOW_MS + DAY_MS).sort((a, b) => a.endsAt.localeCompare(b.endsAt))
    const leftAccounts = listEndingIn(NOW_MS - WEEK_MS, NOW_MS).sort((a, b) => b.endsAt.localeCompare(a.endsAt))
    expect(found.ending).toMatchObject({
      count: endingAccounts.length,
      atRisk: countBy(endingAccounts, ({ signs }) => signs.length > 0),
      accounts: endingAccounts.slice(0, 20),
    })
    expect(found.left).toMatchObject({ count: leftAccounts.length, accounts: leftAccounts.slice(0, 20) })
  })

  test('business figures: the reach of an alert equals a recomputation from the rows', async () => {
    const { plans, issued, reads, marks, streamed, ledger, places, sent } = storedRows
    const broadcastAlerts = issued.filter(({ kind, broadcastAt }) => kind === 'alert' && broadcastAt !== null)
    const testedIndexes = [undefined, ...broadcastAlerts.slice(-6).map(({ logIndex }) => logIndex)]
    const getNewest = <T>(all: readonly T[]) => all.at(-1)
    for (const index of testedIndexes) {
      const found = await business.businessReach(box.ctx, createInput<'businessReach'>({ query: { index } }))
      const alert =
        index === undefined
          ? (getNewest(broadcastAlerts.filter(({ priority }) => priority === 'critical')) ?? getNewest(broadcastAlerts))
          : broadcastAlerts.find(({ logIndex }) => logIndex === index)
      if (!alert) throw new Error('No alert')
      const { logIndex, createdAt } = alert
      const coversAlert = ({ startsAt, endsAt, cancelledAt, revokedAt }: Rows['plans'][number]) =>
        startsAt <= createdAt &&
        endsAt > createdAt &&
        revokedAt === null &&
        (cancelledAt === null || cancelledAt > createdAt)
      const entitledIds = new Set(plans.filter(coversAlert).map(({ accountId }) => accountId))
      const openerIds = new Set([
        ...reads.filter(({ alertId }) => alertId === alert.id).map(({ accountId }) => accountId),
        ...marks.filter((mark) => mark.upToIndex >= logIndex && mark.at >= createdAt).map(({ accountId }) => accountId),
      ])
      const stream = streamed.filter((row) => row.logIndex === logIndex)
      const sentAt = sent.find((row) => row.logIndex === logIndex)?.at.getTime() ?? 0
      const rows = ledger
        // Leave out destinations without a plan, for which the delivery ledger has at most one row
        // an hour.
        .filter((row) => row.logIndex === logIndex && row.reason !== 'No active plan')
        .map((row) => ({
          ...row,
          place: places.find(({ id }) => id === row.destinationId),
          seconds: ((row.deliveredAt?.getTime() ?? 0) - sentAt) / 1_000,
        }))
      const firstSeconds = new Map<string, number>()
      const deliveryTimes = [
        ...stream.map(({ accountId, tookMs }) => ({ accountId, seconds: tookMs / 1_000 })),
        ...rows.flatMap(({ state, place, seconds }) =>
          state === 'delivered' && place ? [{ accountId: place.accountId, seconds }] : [],
        ),
      ].filter(({ accountId }) => entitledIds.has(accountId))
      for (const { accountId, seconds } of deliveryTimes)
        firstSeconds.set(accountId, Math.min(firstSeconds.get(accountId) ?? seconds, seconds))
      const reachedIds = new Set([...firstSeconds.keys(), ...[...openerIds].filter((id) => entitledIds.has(id))])
      const inStream = stream.filter(({ accountId }) => entitledIds.has(accountId)).map(({ tookMs }) => tookMs / 1_000)
      expect(found).toMatchObject({
        alert: { logIndex },
        entitled: entitledIds.size,
        reached: reachedIds.size,
        firstWay: getLatencies([...firstSeconds.values()]),
        opened: openerIds.size,
        verified: countBy(reads, ({ alertId, verifiedAt }) => alertId === alert.id && verifiedAt !== null),
        stream: alert.priority === 'critical' ? { accounts: inStream.length, ...getLatencies(inStream) } : null,
      })
      const kinds = [...new Set(rows.flatMap(({ place }) => place?.kind ?? []))].sort()
      expect(found.channels).toEqual(
        kinds.map((kind) => {
          const kindRows = rows.filter(({ place }) => place?.kind === kind)
          const listInState = (state: string) => kindRows.filter((row) => row.state === state)
          return {
            ...{
              kind,
              total: kindRows.length,
              delivered: listInState('delivered').length,
              skipped: listInState('skipped').length,
            },
            ...{ failed: listInState('dead').length, waiting: listInState('waiting').length },
            ...getLatencies(listInState('delivered').map(({ seconds }) => seconds)),
          }
        }),
      )
      for (const { kind, reason, count } of found.failures) {
        expect(countBy(rows, (row) => row.state === 'dead' && row.place?.kind === kind && row.reason === reason)).toBe(
          count,
        )
      }
      expect(found.failures.reduce((sum, { count }) => sum + count, 0)).toBe(
        countBy(rows, ({ state }) => state === 'dead'),
      )
    }
  })

  test('business figures: alerts by hour, type and priority equal a recomputation', async () => {
    const { issued } = storedRows
    const found = await business.businessHealth(box.ctx, createInput<'businessHealth'>())
    const counted = issued.filter(({ kind, broadcastAt }) => kind === 'alert' && broadcastAt !== null)
    const listSince = (ms: number) => counted.filter(({ createdAt }) => createdAt.getTime() >= NOW_MS - ms)
    const countKeys = (keys: readonly string[]) => {
      const counts = new Map<string, number>()
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
      return [...counts].sort()
    }
    const toSortedCounts = <T extends { count: number; priority: string }>(
      all: readonly T[],
      name: (one: T) => string | number,
    ) => all.map((one) => [`${name(one)} ${one.priority}`, one.count]).sort()
    const week = listSince(WEEK_MS)
    expect(toSortedCounts(found.hours, ({ hour }) => hour)).toEqual(
      countKeys(week.map(({ createdAt, priority }) => `${createdAt.getUTCHours()} ${priority}`)),
    )
    expect(toSortedCounts(found.types, ({ type }) => type)).toEqual(
      countKeys(week.map(({ anomalyType, priority }) => `${anomalyType} ${priority}`)),
    )
    const getStep = (time: Date) => Math.floor((time.getTime() - (NOW_MS - DAY_MS)) / (30 * 60_000))
    expect(toSortedCounts(found.steps, ({ step }) => step)).toEqual(
      countKeys(listSince(DAY_MS).map(({ createdAt, priority }) => `${getStep(createdAt)} ${priority}`)),
    )
  })

  test('business figures: lifetime value and first payment of each account follow changes of its payments', async () => {
    const { db } = box.ctx
    const expectFiguresMatchPayments = async () => {
      const paid = await db.select().from(payments)
      const figures = await db.select().from(accountFigures)
      expect(figures).toHaveLength(ACCOUNT_COUNT)
      for (const { accountId: id, paidWei, firstPaidAt } of figures) {
        const ownPayments = paid.filter(({ accountId, revertedAt }) => accountId === id && revertedAt === null)
        expect(paidWei).toBe(sumAmounts(ownPayments))
        const first = ownPayments.length === 0 ? null : Math.min(...ownPayments.map(({ blockAt }) => blockAt.getTime()))
        expect(firstPaidAt?.getTime() ?? null).toBe(first)
      }
    }
    await expectFiguresMatchPayments()
    const { chainId } = payments
    const [one, other] = storedRows.people
    await db
      .update(payments)
      .set({ revertedAt: at(0) })
      .where(eq(chainId, 1))
    await db.update(payments).set({ revertedAt: null }).where(eq(chainId, 137))
    await db
      .update(payments)
      .set({ accountId: one?.id ?? null })
      .where(eq(payments.accountId, other?.id ?? ''))
    await expectFiguresMatchPayments()
  })

  test('business figures: revenue by day follows changes of payments, and merging rows does not change it', async () => {
    const { db } = box.ctx
    const expectRevenueMatchesPayments = async () => {
      const paid = (await db.select().from(payments)).filter(({ revertedAt }) => revertedAt === null)
      const { days, allTime } = await business.businessRevenue(box.ctx, createInput<'businessRevenue'>())
      expect(allTime).toEqual({ count: paid.length, sumWei: String(sumAmounts(paid)) })
      for (const { day, parts } of days) {
        for (const { planType, chainId, count, sumWei } of parts) {
          const partPayments = paid.filter(
            (row) => getDay(row.blockAt) === day && row.planId === planType && row.chainId === chainId,
          )
          expect([count, sumWei]).toEqual([partPayments.length, String(sumAmounts(partPayments))])
        }
        expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(
          countBy(paid, ({ blockAt }) => getDay(blockAt) === day),
        )
      }
    }
    // The test before this one has reverted payments and credited others again.
    await expectRevenueMatchesPayments()
    await mergePaymentDays(db)
    const merged = await db.select().from(paymentDays)
    expect(new Set(merged.map(({ day, chainId, planId }) => [day, chainId, planId].join())).size).toBe(merged.length)
    await expectRevenueMatchesPayments()
    await db.delete(subscriptions)
    await db
      .update(payments)
      .set({ blockAt: at(3 * DAY_MS) })
      .where(eq(payments.planId, '6h'))
    await db.delete(payments).where(eq(payments.planId, '3d'))
    await expectRevenueMatchesPayments()
    await Promise.all([mergePaymentDays(db), mergePaymentDays(db)])
    await expectRevenueMatchesPayments()
  })

  test('business figures: the first wallet of each account follows changes of its wallets', async () => {
    const { db } = box.ctx
    const expectFirstWalletsMatch = async () => {
      const linked = await db.select().from(wallets)
      for (const { accountId: id, provedAt } of await db.select().from(accountFigures)) {
        const ownTimes = linked.filter(({ accountId }) => accountId === id).map(({ linkedAt }) => linkedAt.getTime())
        expect(provedAt?.getTime() ?? Number.POSITIVE_INFINITY).toBe(Math.min(...ownTimes))
      }
    }
    await expectFirstWalletsMatch()
    const [firstId = '', otherId = '', goneId = ''] = [0, 10, 20].map((at) => storedRows.linked[at]?.accountId)
    await db.update(wallets).set({ accountId: firstId }).where(eq(wallets.accountId, otherId))
    await db.delete(wallets).where(eq(wallets.accountId, goneId))
    await expectFirstWalletsMatch()
  })

  test('business figures: the last use of each account equals the newest use of its sessions', async () => {
    const figures = await box.ctx.db.select().from(accountFigures)
    for (const { accountId: id, seenAt } of figures) {
      const ownTimes = storedRows.seen
        .filter(({ accountId }) => accountId === id)
        .map(({ lastSeenAt }) => lastSeenAt.getTime())
      expect(seenAt?.getTime() ?? 0).toBe(Math.max(0, ...ownTimes))
    }
  })
})
