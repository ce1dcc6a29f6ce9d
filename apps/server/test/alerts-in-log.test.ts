import { randomUUID } from 'node:crypto'
import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { alertAnchorBytecode } from '@tocsin/contracts/bytecode'
import { hashSignal } from '@tocsin/proof'
import { type AdminAlert, type Alert, endpoints, listPermissions, type VerifyAlertResponse } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, startTestSession, type TestContext, testConfig, waitForReceipt } from '@tocsin/testkit'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChainClient } from '../src/chain/chain-client.ts'
import type { Context } from '../src/context.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { payments } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import * as adminAlerts from '../src/features/alerts/admin-routes.ts'
import type { NewAlert } from '../src/features/alerts/alert.ts'
import { countByPriority } from '../src/features/alerts/alert-counts.ts'
import { createAlertFigures } from '../src/features/alerts/figures.ts'
import { createIssuer, type IssuedAlert } from '../src/features/alerts/issue-alerts.ts'
import * as alerts from '../src/features/alerts/routes.ts'
import * as service from '../src/features/alerts/service.ts'
import { readSignalCounts } from '../src/features/feed/signal-counts.ts'
import { anchorLog } from '../src/features/tlog/anchor-log.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { listAnchors } from '../src/features/tlog/store.ts'
import { createApp } from '../src/http/app.ts'
import { createEncodedRoute } from '../src/http/encoded-route.ts'
import { type Actor, route } from '../src/http/route.ts'
import { mapLimit } from '../src/map-limit.ts'
import { appendSample } from './support/sample-entry.ts'
import { sampleForecast as forecast } from './support/sample-forecast.ts'
import { testActor } from './support/test-actor.ts'

const database = useTestDatabase()
const chain = useTestChain()
let firstContext: TestContext
let secondContext: TestContext
let ctx: Context
let now: Date
let app: FastifyInstance
let caller: Actor | null
const accountIds = { admin: randomUUID(), subscriber: randomUUID(), visitor: randomUUID() }

beforeEach(async () => {
  const { anchor } = chain.settings
  const config = testConfig({
    databaseUrl: await database.createDatabase(),
    anchor: { ...anchor, contract: await deployAnchor(), intervalSeconds: 0.2 },
  })
  now = await chain.latestBlockAt()
  const clock = { now: () => now, readDatabaseTime: async () => now }
  firstContext = await createTestContext(config, clock)
  secondContext = await createTestContext(config, clock)
  ctx = firstContext.ctx
  await ctx.db
    .insert(accounts)
    .values(
      Object.entries(accountIds).map(([name, id]) => ({ id, name, email: `${name}@example.com`, createdAt: now })),
    )
  for (const id of Object.values(accountIds)) await startTestSession(ctx, id, id)
  await subscribe(accountIds.subscriber)
  app = await createTestApp()
})
afterEach(async () => {
  await app.close()
  await Promise.all([firstContext.close(), secondContext.close()])
})

async function subscribe(accountId: string) {
  const transfer = {
    chainId: 1,
    txHash: '0x1',
    logIndex: 0,
    blockNumber: 1,
    blockHash: '0x',
    token: '0x',
    payer: '0x',
  } as const
  const [payment] = await ctx.db
    .insert(payments)
    .values({ ...transfer, amountWei: 1n, accountId, planId: '6h', blockAt: now, createdAt: now })
    .returning()
  const period = { startsAt: new Date(0), endsAt: new Date('2100-01-01'), createdAt: now }
  await ctx.db.insert(subscriptions).values({ accountId, paymentId: payment?.id ?? '', planId: '6h', ...period })
}

async function deployAnchor() {
  const args = [privateKeyToAddress(chain.anchorKey)] as const
  const hash = await chain.deployer.deployContract({ abi: alertAnchorAbi, bytecode: alertAnchorBytecode, args })
  const { contractAddress } = await waitForReceipt(chain.client, hash)
  if (!contractAddress) throw new Error('No contract was made')
  return contractAddress
}

function createTestApp() {
  const issuer = createIssuer(ctx)
  return createApp(
    ctx,
    [
      createEncodedRoute(endpoints.recentAlerts, alerts.recentAlerts),
      createEncodedRoute(endpoints.userAlerts, alerts.userAlerts),
      route(endpoints.markAlertsRead, alerts.markAlertsRead),
      route(endpoints.verifyAlert, alerts.verifyAlert),
      createEncodedRoute(endpoints.listAlerts, adminAlerts.listAlerts),
      route(endpoints.createAlert, (c, input) => adminAlerts.createAlert(c, input, issuer)),
      route(endpoints.correctAlert, (c, input) => adminAlerts.correctAlert(c, input, issuer)),
      route(endpoints.retractAlert, (c, input) => adminAlerts.retractAlert(c, input, issuer)),
      route(endpoints.broadcastAlert, adminAlerts.broadcastAlert),
    ],
    async () => caller,
  )
}

function createActor(name: keyof typeof accountIds): Actor {
  const permissions = name === 'admin' ? listPermissions('admin') : []
  return testActor(accountIds[name], { sessionIdHash: name, email: `${name}@example.com`, name, permissions })
}

async function call<T>(person: keyof typeof accountIds | null, method: 'GET' | 'POST', url: string, body: object = {}) {
  caller = person && createActor(person)
  const headers = { origin: ctx.config.http.publicUrl }
  const answer = await app.inject({ method, url, headers, ...(method === 'POST' ? { payload: body } : {}) })
  return { status: answer.statusCode, text: answer.body, body: answer.json<T>() }
}

const content = {
  asset: 'BTC/USD',
  priority: 'critical',
  anomalyType: 'Volume spike',
  regime: 'Trending',
  summary: 'Naïve 🚨 “quoted” \\ text',
  confidence: 99.9,
} as const

const issueTestAlert = (change: Partial<NewAlert> = {}, issuingCtx = ctx) =>
  createIssuer(issuingCtx)({ content, origin: 'admin', broadcast: true, ...change })

async function anchorTo(size: number) {
  const stop = new AbortController()
  const running = anchorLog(ctx, stop.signal)
  try {
    await expect.poll(async () => (await listAnchors(ctx.db)).at(-1)?.size).toBe(size)
  } finally {
    stop.abort()
    await running
  }
  await checkLog(ctx)
}

const countRows = async () => {
  const { rows } = await ctx.db.execute<{ alerts: string; entries: string; deliveries: string }>(
    sql`select (select count(*) from alerts) as alerts, (select count(*) from log_entries) as entries, (select count(*) from deliveries) as deliveries`,
  )
  return Object.values(rows[0] ?? {}).map(Number)
}

describe('issuing alerts', () => {
  /**
   * Number of concurrent requests. With more, a request on a slow machine could wait for the log's
   * lock until its statement times out.
   */
  const CONCURRENCY = 8
  async function issueOnBoth(count: number, change: Partial<NewAlert> = {}): Promise<IssuedAlert[]> {
    const issuedAlerts: IssuedAlert[] = []
    await mapLimit(CONCURRENCY, Array(count).keys(), async (i) => {
      issuedAlerts.push(await issueTestAlert(change, i % 2 ? ctx : secondContext.ctx))
    })
    return issuedAlerts
  }

  test('creates one entry, row and delivery for each of 50 alerts issued concurrently on two instances', async () => {
    const issued = await issueOnBoth(50)
    expect(new Set(issued.map(({ alert }) => alert.logIndex)).size).toBe(50)
    expect(await checkLog(ctx)).toMatchObject({ size: 50 })
    const sentDeliveries = await service.loadDeliveries(ctx, 0, 100)
    expect(sentDeliveries.map(({ alert }) => alert.logIndex)).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(await countRows()).toEqual([50, 50, 50])
  })

  test('creates one alert when the same signal arrives twenty times, up to eight times concurrently', async () => {
    const signal = { origin: 'feed', signalId: 'signal-1', signalHash: `0x${'ab'.repeat(32)}` } as const
    const issued = await issueOnBoth(20, signal)
    expect(new Set(issued.map(({ alert }) => alert.id)).size).toBe(1)
    expect(issued.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(await countRows()).toEqual([1, 1, 1])
    expect((await issueTestAlert({ ...signal, signalId: 'signal-2' })).isNew).toBe(true)
    await checkLog(ctx)
  })

  test('keeps deliveries in memory that are equal to those in the database', async () => {
    const { prediction } = forecast
    const signalMessage = JSON.stringify({ prediction })
    await issueTestAlert({
      origin: 'feed',
      signalId: 'a',
      signalMessage,
      signalHash: hashSignal(signalMessage),
      forecast,
    })
    await issueTestAlert({ broadcast: false })
    await issueTestAlert()
    const storedDeliveries = await service.loadDeliveries(ctx, 0, 10)
    const [first, second] = storedDeliveries.map(({ seq }) => seq)
    expect(ctx.issued.drainAfter(0, Number(first))).toEqual(storedDeliveries.slice(0, 1))
    expect(ctx.issued.drainAfter(Number(first), Number(second))).toEqual(storedDeliveries.slice(1))
  })

  test('removes the log entry when a later step fails', async () => {
    await issueTestAlert()
    const alsoWrite = () => Promise.reject(new Error('killed'))
    await expect(issueTestAlert({ alsoWrite })).rejects.toThrow('killed')
    expect(await countRows()).toEqual([1, 1, 1])
    expect(await checkLog(ctx)).toMatchObject({ size: 1 })
  })

  test('stores the signed values in the searchable columns', async () => {
    await issueTestAlert({
      content: { ...content, confidence: 0.1 },
      origin: 'feed',
      signalId: 's',
      signalHash: `0x${'1f'.repeat(32)}`,
    })
    await issueTestAlert({ content: { ...content, confidence: 0.3 } })
    const { rows } = await ctx.db.execute<Record<string, unknown>>(
      sql`select a.*, a.created_at::text, convert_from(e.bytes, 'UTF8') as said from alerts a join log_entries e on e.index = a.log_index order by 2`,
    )
    for (const { said, ...row } of rows) {
      expect(JSON.parse(String(said))).toMatchObject({
        id: row.id,
        index: Number(row.log_index),
        asset: row.asset,
        priority: row.priority,
        anomalyType: row.anomaly_type,
        confidence: row.confidence,
        regime: row.regime,
        summary: row.summary,
        origin: row.origin,
        signalHash: row.signal_hash,
        signer: row.signer,
        createdAt: new Date(String(row.created_at)).toISOString(),
      })
    }
    expect(rows.map(({ confidence }) => confidence)).toEqual([0.1, 0.3])
  })
})

describe('salt', () => {
  const listStoredStatements = async () => {
    const { rows } = await ctx.db.execute<{ text: string }>(
      sql`select convert_from(bytes, 'UTF8') as text from log_entries order by index`,
    )
    return rows.map(({ text }): { v: number; salt?: string } => JSON.parse(text))
  }

  test('is unique per alert, correction and retraction, even within one batch', async () => {
    const { id } = (await issueTestAlert()).alert
    const issueOne = createIssuer(ctx)
    await issueOne({ kind: 'correction', targetId: id, content, broadcast: true })
    await Promise.all([1, 2, 3].map(() => issueOne({ content, origin: 'admin', broadcast: true })))
    await issueOne({ kind: 'retraction', targetId: id, reason: 'r', broadcast: true })
    const entries = await listStoredStatements()
    expect(entries.map(({ v }) => v)).toEqual(Array(6).fill(2))
    for (const { salt } of entries) expect(salt).toMatch(/^0x[0-9a-f]{32}$/)
    expect(new Set(entries.map(({ salt }) => salt)).size).toBe(6)
    const [row] = await ctx.db
      .execute<Record<string, unknown>>(sql`select * from alerts limit 1`)
      .then(({ rows }) => rows)
    expect(JSON.stringify(row)).not.toContain(entries[0]?.salt)
    await checkLog(ctx)
  })

  test('is enforced: an entry of version 1, as an older release writes it, is rejected after an entry of version 2', async () => {
    await appendSample(ctx)
    await issueTestAlert()
    const countsBefore = await countRows()
    await expect(appendSample(ctx)).rejects.toThrow()
    await expect(
      ctx.db.execute(
        sql`insert into log_entries select 7, leaf_hash, bytes, signature, appended_at from log_entries where index = 0`,
      ),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('entries of version 2 from entry 1 on') } })
    expect(await countRows()).toEqual(countsBefore)
    await issueTestAlert()
    await checkLog(ctx)
  })
})

describe('creating alerts as an admin', () => {
  test('rejects invalid content, and stores nothing of it', async () => {
    for (const [name, change] of [
      ['NUL', { summary: 'a\0b' }],
      ['lone surrogate', { asset: '\ud800' }],
      ['no asset', { asset: '  ' }],
      ['confidence 100.1', { confidence: 100.1 }],
      ['confidence 50.55', { confidence: 50.55 }],
      ['confidence 99.99999999999999, which would be rounded to 100', { confidence: 99.99999999999999 }],
      ['confidence 5e-324, which would be rounded to 0', { confidence: 5e-324 }],
      ['priority', { priority: 'urgent' }],
      ['unknown field', { origin: 'feed' }],
    ] as const) {
      const refused = await call('admin', 'POST', '/api/alerts', { ...content, ...change })
      expect(refused.status, name).toBe(400)
      if ('confidence' in change && change.confidence < 100)
        expect(refused.text, name).toContain('Use at most one decimal place, for example 94.2')
      expect(await countRows(), name).toEqual([0, 0, 0])
    }
  })

  test('ignores submitted proofs and broadcasts by default', async () => {
    const fakeProof = { signature: '0xfake', merklePath: ['0x1'], avalancheTx: '0x2' }
    const broadcastResponse = await call<{ alert: AdminAlert; broadcast: boolean }>('admin', 'POST', '/api/alerts', {
      ...content,
      ...fakeProof,
    })
    expect(broadcastResponse.status).toBe(201)
    expect(broadcastResponse.body).toMatchObject({
      broadcast: true,
      alert: {
        ...content,
        origin: 'admin',
        logIndex: 0,
        merklePath: [],
        treeSize: null,
        root: null,
        avalancheTx: null,
      },
    })
    expect(broadcastResponse.body.alert.broadcastAt).toBe(now.toISOString())
    const draftResponse = await call<{ alert: AdminAlert; broadcast: boolean }>('admin', 'POST', '/api/alerts', {
      ...content,
      broadcast: false,
    })
    expect(draftResponse.body).toMatchObject({ broadcast: false, alert: { broadcastAt: null, logIndex: 1 } })
    expect(await service.findLastDeliverySeq(ctx)).toBe(1)
    expect(await call('admin', 'GET', '/api/alerts')).toMatchObject({ body: [{ logIndex: 1 }, { logIndex: 0 }] })
    await checkLog(ctx)
  })

  test('broadcasts on demand and repeatedly, and rejects an unknown id', async () => {
    for (const id of ['nothing', randomUUID(), 'a%00b']) {
      expect(await call('admin', 'POST', `/api/alerts/${id}/broadcast`)).toMatchObject({ status: 404 })
    }
    const { alert } = await issueTestAlert({ broadcast: false })
    const firstTime = now
    expect(await call('admin', 'POST', `/api/alerts/${alert.id}/broadcast`)).toMatchObject({ status: 200 })
    now = new Date(now.getTime() + 1_000)
    const secondResponse = await call<AdminAlert>('admin', 'POST', `/api/alerts/${alert.id}/broadcast`)
    expect(secondResponse.body).toMatchObject({ id: alert.id, broadcastAt: firstTime.toISOString() })
    expect((await service.loadDeliveries(ctx, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2])
    expect(await countRows()).toEqual([1, 1, 2])
  })
})

describe('the list of all alerts', () => {
  test('shows a correction before its broadcast, and the time of each broadcast', async () => {
    const { alert } = await issueTestAlert()
    const correction = { ...content, summary: 'Corrected', broadcast: false }
    const correctionResponse = await call<{ alert: AdminAlert }>(
      'admin',
      'POST',
      `/api/alerts/${alert.id}/correct`,
      correction,
    )
    const supersededBy = { logIndex: 1, id: correctionResponse.body.alert.id, kind: 'correction' }
    const listAlerts = () => call<AdminAlert[]>('admin', 'GET', '/api/alerts')
    for (const round of ['first', 'kept']) {
      const { body } = await listAlerts()
      expect(body, round).toMatchObject([
        { logIndex: 1, summary: 'Corrected', broadcastAt: null, supersededBy: null },
        { logIndex: 0, ...content, broadcastAt: now.toISOString(), supersededBy },
      ])
      const recentResponse = await call<Alert[]>('subscriber', 'GET', '/api/alerts/recent')
      expect(recentResponse.body, round).toMatchObject([{ logIndex: 0, supersededBy: null }])
      expect(recentResponse.text, round).not.toContain('broadcastAt')
    }
    now = new Date(now.getTime() + 1_000)
    await call('admin', 'POST', `/api/alerts/${correctionResponse.body.alert.id}/broadcast`)
    expect((await listAlerts()).body).toMatchObject([{ logIndex: 1, broadcastAt: now.toISOString() }, { logIndex: 0 }])
    const recentResponse = await call<Alert[]>('subscriber', 'GET', '/api/alerts/recent')
    expect(recentResponse.body).toMatchObject([{ logIndex: 1 }, { logIndex: 0, supersededBy }])
  })
})

describe('reading alerts', () => {
  const secrets = ['BTC/USD', 'Naïve', '99.9', 'Trending', 'Volume']

  test('locks recent alerts for visitors until the public delay has passed', async () => {
    const { alert } = await issueTestAlert()
    await issueTestAlert({ broadcast: false })
    const lockedResponse = await call<object[]>('visitor', 'GET', '/api/alerts/recent')
    const row = { id: 'locked-0', locked: true, priority: 'critical', createdAt: now.toISOString(), logIndex: 0 }
    expect(lockedResponse.body).toEqual([row])
    expect((await call(null, 'GET', '/api/alerts/recent')).body).toEqual([row])
    for (const secret of [...secrets, alert.id]) expect(lockedResponse.text).not.toContain(secret)
    for (const reader of ['subscriber', 'admin'] as const) {
      expect(await call(reader, 'GET', '/api/alerts/recent')).toMatchObject({ body: [{ id: alert.id, ...content }] })
    }
    const own = () => call<object[]>('visitor', 'GET', `/api/alerts/user/${accountIds.visitor}`)
    const lockedOwn = await own()
    expect(lockedOwn.body).toEqual([{ id: row.id, alert: row, isRead: false }])
    for (const secret of [...secrets, alert.id]) expect(lockedOwn.text).not.toContain(secret)
    now = new Date(now.getTime() + 24 * HOUR_MS - 1)
    expect((await call<object[]>('visitor', 'GET', '/api/alerts/recent')).body).toMatchObject([{ locked: true }])
    now = new Date(now.getTime() + 1)
    const publicResponse = await call<object[]>('visitor', 'GET', '/api/alerts/recent')
    expect(publicResponse.body).toMatchObject([
      { logIndex: 1, ...content },
      { logIndex: 0, ...content },
    ])
    expect((await own()).body).toMatchObject([
      { alert: { logIndex: 1, ...content } },
      { id: alert.id, alert: { logIndex: 0, ...content } },
    ])
    expect((await call<object[]>('visitor', 'GET', '/api/alerts/recent?limit=1')).body).toHaveLength(1)
  })

  test('returns the list of a user with its read state to this user and to admins, and 404 to others', async () => {
    const { alert } = await issueTestAlert()
    const ownPath = `/api/alerts/user/${accountIds.subscriber}`
    expect(await call('visitor', 'GET', ownPath)).toMatchObject({ status: 404 })
    expect(await call('subscriber', 'GET', '/api/alerts/user/x')).toMatchObject({ status: 404 })
    expect(await call('admin', 'GET', '/api/alerts/user/x')).toMatchObject({ status: 404 })
    expect((await call('subscriber', 'GET', ownPath)).body).toMatchObject([
      { id: alert.id, isRead: false, alert: content },
    ])
    for (let i = 0; i < 2; i++) {
      const ids = [alert.id, randomUUID(), 'x\0']
      expect(await call('subscriber', 'POST', '/api/alerts/read', { ids })).toMatchObject({ status: 200 })
    }
    expect((await call('subscriber', 'GET', ownPath)).body).toMatchObject([{ id: alert.id, isRead: true }])
    expect((await call('admin', 'GET', ownPath)).body).toMatchObject([{ id: alert.id, isRead: true }])
    expect((await call('admin', 'GET', `/api/alerts/user/${accountIds.admin}`)).body).toMatchObject([{ isRead: false }])
  })
})

describe('resuming a stream', () => {
  test('continues after the newest alert that was delivered when the highest seen index was logged', async () => {
    expect(await service.findResumePoint(ctx, 5)).toBe(0)
    const [a, b, c, d] = [
      await issueTestAlert(),
      await issueTestAlert({ broadcast: false }),
      await issueTestAlert(),
      await issueTestAlert({ broadcast: false }),
    ]
    now = new Date(now.getTime() + HOUR_MS)
    await service.broadcastAlert(ctx, a.alert.id)
    await service.broadcastAlert(ctx, b.alert.id)
    const deliveredIndexes = (await service.loadDeliveries(ctx, 0, 10)).map(({ alert }) => alert.logIndex)
    expect(deliveredIndexes).toEqual([0, 2, 0, 1])
    expect([c.alert.logIndex, d.alert.logIndex]).toEqual([2, 3])
    const resumePoints = await Promise.all([0, 1, 2, 3].map((index) => service.findResumePoint(ctx, index)))
    expect(resumePoints).toEqual([1, 1, 2, 2])
    expect(await service.loadDeliveries(ctx, 4, 10)).toEqual([])
  })

  test('includes an earlier draft that was broadcast after the client had seen a later draft, which was public', async () => {
    await issueTestAlert()
    const { alert: draft } = await issueTestAlert({ broadcast: false })
    const { alert: laterDraft } = await issueTestAlert({ broadcast: false })
    now = new Date(now.getTime() + 25 * HOUR_MS)
    await service.broadcastAlert(ctx, draft.id)
    const resumePoint = await service.findResumePoint(ctx, laterDraft.logIndex)
    const resumedDeliveries = await service.loadDeliveries(ctx, resumePoint, 10)
    expect(resumedDeliveries.map(({ logIndex }) => logIndex)).toEqual([draft.logIndex])
  })

  test('repeats broadcast alerts, oldest first, that were anchored after their broadcast', async () => {
    await issueTestAlert()
    await issueTestAlert({ broadcast: false })
    await anchorTo(2)
    await issueTestAlert()
    await issueTestAlert()
    await anchorTo(4)
    const coveredAlerts = await service.loadAlertsAnchoredBetween(ctx, 1, 4)
    expect(coveredAlerts.map(({ logIndex, treeSize }) => [logIndex, treeSize])).toEqual([
      [2, 4],
      [3, 4],
    ])
    const [firstAlert] = await service.loadAlertsAnchoredBetween(ctx, 0, 1)
    expect(firstAlert).toMatchObject({ treeSize: 2, merklePath: [expect.stringMatching(/^0x/)] })
  })
})

describe('verifying an alert', () => {
  let anchoredAlert: Alert

  beforeEach(async () => {
    for (let i = 0; i < 5; i++)
      await issueTestAlert(i === 2 ? { origin: 'feed', signalId: 's', signalHash: `0x${'5c'.repeat(32)}` } : {})
    await anchorTo(5)
    const found = (await service.loadDeliveries(ctx, 2, 1))[0]?.alert
    if (!found) throw new Error('The alert is not there')
    anchoredAlert = found
  })

  const verifyPasted = async (pasted: Alert, change: object = {}, person: keyof typeof accountIds | null = null) => {
    const { id, signature, merklePath, avalancheTx } = pasted
    const request = { alertId: id, signature, merklePath, avalancheTx: avalancheTx ?? '', alert: pasted, ...change }
    return (await call<VerifyAlertResponse>(person, 'POST', '/api/alerts/verify', request)).body
  }

  test('passes all six steps, by pasted text or by id, and is recorded in the activity log', async () => {
    const result = await verifyPasted(anchoredAlert, {}, 'visitor')
    expect(result).toMatchObject({
      valid: true,
      verdict: 'verified',
      failedStep: null,
      reason: null,
      chainTime: anchoredAlert.anchoredAt,
      checks: { signature: { valid: true }, merklePath: { valid: true }, anchor: { valid: true } },
    })
    expect(result.steps.map(({ status }) => status)).toEqual(Array(6).fill('passed'))
    expect(result.rungs.at(-1)?.hash).toBe(anchoredAlert.root)
    expect(result.confirmations).toBeGreaterThan(0)
    expect(await verifyPasted(anchoredAlert, { alert: undefined }, 'subscriber')).toMatchObject({ valid: true })
    const { rows } = await ctx.db.execute(sql`select account_id, kind, detail, reference from activities`)
    expect(rows).toEqual([
      {
        account_id: accountIds.visitor,
        kind: 'alert_verified',
        detail: '#2, 6 of 6 checks',
        reference: anchoredAlert.id,
      },
      {
        account_id: accountIds.subscriber,
        kind: 'alert_verified',
        detail: '#2, 6 of 6 checks',
        reference: anchoredAlert.id,
      },
    ])
  })

  test('is recorded once for each account and alert, however often it is repeated', async () => {
    const [otherAlert] = (await service.loadDeliveries(ctx, 3, 1)).map(({ alert }) => alert)
    for (let time = 0; time < 3; time++) {
      for (const alert of [anchoredAlert, otherAlert ?? anchoredAlert]) {
        expect(await verifyPasted(alert, {}, 'visitor')).toMatchObject({ verdict: 'verified' })
      }
    }
    const listVerified = async () => {
      const { rows } = await ctx.db.execute(sql`select account_id, reference from activities order by id`)
      return rows
    }
    const expectedRows = [anchoredAlert, otherAlert].map((alert) => ({
      account_id: accountIds.visitor,
      reference: alert?.id,
    }))
    expect(await listVerified()).toEqual(expectedRows)
    await Promise.all(Array.from({ length: 5 }, () => verifyPasted(anchoredAlert, {}, 'subscriber')))
    expect(await listVerified(), 'at the same time').toEqual([
      ...expectedRows,
      { account_id: accountIds.subscriber, reference: anchoredAlert.id },
    ])
  })

  const changeLastDigit = (hex: string | null | undefined) => `${hex?.slice(0, -1)}${hex?.endsWith('0') ? '1' : '0'}`
  const hash = `0x${'77'.repeat(32)}`
  const changes: [string, number, (alert: Alert) => Partial<Record<keyof Alert, unknown>>][] = [
    ['id', 1, ({ id }) => ({ id: changeLastDigit(id) })],
    ['asset', 1, () => ({ asset: 'BTC/USE' })],
    ['priority', 1, () => ({ priority: 'high' })],
    ['summary', 1, ({ summary }) => ({ summary: `${summary} ` })],
    ['confidence', 1, () => ({ confidence: 99.8 })],
    ['confidence out of form', 1, () => ({ confidence: 99.91 })],
    ['regime', 1, () => ({ regime: 'trending' })],
    ['anomaly type', 1, () => ({ anomalyType: '' })],
    ['time', 1, ({ createdAt }) => ({ createdAt: new Date(Date.parse(createdAt) + 1).toISOString() })],
    ['origin', 1, () => ({ origin: 'demo' })],
    ['signal hash', 1, ({ signalHash }) => ({ signalHash: changeLastDigit(signalHash) })],
    ['no signal hash', 1, () => ({ signalHash: null })],
    ['salt', 1, ({ salt }) => ({ salt: changeLastDigit(salt) })],
    ['no salt', 1, () => ({ salt: undefined })],
    ['a salt of null', 1, () => ({ salt: null })],
    ['a salt in another form', 1, ({ salt }) => ({ salt: salt?.toUpperCase() })],
    ['signer', 1, () => ({ signer: chain.token })],
    ['log index', 1, () => ({ logIndex: 3 })],
    ['fractional log index', 1, () => ({ logIndex: 2.5 })],
    ['leaf hash', 1, ({ leafHash }) => ({ leafHash: changeLastDigit(leafHash) })],
    ['malformed leaf hash', 1, () => ({ leafHash: 'zz' })],
    ['signature', 2, ({ signature }) => ({ signature: `0x0${signature.slice(2, -1)}` })],
    [
      'signature byte',
      2,
      ({ signature }) => ({ signature: signature.replace(/^0x../, (b) => (b === '0x11' ? '0x12' : '0x11')) }),
    ],
    ['empty signature', 2, () => ({ signature: '' })],
    ['path', 3, ({ merklePath }) => ({ merklePath: [...merklePath.slice(0, -1), changeLastDigit(merklePath.at(-1))] })],
    ['shorter path', 3, ({ merklePath }) => ({ merklePath: merklePath.slice(1) })],
    ['longer path', 3, ({ merklePath }) => ({ merklePath: [...merklePath, hash] })],
    ['no path', 3, () => ({ merklePath: [] })],
    ['malformed path', 3, () => ({ merklePath: ['not hex'] })],
    ['tree size', 3, () => ({ treeSize: 3 })],
    ['no tree size', 3, () => ({ treeSize: null })],
    ['root', 3, ({ root }) => ({ root: changeLastDigit(root) })],
    ['no root', 3, () => ({ root: null })],
    ['transaction', 4, ({ avalancheTx }) => ({ avalancheTx: changeLastDigit(avalancheTx) })],
    ['malformed transaction', 4, () => ({ avalancheTx: 'x' })],
  ]
  // All changes are in one test, because setting up an anchored log takes longer than all of these
  // checks.
  test('fails at the corresponding step after a change of any field', async () => {
    for (const [name, step, change] of changes) {
      const result = await verifyPasted({ ...anchoredAlert, ...change(anchoredAlert) } as Alert)
      expect(result, name).toMatchObject({ valid: false, verdict: 'failed', failedStep: step })
      expect(result.reason, name).toBe(result.steps[step - 1]?.reason)
      expect(result.reason, name).not.toBe('')
      const { signature, merklePath, anchor } = result.checks
      const failedCheck = [signature, signature, merklePath, anchor][step - 1]
      expect(failedCheck, name).toEqual({ valid: false, reason: result.reason })
    }
    expect(await verifyPasted(anchoredAlert)).toMatchObject({ valid: true })
  })

  test('fails with the transaction of another contract or of a later anchor', async () => {
    await issueTestAlert()
    await anchorTo(6)
    const [, laterAnchor] = await listAnchors(ctx.db)
    expect(await verifyPasted(anchoredAlert, { avalancheTx: laterAnchor?.txHash })).toMatchObject({
      valid: false,
      failedStep: 4,
    })
    const { transactionHash } = await chain.pay({ from: 1, amountWei: 1n })
    expect(await verifyPasted(anchoredAlert, { avalancheTx: transactionHash })).toMatchObject({
      valid: false,
      failedStep: 4,
    })
  })

  test('fails with a signature for another chain, and the check of the log rejects that signature too', async () => {
    const otherChainContext = { ...ctx, config: { ...ctx.config, anchor: { ...ctx.config.anchor, chainId: 43114 } } }
    const { alert } = await issueTestAlert({ broadcast: false }, otherChainContext)
    const storedAlert = (await call<AdminAlert[]>('admin', 'GET', '/api/alerts')).body.find(({ id }) => id === alert.id)
    if (!storedAlert) throw new Error('The alert is not there')
    expect(await verifyPasted(storedAlert)).toMatchObject({ valid: false, failedStep: 2 })
    await expect(checkLog(ctx)).rejects.toThrow('signature of entry 5')
  })

  const pickSpecifiedFields = (alert: Alert) => {
    const { id, asset, priority, summary, confidence, regime, anomalyType, createdAt } = alert
    return { id, asset, priority, summary, confidence, regime, anomalyType, createdAt }
  }

  test('gives the same result for an unreadable and an unknown alert', async () => {
    const unknownResult = { valid: false, failedStep: 1, reason: 'Alert not found, or you do not have access to it' }
    const { alert: draft } = await issueTestAlert({ broadcast: false })
    const verifyAs = async (person: keyof typeof accountIds | null, alertId: string) => {
      const { signature, merklePath, avalancheTx } = anchoredAlert
      const claim = { alertId, signature, merklePath, avalancheTx }
      return (await call<VerifyAlertResponse>(person, 'POST', '/api/alerts/verify', claim)).body
    }
    const missingResult = await verifyAs(null, randomUUID())
    expect(missingResult).toMatchObject({ ...unknownResult, rungs: [] })
    for (const as of [null, 'visitor'] as const)
      for (const id of ['nothing', anchoredAlert.id, draft.id]) expect(await verifyAs(as, id)).toEqual(missingResult)
    expect(await verifyAs('subscriber', draft.id)).toEqual(missingResult)
    expect(await verifyAs('subscriber', anchoredAlert.id)).toMatchObject({ valid: true })
    expect(await verifyAs('admin', draft.id)).not.toEqual(missingResult)
    now = new Date(now.getTime() + 24 * HOUR_MS)
    expect(await verifyAs(null, anchoredAlert.id)).toMatchObject({ valid: true })
  })

  test('fills in missing fields of a pasted alert for its readers, and checks only some steps for others', async () => {
    const alert = pickSpecifiedFields(anchoredAlert)
    expect(await verifyPasted(anchoredAlert, { alert }, 'subscriber')).toMatchObject({
      valid: true,
      verdict: 'verified',
    })
    const changedAlert = { ...alert, summary: 'Changed' }
    expect(await verifyPasted(anchoredAlert, { alert: changedAlert }, 'subscriber')).toMatchObject({
      verdict: 'failed',
      failedStep: 1,
    })

    for (const pasted of [alert, changedAlert]) {
      const part = await verifyPasted(anchoredAlert, { alert: pasted })
      const unknownResult = await verifyPasted(anchoredAlert, { alertId: randomUUID(), alert: pasted })
      expect(part).toEqual(unknownResult)
      expect(part).toMatchObject({ valid: false, verdict: 'unavailable', failedStep: null, rungs: [] })
      expect(part.reason).toContain('this copy lacks origin, signalHash, signer, logIndex, leafHash, treeSize, root')
      expect(part.steps.map(({ status }) => status)).toEqual([...Array(4).fill('unavailable'), 'passed', 'passed'])
    }
    const { logIndex, treeSize, root } = anchoredAlert
    const placedResult = await verifyPasted(anchoredAlert, { alert: { ...alert, logIndex, treeSize, root } })
    expect(placedResult.reason).toContain('this copy lacks origin, signalHash, signer, leafHash')
    expect(placedResult.steps.map(({ status }) => status)).toEqual([
      ...Array(3).fill('unavailable'),
      ...Array(3).fill('passed'),
    ])
    const forgedAlert = { ...alert, logIndex, treeSize, root: changeLastDigit(root) }
    expect(await verifyPasted(anchoredAlert, { alert: forgedAlert })).toMatchObject({
      verdict: 'failed',
      failedStep: 4,
    })
    expect(await verifyPasted(anchoredAlert, { alert, avalancheTx: hash })).toMatchObject({
      verdict: 'failed',
      failedStep: 4,
    })
    expect(await verifyPasted(anchoredAlert, { alert, avalancheTx: '' })).toMatchObject({ verdict: 'unavailable' })
  })

  test('does not confirm the time of an incomplete copy that states it two hours before its anchor', async () => {
    const { logIndex, treeSize, root, createdAt } = anchoredAlert
    const earlyAt = new Date(Date.parse(createdAt) - 2 * HOUR_MS).toISOString()
    const alert = { ...pickSpecifiedFields(anchoredAlert), logIndex, treeSize, root, createdAt: earlyAt }
    const result = await verifyPasted(anchoredAlert, { alert })
    expect(result.steps[5]).toMatchObject({ id: 'blockTime', status: 'unproven' })
    expect(result.steps[5]?.reason).toContain('more than 15 minutes after')
    expect(result.checks.anchor).toEqual({ valid: false, reason: result.steps[5]?.reason })
  })

  test('does not store a read mark for an unreadable alert', async () => {
    const ids = [anchoredAlert.id, randomUUID()]
    for (const as of ['visitor', 'subscriber'] as const)
      expect(await call(as, 'POST', '/api/alerts/read', { ids })).toMatchObject({ status: 200 })
    const { rows } = await ctx.db.execute(sql`select account_id, alert_id from alert_reads`)
    expect(rows).toEqual([{ account_id: accountIds.subscriber, alert_id: anchoredAlert.id }])
  })

  test('reports "not anchored yet" before the anchor, and "cannot be checked" while the chain is unreachable', async () => {
    const { alert } = await issueTestAlert()
    const freshAlert = (await service.loadDeliveries(ctx, 5, 1))[0]?.alert
    expect(freshAlert?.id).toBe(alert.id)
    if (!freshAlert) throw new Error('The alert is not there')
    expect(await verifyPasted(freshAlert)).toMatchObject({ valid: false, verdict: 'not-anchored', failedStep: null })
    ctx.anchorChain = createChainClient(['http://127.0.0.1:9'])
    expect(await verifyPasted(anchoredAlert)).toMatchObject({
      valid: false,
      verdict: 'unavailable',
      failedStep: null,
      chainTime: null,
    })
  })
})

test('public statistics: contain counts, average confidence and time to anchor; 0 and null without alerts', async () => {
  const alertFigures = createAlertFigures()
  const emptyFigures = {
    total: 0,
    critical: 0,
    last24Hours: 0,
    criticalLast24Hours: 0,
    averageConfidence: null,
    medianToAnchorMs: null,
  }
  expect(await alertFigures(ctx, 'all')).toEqual(emptyFigures)
  await issueTestAlert({ createdAt: new Date(now.getTime() - 25 * HOUR_MS) })
  await issueTestAlert({ content: { ...content, priority: 'low', confidence: 50.4 } })
  expect(await alertFigures(ctx, 'all')).toMatchObject({
    total: 2,
    critical: 1,
    last24Hours: 1,
    criticalLast24Hours: 0,
  })
  await anchorTo(2)
  const [anchor] = await listAnchors(ctx.db)
  const figures = await alertFigures(ctx, 'all')
  expect(figures.averageConfidence).toBeCloseTo(75.15, 10)
  expect(figures.medianToAnchorMs).toBe(Math.max(0, (anchor?.blockAt.getTime() ?? 0) - now.getTime()))
})

test('public statistics: leave the time to anchor of a draft out of the median until the draft is broadcast', async () => {
  const alertFigures = createAlertFigures()
  const { alert } = await issueTestAlert({ broadcast: false })
  await anchorTo(1)
  expect(await alertFigures(ctx, 'public')).toMatchObject({ medianToAnchorMs: null })
  await service.broadcastAlert(ctx, alert.id)
  expect(await alertFigures(ctx, 'public')).toMatchObject({ medianToAnchorMs: expect.any(Number) })
})

test('statistics: are counted again when a failover has lost or replaced the last counted alert', async () => {
  const alertFigures = createAlertFigures()
  const readCounts = async () => {
    const { total, critical } = await alertFigures(ctx, 'all')
    const byPriority = await countByPriority(ctx.db)
    const { accepted } = await readSignalCounts(ctx)
    return { total, critical, listed: byPriority.get('critical'), accepted }
  }
  for (const signalId of ['one', 'two'])
    await issueTestAlert({ origin: 'feed', signalId, signalHash: hashSignal(signalId) })
  expect(await readCounts()).toEqual({ total: 2, critical: 2, listed: 2, accepted: 2 })
  await ctx.db.execute(sql`update alerts set id = 'other', priority = 'low', signal_id = null where log_index = 1`)
  expect(await readCounts(), 'replaced').toEqual({ total: 2, critical: 1, listed: 1, accepted: 1 })
  await ctx.db.execute(sql`delete from alerts where log_index = 1`)
  expect(await readCounts(), 'lost').toEqual({ total: 1, critical: 1, listed: 1, accepted: 1 })
})

test('public statistics: equal a recomputation for every audience after each new alert, cached or not', async () => {
  const frequentFigures = createAlertFigures()
  const rareFigures = createAlertFigures()
  const madeAlerts: { id: string; at: number; isCritical: boolean; tenths: number; isSent: boolean }[] = []
  const hoursOn = [0, 1, 0, 23, 1, 3, 0, 30, 6]
  for (const [round, hours] of hoursOn.entries()) {
    now = new Date(now.getTime() + hours * HOUR_MS)
    // Backdate the alert, as in the demo's history, but not to before the previous alert.
    const createdAt = new Date(Math.max(madeAlerts.at(-1)?.at ?? 0, now.getTime() - (round % 3) * 12 * HOUR_MS))
    const priority = round % 2 === 0 ? 'critical' : 'low'
    const tenths = 500 + round * 37
    const isSent = round % 3 !== 1
    const { alert } = await issueTestAlert({
      createdAt,
      content: { ...content, priority, confidence: tenths / 10 },
      broadcast: isSent,
    })
    madeAlerts.push({ id: alert.id, at: createdAt.getTime(), isCritical: priority === 'critical', tenths, isSent })
    // Broadcast an earlier draft. From then on, the statistics shown to subscribers include it.
    const draft = madeAlerts.at(-3)
    if (draft && !draft.isSent && round > 5) {
      await service.broadcastAlert(ctx, draft.id)
      draft.isSent = true
    }
    for (const coverage of ['public', 'subscribed', 'all'] as const) {
      const isPublic = (one: { at: number }) => one.at <= now.getTime() - 24 * HOUR_MS
      const coveredAlerts = madeAlerts.filter(
        (one) => coverage === 'all' || isPublic(one) || (coverage === 'subscribed' && one.isSent),
      )
      const recentAlerts = coveredAlerts.filter((one) => one.at >= now.getTime() - 24 * HOUR_MS)
      const sum = coveredAlerts.reduce((tenthsBefore, one) => tenthsBefore + one.tenths, 0)
      const expected = {
        total: coveredAlerts.length,
        critical: coveredAlerts.filter(({ isCritical }) => isCritical).length,
        last24Hours: recentAlerts.length,
        criticalLast24Hours: recentAlerts.filter(({ isCritical }) => isCritical).length,
        averageConfidence: coveredAlerts.length === 0 ? null : sum / coveredAlerts.length / 10,
      }
      const reads = [
        frequentFigures(ctx, coverage),
        ...(round % 4 === 0 ? [frequentFigures(ctx, coverage), rareFigures(secondContext.ctx, coverage)] : []),
      ]
      for (const figures of await Promise.all(reads))
        expect(figures, `${coverage} after ${round + 1}`).toMatchObject(expected)
    }
  }
})
