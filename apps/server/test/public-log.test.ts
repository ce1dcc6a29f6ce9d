import {
  addressOfKey,
  bytesToHex,
  createLogCheck,
  type Hex,
  hexToBytes,
  rootOfLeaves,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
} from '@tocsin/proof'
import { type AdminAlert, serverMessage } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient, testKey } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadDeliveries } from '../src/features/alerts/service.ts'
import { readMedianToAnchor } from '../src/features/alerts/store.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { resumeLog } from '../src/features/tlog/resume-log.ts'
import { listPublishedKeys, rotateSigner } from '../src/features/tlog/service.ts'
import { readTimeToAnchor } from '../src/features/tlog/stats-store.ts'
import { openSocket, send } from './raw-client.ts'

/**
 * Tests the log from outside on the whole server, as the public sees it: proofs, corrections, key
 * rotation and a stopped log.
 */

const MARKER = 'zqsecretqz'
const getAddress = (key: Hex) => addressOfKey(hexToBytes(key))
const keys = { signerKey: testKey(0x51), signerKeyNext: testKey(0x52) }
const content = { asset: `${MARKER}-a`, summary: `${MARKER}-s`, regime: `${MARKER}-r`, anomalyType: `${MARKER}-t` }
const alert = { ...content, confidence: 91.5, priority: 'high' } as const

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let admin: TestClient
let stranger: TestClient

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(
    parts,
    { ...keys, publicDelayHours: 1, anchor: { ...parts.chain.settings.anchor, intervalSeconds: 0.1 } },
    { clock },
  )
  admin = await server.signInAdmin()
  stranger = server.createClient()
})
afterAll(() => server?.close())

const getDomain = () => ({ chainId: parts.chain.chainId, verifyingContract: parts.chain.anchorContract })
const issue = async (body: object = {}) => (await admin.call('createAlert', { body: { ...alert, ...body } })).alert
const requestPath = (path: string) => send(server.url, { path })

/** Advances the clocks of the server and the chain. Sessions can expire as a result. */
async function passTime(ms: number): Promise<void> {
  clock.advance(ms)
  admin = await server.signInAdmin()
  await parts.chain.control.increaseTime({ seconds: ms / 1000 })
  await parts.chain.mine()
}

async function waitUntilAnchored(size: number): Promise<void> {
  await eventually(async () => expect((await stranger.call('logHead')).anchored?.size).toBe(size))
}

test('log: begins with a key list', async () => {
  const { size, entries } = await stranger.call('logEntries')
  expect(size).toBe(1)
  expect(JSON.parse(entries[0]?.bytes ?? '')).toMatchObject({
    kind: 'keys',
    index: 0,
    keys: [{ address: getAddress(keys.signerKey), fromIndex: 0, untilIndex: null }],
  })
  const { signer, firstSigner, log } = await stranger.call('publicConfig')
  expect([signer, firstSigner]).toEqual([getAddress(keys.signerKey), getAddress(keys.signerKey)])
  expect(log.origin).toBe(server.ctx.config.logOrigin)
  await waitUntilAnchored(1)
})

describe('content of a recent alert', () => {
  beforeAll(async () => {
    await issue()
    await issue({ broadcast: false })
    await waitUntilAnchored(3)
  })

  test.each([
    '/api/log/head',
    '/api/log/checkpoint',
    '/api/log/consistency?from=1&to=3',
    '/api/log/inclusion?index=1&size=3',
    '/api/log/inclusion?index=2&size=3',
    '/api/log/entries',
    '/api/log/anchors',
    '/api/log/keys',
    '/api/log/stats',
    '/api/alerts/pulse',
  ])('does not appear in %s', async (path) => {
    const { status, body } = await requestPath(path)
    expect(status).toBe(path.includes('inclusion') ? 403 : 200)
    expect(body).not.toContain(MARKER)
  })

  test('is public after the public delay', async () => {
    const entriesBefore = await stranger.call('logEntries', { query: { from: 1 } })
    expect(entriesBefore.entries).toMatchObject([
      { index: 1, bytes: null, signature: null },
      { index: 2, bytes: null, signature: null },
    ])
    await passTime(HOUR_MS - 1_000)
    expect((await requestPath('/api/log/inclusion?index=1&size=3')).status).toBe(403)
    await passTime(1_000)
    const entriesAfter = await stranger.call('logEntries', { query: { from: 1 } })
    expect(entriesAfter.entries.map(({ leafHash }) => leafHash)).toEqual(
      entriesBefore.entries.map(({ leafHash }) => leafHash),
    )
    for (const { bytes } of entriesAfter.entries) expect(JSON.parse(bytes ?? '')).toMatchObject(content)
    expect(await stranger.call('logInclusion', { query: { index: 1, size: 3 } })).toMatchObject({
      bytes: entriesAfter.entries[0]?.bytes,
      signature: entriesAfter.entries[0]?.signature,
    })
  })
})

test('log API: rejects impossible ranges with a message', async () => {
  const { size } = await stranger.call('logHead')
  for (const path of [
    `consistency?from=1&to=${size + 1}`,
    'consistency?from=0&to=1',
    'consistency?from=2&to=1',
    'consistency?from=x&to=1',
    'consistency?from=1.5&to=2',
    'consistency?from=1',
    `inclusion?index=0&size=${size + 1}`,
    'inclusion?index=1&size=1',
    'inclusion?index=-1&size=1',
    `inclusion?index=0&size=${2 ** 60}`,
    'entries?from=-1',
    'entries?limit=1001',
    'entries?limit=0',
    'anchors?above=x',
    'stats?more=1',
  ]) {
    const { status, body } = await requestPath(`/api/log/${path}`)
    expect([path, status, JSON.parse(body).code]).toEqual([path, 400, 'malformed'])
  }
})

test('log API: accepts a hundred requests a minute each for entries and for messages from one client', async () => {
  for (const path of ['/api/log/entries', '/api/log/messages']) {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await requestPath(path)).status))
    expect(new Set(statuses), path).toEqual(new Set([200]))
  }
})

test('log API: proofs match the root computed from the entries, and the checkpoint is signed', async () => {
  for (let index = 0; index < 5; index += 1) await issue()
  await passTime(HOUR_MS)
  const { size, entries } = await stranger.call('logEntries')
  const leaves = entries.map(({ leafHash }) => hexToBytes(leafHash))
  const rootAt = (end: number) => rootOfLeaves(leaves.slice(0, end))
  expect((await stranger.call('logHead')).root).toBe(bytesToHex(rootAt(size)))
  for (let to = 1; to <= size; to += 1) {
    for (let from = 1; from <= to; from += 1) {
      const path = (await stranger.call('logConsistency', { query: { from, to } })).path.map(hexToBytes)
      const claim = { oldSize: from, newSize: to, oldRoot: rootAt(from), newRoot: rootAt(to), path }
      expect(verifyConsistency(claim)).toBe(true)
    }
  }
  for (let index = 0; index < size; index += 1) {
    const { leafHash, merklePath } = await stranger.call('logInclusion', { query: { index, size } })
    const path = merklePath.map(hexToBytes)
    expect(verifyInclusion({ leafHash: hexToBytes(leafHash), index, size, path, root: rootAt(size) })).toBe(true)
  }
  const { headers, body } = await requestPath('/api/log/checkpoint')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(headers['cache-control']).toBe('no-store')
  const origin = server.ctx.config.logOrigin
  const checkpoint = verifyCheckpoint(body, { origin, keys: await listPublishedKeys(server.ctx) })
  expect(checkpoint).toMatchObject({ size, root: rootAt(size) })
  expect((await requestPath('/api/log/consistency?from=1&to=2')).headers['cache-control']).toBe('public, max-age=60')
})

describe('corrections and retractions', () => {
  let target: AdminAlert
  const correctAlert = (id: string) =>
    admin.call('correctAlert', { params: { id }, body: { ...alert, summary: 'Right' } })
  const retractAlert = (id: string) =>
    admin.call('retractAlert', { params: { id }, body: { reason: 'It was a test.' } })
  const findAlert = async (id: string) => (await admin.call('listAlerts')).find((each) => each.id === id)

  beforeEach(async () => {
    target = await issue()
  })

  test('are rejected for unknown alerts, retractions and retracted alerts', async () => {
    for (const id of ['nothing', 'a\0b', '0190b8f0-0000-7000-8000-000000000000']) {
      await expect(correctAlert(id)).rejects.toMatchObject({ status: 404 })
      await expect(retractAlert(id)).rejects.toMatchObject({ status: 404 })
    }
    const { alert: retraction } = await retractAlert(target.id)
    for (const { id } of [target, retraction]) {
      await expect(correctAlert(id)).rejects.toMatchObject({ status: 409, code: 'alert_retracted' })
      await expect(retractAlert(id)).rejects.toMatchObject({ status: 409, code: 'alert_retracted' })
    }
    await expect(correctAlert(target.id)).rejects.toThrow(
      'This alert has been retracted and can no longer be corrected',
    )
    await expect(retractAlert(retraction.id)).rejects.toThrow('This is a retraction: it cannot be retracted')
  })

  test('are issued once when ten run concurrently', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => retractAlert(target.id)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await checkLog(server.ctx)
  })

  test('reference the original alert, are broadcast, and are named in the supersededBy field of that alert', async () => {
    const pointsBack = { targetIndex: target.logIndex, targetLeafHash: target.leafHash, origin: 'admin' }
    const { alert: correction } = await correctAlert(target.id)
    expect(correction).toMatchObject({ ...pointsBack, kind: 'correction', summary: 'Right', supersededBy: null })
    expect((await findAlert(target.id))?.supersededBy).toEqual({
      logIndex: correction.logIndex,
      id: correction.id,
      kind: 'correction',
    })
    const { alert: retraction } = await retractAlert(target.id)
    const { asset, regime, anomalyType, confidence, priority } = alert
    expect(retraction).toMatchObject({ ...pointsBack, asset, regime, anomalyType, confidence, priority })
    expect(retraction).toMatchObject({ kind: 'retraction', summary: 'It was a test.' })
    expect((await findAlert(target.id))?.supersededBy).toMatchObject({ id: retraction.id, kind: 'retraction' })
    expect(await findAlert(correction.id)).toMatchObject({ supersededBy: null })
    const sentAlerts = (await loadDeliveries(server.ctx, 0, 1_000)).map((delivery) => delivery.alert)
    expect(sentAlerts.slice(-2).map(({ id }) => id)).toEqual([correction.id, retraction.id])
    expect(sentAlerts.at(-3)).toMatchObject({ id: target.id, supersededBy: { id: retraction.id } })
    await checkLog(server.ctx)
  })

  test('appear as supersededBy of the original alert in deliveries only after they are broadcast', async () => {
    await passTime(HOUR_MS)
    const { alert: correction } = await admin.call('correctAlert', {
      params: { id: target.id },
      body: { ...alert, summary: 'Right', broadcast: false },
    })
    const findSupersededBy = async () => {
      const sentDeliveries = await loadDeliveries(server.ctx, 0, 1_000)
      return sentDeliveries.find((delivery) => delivery.alert.id === target.id)?.alert.supersededBy
    }
    expect(await findSupersededBy()).toBeNull()
    await admin.call('broadcastAlert', { params: { id: correction.id } })
    expect(await findSupersededBy()).toMatchObject({ id: correction.id })
  })

  test('reach open streams, and streams that resume from an earlier entry', async () => {
    const wallet = parts.chain.wallet(2)
    await admin.proveWallet(wallet)
    const listenFrom = async (lastIndex?: number) => {
      const socket = await openSocket(server.url, { origin: server.url, cookie: admin.cookie() })
      socket.send({ type: 'authenticate', walletAddress: wallet.account.address, lastIndex })
      const messages = () => socket.frames.map((frame) => serverMessage.parse(JSON.parse(frame)))
      await expect.poll(messages).toContainEqual(expect.objectContaining({ type: 'live' }))
      const receivedAlerts = () =>
        messages().flatMap((message) => (message.type === 'new_alert' ? [message.alert] : []))
      return { receivedAlerts, close: socket.close }
    }
    const listener = await listenFrom()
    const corrected = (await correctAlert(target.id)).alert
    const retracted = (await retractAlert(target.id)).alert
    const inOrder = [corrected, retracted].map(({ id, kind }) => ({ id, kind, targetIndex: target.logIndex }))
    // Keep the first message of each alert, because corrections and retractions are sent again with
    // their proof when they are anchored.
    const listFirstReceived = (alerts: ReturnType<typeof listener.receivedAlerts>) =>
      alerts
        .filter(
          ({ id, logIndex }, index) => logIndex > target.logIndex && alerts.findIndex((one) => one.id === id) === index,
        )
        .map(({ id, kind, targetIndex }) => ({ id, kind, targetIndex }))
    await expect.poll(() => listFirstReceived(listener.receivedAlerts())).toEqual(inOrder)
    listener.close()
    const returned = await listenFrom(target.logIndex)
    expect(listFirstReceived(returned.receivedAlerts())).toEqual(inOrder)
    returned.close()
    const lateListener = await listenFrom(corrected.logIndex)
    expect(listFirstReceived(lateListener.receivedAlerts())).toContainEqual(inOrder[1])
    lateListener.close()
  })

  test('can be verified', async () => {
    const { alert: correction } = await correctAlert(target.id)
    await waitUntilAnchored(correction.logIndex + 1)
    const storedCorrection = await findAlert(correction.id)
    if (!storedCorrection) throw new Error('The correction is not there')
    const {
      signature,
      merklePath,
      avalancheTx,
      broadcastAt: _,
      anchoredAt: __,
      supersededBy: ___,
      ...pasted
    } = storedCorrection
    const proof = { alertId: storedCorrection.id, signature, merklePath, avalancheTx: avalancheTx ?? '' }
    expect(await admin.call('verifyAlert', { body: proof })).toMatchObject({ valid: true })
    expect(await stranger.call('verifyAlert', { body: { ...proof, alert: pasted } })).toMatchObject({ valid: true })
    for (const change of [{ kind: 'retraction' }, { targetIndex: 0 }, { kind: undefined }]) {
      const body = { ...proof, alert: { ...pasted, ...change } }
      expect(await stranger.call('verifyAlert', { body })).toMatchObject({ valid: false, failedStep: 1 })
    }
  })
})

test('key rotation: keeps old alerts valid and stops using the old key while alerts are issued', async () => {
  const alertBefore = await issue()
  const issuing = Promise.all(Array.from({ length: 20 }, () => issue()))
  const { index, from, to } = await rotateSigner(server.ctx)
  expect([from, to]).toEqual([getAddress(keys.signerKey), getAddress(keys.signerKeyNext)])
  for (const { logIndex, signer } of await issuing) expect(signer).toBe(logIndex < index ? from : to)
  const alertAfter = await issue()
  await checkLog(server.ctx)
  await waitUntilAnchored(alertAfter.logIndex + 1)
  for (const { id, signer } of [alertBefore, alertAfter]) {
    const storedAlert = (await admin.call('listAlerts')).find((each) => each.id === id)
    const { signature, merklePath, avalancheTx } = storedAlert ?? alertBefore
    const body = { alertId: id, signature, merklePath, avalancheTx: avalancheTx ?? '' }
    expect([signer, (await admin.call('verifyAlert', { body })).valid]).toEqual([signer, true])
  }
  const { entries } = await stranger.call('logKeys')
  expect(entries.map((entry) => entry.index)).toEqual([0, index])
  for (const { treeSize, avalancheTx } of entries) expect([treeSize, avalancheTx]).not.toContain(null)
  expect(await stranger.call('publicConfig')).toMatchObject({ signer: to, firstSigner: from })
  const { body } = await requestPath('/api/log/checkpoint')
  const origin = server.ctx.config.logOrigin
  verifyCheckpoint(body, { origin, keys: await listPublishedKeys(server.ctx) })
  await expect(rotateSigner(server.ctx)).rejects.toThrow('There is no new key to rotate to')
})

test('server start: fails without the current signing key of the log, and succeeds with only that key', async () => {
  const { databaseUrl } = server.ctx.config
  const startWithKey = (signerKey: typeof keys.signerKey) =>
    startTestServer(parts, { databaseUrl, signerKey, signerKeyNext: null }, { clock })
  const expectedError = `The log names the signing key ${getAddress(keys.signerKeyNext)}, but this server holds`
  for (const key of [keys.signerKey, testKey(0x53)]) await expect(startWithKey(key)).rejects.toThrow(expectedError)
  await (await startWithKey(keys.signerKeyNext)).close()
})

test('log: all entries can be verified one by one against the first key and the anchors, and the statistics match', async () => {
  await passTime(HOUR_MS)
  const { size, entries } = await stranger.call('logEntries')
  const { anchors } = await stranger.call('logAnchors')
  const check = createLogCheck({ domain: getDomain(), firstSigner: getAddress(keys.signerKey) })
  for (const entry of entries) {
    const { index, leafHash, bytes, signature } = entry
    expect(check.add({ index, leafHash: bytesToHex(hexToBytes(leafHash)), bytes, signature })).toBeNull()
    const anchor = anchors.find((each) => each.size === check.size)
    if (anchor) expect(check.checkAnchor({ size: anchor.size, root: bytesToHex(hexToBytes(anchor.root)) })).toBeNull()
  }
  expect(check.size).toBe(size)
  const figures = {
    size,
    entriesStored: size,
    gaps: 0,
    alerts: check.counts.alerts,
    corrections: check.counts.corrections,
    retractions: check.counts.retractions,
    keyLists: 2,
    heartbeats: check.counts.heartbeats,
    successions: 0,
    anchors: anchors.length,
    anchoredSize: anchors.at(-1)?.size,
  }
  // Poll, because a busy machine may still return cached figures from the start of the test.
  await eventually(async () => expect(await stranger.call('logStats')).toMatchObject(figures))
  const [, second] = anchors
  const anchorsAbove = await stranger.call('logAnchors', { query: { above: second?.size ?? 0, limit: 1 } })
  expect(anchorsAbove.anchors).toEqual(anchors.slice(2, 3))
})

test('time to anchor: ignores an anchor that is older than its entry', async () => {
  const longAgo = new Date(0)
  const { db } = server.ctx
  expect((await readTimeToAnchor(db, longAgo, clock.now())).sample).toBeGreaterThan(20)
  expect(await readMedianToAnchor(db, longAgo)).not.toBeNull()
  const figures: unknown[] = []
  const undoneTransaction = db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    await tx.execute(sql`update log_entries set appended_at = appended_at + interval '1 day'`)
    figures.push(await readTimeToAnchor(tx, longAgo, clock.now()), await readMedianToAnchor(tx, longAgo))
    await tx.execute(sql`
      update log_entries e
      set appended_at = (select min(block_at) from anchors where size > e.index) - interval '3 seconds'
      where index = (select min(log_index) from alerts where broadcast_at is not null)`)
    figures.push(await readMedianToAnchor(tx, longAgo))
    tx.rollback()
  })
  await expect(undoneTransaction).rejects.toThrow()
  expect(figures).toEqual([{ medianMs: null, p95Ms: null, sample: 0 }, null, 3_000])
})

test('damaged log: issues no alert and reports the reason until an operator repairs and resumes it', async () => {
  const { ctx } = server
  const { size } = await stranger.call('logHead')
  await ctx.db.execute(sql`create table kept as select * from log_head`)
  let issuing: Promise<unknown> | undefined
  await ctx.db.transaction(async (tx) => {
    await tx.execute(sql`update log_head set frontier = set_byte(frontier, 4, 255 - get_byte(frontier, 4))`)
    // Issuing this alert waits for the lock on the damaged row, so it detects the damage before the
    // anchoring job does.
    issuing = expect(issue()).rejects.toMatchObject({ status: 500 })
    await expect.poll(() => countLockWaiters(ctx.db)).toBeGreaterThan(0)
  })
  await issuing
  await expect(issue()).rejects.toMatchObject({ status: 503, code: 'log_stopped' })
  await expect(resumeLog(ctx)).rejects.toThrow('damaged')
  await ctx.db.execute(sql`delete from log_head`)
  await ctx.db.execute(sql`insert into log_head select * from kept`)
  await expect(issue()).rejects.toMatchObject({ status: 503, code: 'log_stopped' })
  expect(JSON.parse((await requestPath('/readyz')).body).reasons.anchoring).toMatch(/^the log is stopped: .*damaged/)
  expect(await admin.call('systemStatus')).toMatchObject({
    anchor: { state: 'stopped', reason: expect.stringContaining('damaged') },
  })
  expect(await resumeLog(ctx)).toMatchObject({ reason: expect.stringContaining('damaged') })
  expect(await resumeLog(ctx)).toBeNull()
  expect(await issue()).toMatchObject({ logIndex: size })
  await checkLog(ctx)
})

/** Counts the statements that wait for a lock. */
async function countLockWaiters(db: TestServer['ctx']['db']): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}
