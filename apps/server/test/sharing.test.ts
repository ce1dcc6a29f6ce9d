import { bytesToHex, parseBundle, verifyBundle } from '@tocsin/proof'
import { alertAt } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordActivities } from '../src/activity-log.ts'
import { accounts, activities } from '../src/db/schema/accounts.ts'
import { alertOutcomes, alertShares } from '../src/db/schema/alerts.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { setPassword } from '../src/features/accounts/service.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { hashSecret } from '../src/features/sessions/secret.ts'
import { MAX_SHARES_PER_DAY } from '../src/features/sharing/share.ts'
import { send } from './raw-client.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let sharer: TestClient

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock })
  const [client] = await addSubscriber()
  sharer = client
})
afterAll(() => server?.close())

async function addSubscriber(forMs = 1_000 * HOUR_MS): Promise<[client: TestClient, accountId: string]> {
  const { client, accountId } = await server.addUser({ planMs: forMs })
  return [client, accountId]
}

const issue = (summary = 'zqrare summary', broadcast = true) => issueTestAlert(server.ctx, summary, { broadcast })

let requestCount = 0
/** Sends a request. Each anonymous request comes from another network. */
function sendRequest(method: string, path: string, body?: object, from?: string) {
  requestCount += 1
  const headers = {
    'x-forwarded-for': from ?? `198.18.${requestCount >> 8}.${requestCount & 255}`,
    origin: server.url,
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  return send(server.url, { method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}
const openShared = (index: number, token: string, from?: string) =>
  sendRequest('POST', `/api/alerts/at/${index}/shared`, { token }, from)

/** Returns all observable parts of a response, except those that differ in each request. */
const pickVisible = ({ status, headers, body }: Awaited<ReturnType<typeof sendRequest>>) => ({
  status,
  body: body.replace(/"requestId":"[^"]*"/, ''),
  type: headers['content-type'],
  length: headers['content-length'],
  cache: headers['cache-control'],
  etag: headers.etag,
})

async function shareAlert(id: string, client = sharer): Promise<string> {
  const { token } = await client.call('shareAlert', { params: { id } })
  if (token === null) throw new Error('The alert is public')
  return token
}

async function runWithSetting<Result>(shareLinkHours: number, act: () => Promise<Result>): Promise<Result> {
  const { config } = server.ctx
  const hoursBefore = config.shareLinkHours
  try {
    config.shareLinkHours = shareLinkHours
    return await act()
  } finally {
    config.shareLinkHours = hoursBefore
  }
}

describe('a share token that grants no access', () => {
  /** Functions that make a token invalid and return it. */
  const cases: [string, (alert: { id: string }) => Promise<string>, (() => Promise<unknown>)?][] = [
    ['is empty', async () => ''],
    ['is unknown', async () => 'A'.repeat(43)],
    ['is the stored hash of a valid one', async ({ id }) => hashSecret(await shareAlert(id))],
    ['is a valid one in another case', async ({ id }) => (await shareAlert(id)).toLowerCase()],
    ['is that of another alert', async () => shareAlert((await issue('another')).id)],
    [
      'is expired',
      async ({ id }) => {
        const token = await shareAlert(id)
        await server.ctx.db
          .update(alertShares)
          .set({ createdAt: new Date(clock.now().getTime() - 24 * HOUR_MS) })
          .where(eq(alertShares.tokenHash, hashSecret(token)))
        return token
      },
    ],
    [
      'was ended by its creator',
      async ({ id }) => {
        const token = await shareAlert(id)
        await sharer.call('endShares', { params: { id } })
        return token
      },
    ],
    [
      'is of a suspended account',
      async ({ id }) => {
        const [client, accountId] = await addSubscriber()
        const token = await shareAlert(id, client)
        await server.ctx.db.update(accounts).set({ suspendedAt: clock.now() }).where(eq(accounts.id, accountId))
        return token
      },
    ],
    [
      'is of a deleted account',
      async ({ id }) => {
        const [client] = await addSubscriber()
        const token = await shareAlert(id, client)
        await client.call('deleteAccount', { body: { confirmation: 'delete my account' } })
        return token
      },
    ],
    [
      'is older than a reset of the password',
      async ({ id }) => {
        const [client, accountId] = await addSubscriber()
        const token = await shareAlert(id, client)
        await setPassword(server.ctx, accountId, 'another very long password of a sharer')
        return token
      },
    ],
    [
      'is of an account whose plan has ended',
      async ({ id }) => {
        const [client, accountId] = await addSubscriber()
        const token = await shareAlert(id, client)
        const pastTime = new Date(clock.now().getTime() - 1)
        await server.ctx.db
          .update(subscriptions)
          .set({ endsAt: pastTime })
          .where(eq(subscriptions.accountId, accountId))
        return token
      },
    ],
  ]

  test.each(cases)('gets the same response as no token, byte for byte, because it %s', async (_name, tokenFor) => {
    const alert = await issue()
    const responseWithoutToken = pickVisible(await sendRequest('GET', `/api/alerts/at/${alert.logIndex}`))
    expect(alertAt.parse(JSON.parse(responseWithoutToken.body))).toEqual({
      access: 'withheld',
      priority: 'high',
      createdAt: alert.createdAt.toISOString(),
      logIndex: alert.logIndex,
      leafHash: bytesToHex(alert.leafHash),
      publicAt: new Date(alert.createdAt.getTime() + 24 * HOUR_MS).toISOString(),
    })
    const token = await tokenFor(alert)
    expect(pickVisible(await openShared(alert.logIndex, token))).toEqual(responseWithoutToken)
  })

  test('does not reveal a later retraction of its alert when the alert is public', async () => {
    const alert = await issue()
    clock.advance(20 * HOUR_MS)
    const token = await shareAlert(alert.id)
    clock.advance(5 * HOUR_MS)
    const reason = 'zqrare reason'
    await createIssuer(server.ctx)({ kind: 'retraction', targetId: alert.id, reason, broadcast: true })
    const responseWithoutToken = pickVisible(await sendRequest('GET', `/api/alerts/at/${alert.logIndex}`))
    expect(JSON.parse(responseWithoutToken.body)).toMatchObject({
      access: 'public',
      bundle: { alert: { supersededBy: null } },
    })
    expect(pickVisible(await openShared(alert.logIndex, token))).toEqual(responseWithoutToken)
  })

  test('is ignored while sharing is off, even if the token was created while sharing was on', async () => {
    const alert = await issue()
    const token = await shareAlert(alert.id)
    const responseWithoutToken = pickVisible(await sendRequest('GET', `/api/alerts/at/${alert.logIndex}`))
    expect(pickVisible(await runWithSetting(0, () => openShared(alert.logIndex, token)))).toEqual(responseWithoutToken)
    expect(JSON.parse((await openShared(alert.logIndex, token)).body).access).toBe('shared')
    for (const id of [alert.id, '00000000-0000-4000-8000-000000000000']) {
      const refused = runWithSetting(0, () => sharer.call('shareAlert', { params: { id } }))
      await expect(refused).rejects.toMatchObject({ code: 'sharing_off', status: 403 })
    }
  })

  test('is ignored when its creator is an admin without the second factor that is now required', async () => {
    const alert = await issue()
    const token = await shareAlert(alert.id, await server.signInAdmin())
    const responseWithoutToken = pickVisible(await sendRequest('GET', `/api/alerts/at/${alert.logIndex}`))
    expect(JSON.parse((await openShared(alert.logIndex, token)).body).access).toBe('shared')
    const { config } = server.ctx
    const factorBefore = config.adminFactor
    try {
      config.adminFactor = { isRequired: true, exemptEmail: null }
      expect(pickVisible(await openShared(alert.logIndex, token))).toEqual(responseWithoutToken)
    } finally {
      config.adminFactor = factorBefore
    }
  })

  test('is ignored in the first 60 guesses of a network, and later guesses are rate limited', async () => {
    const { logIndex } = await issue()
    const responseWithoutToken = pickVisible(await sendRequest('GET', `/api/alerts/at/${logIndex}`))
    const answers: ReturnType<typeof pickVisible>[] = []
    for (let index = 0; index < 70; index++)
      answers.push(pickVisible(await openShared(logIndex, `guess-${index}`, '203.0.113.7')))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(10)
    expect(answers.slice(0, 60)).toEqual(answers.slice(0, 60).map(() => responseWithoutToken))
  })
})

test.each([
  ['a key list', 0],
  ['a future entry', 1_000_000],
  ['no entry, the largest possible one', Number.MAX_SAFE_INTEGER],
])(
  'requests for the index of %s get the 404 response for a draft alert, with and without a token',
  async (_name, index) => {
    const draftAlert = await issue('zqdraft', false)
    const ofDraft = pickVisible(await sendRequest('GET', `/api/alerts/at/${draftAlert.logIndex}`))
    expect(ofDraft.status).toBe(404)
    expect(pickVisible(await sendRequest('GET', `/api/alerts/at/${index}`))).toEqual(ofDraft)
    expect(pickVisible(await openShared(index, await shareAlert((await issue()).id)))).toEqual(ofDraft)
    const admin = await server.signInAdmin()
    await expect(admin.call('shareAlert', { params: { id: draftAlert.id } })).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

test.each(['-1', '1e3', '9007199254740992', '0x10', '01', '1.0', ' 1', '٣', 'text', '%00', 'x'.repeat(10_000)])(
  'the malformed index %s is refused with status 400',
  async (index) => {
    for (const answer of [
      await sendRequest('GET', `/api/alerts/at/${encodeURIComponent(index)}`),
      await sendRequest('POST', `/api/alerts/at/${encodeURIComponent(index)}/shared`, { token: '' }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.length).toBeLessThan(1_000)
    }
  },
)

describe('a valid token', () => {
  test('shows one alert with a proof that verifies, and nothing else', async () => {
    const alert = await issue('zqdisclosed')
    const otherAlert = await issue('zqother')
    const token = await shareAlert(alert.id)
    await server.ctx.db.insert(alertOutcomes).values({
      // The outcome references the entry of another alert, because it has no log entry.
      ...{ logIndex: otherAlert.logIndex, targetIndex: alert.logIndex, createdAt: clock.now() },
      ...{ verdict: 'did-not', measured: '0.5', messageHash: `0x${'1'.repeat(64)}`, message: 'its candles' },
    })
    const answer = await openShared(alert.logIndex, token)
    expect(answer.headers['cache-control']).toBe('no-store')
    const page = alertAt.parse(JSON.parse(answer.body))
    if (page.access === 'withheld') throw new Error('It is withheld')
    expect(page).toMatchObject({
      ...{ access: 'shared', outcomeMessage: 'its candles' },
      bundle: { alert: { summary: 'zqdisclosed', id: alert.id } },
    })
    const bundle = parseBundle(page.bundle)
    const { chainId, contract } = bundle.anchor
    const trust = { firstSigner: bundle.firstSigner, domain: { chainId, verifyingContract: contract } }
    const { verdict } = await verifyBundle(bundle, { trust, rpc: () => Promise.reject(new Error('no node')) })
    expect(['not-anchored', 'unavailable']).toContain(verdict)

    expect((await openShared(otherAlert.logIndex, token)).body).not.toContain('zq')
    for (const path of [
      `/api/alerts/at/${alert.logIndex}`,
      `/api/alerts/${alert.id}/bundle`,
      `/api/alerts/${alert.id}/signal`,
      '/api/alerts/recent?limit=100',
      '/api/log/entries?from=0&limit=1000',
    ]) {
      expect((await sendRequest('GET', path)).body, path).not.toContain('zqdisclosed')
    }
  })

  test('shows that its alert was retracted, without the text of the retraction', async () => {
    const alert = await issue('zqretracted')
    const token = await shareAlert(alert.id)
    const { alert: retractionAlert } = await createIssuer(server.ctx)({
      kind: 'retraction',
      targetId: alert.id,
      reason: 'zqreason',
      broadcast: true,
    })
    const { body } = await openShared(alert.logIndex, token)
    expect(JSON.parse(body).bundle.alert.supersededBy).toEqual({
      logIndex: retractionAlert.logIndex,
      id: `locked-${retractionAlert.logIndex}`,
      kind: 'retraction',
    })
    for (const secret of ['zqreason', retractionAlert.id]) expect(body).not.toContain(secret)
    expect((await openShared(retractionAlert.logIndex, token)).body).not.toContain('zqre')
    expect(JSON.parse((await openShared(retractionAlert.logIndex, token)).body).access).toBe('withheld')
  })

  test('can be revoked after the plan of its creator has ended, and shows nothing after a renewal', async () => {
    const alert = await issue()
    const [client, accountId] = await addSubscriber()
    const token = await shareAlert(alert.id, client)
    const movePlanEnd = (fromNowMs: number) =>
      server.ctx.db
        .update(subscriptions)
        .set({ endsAt: new Date(clock.now().getTime() + fromNowMs) })
        .where(eq(subscriptions.accountId, accountId))
    await movePlanEnd(-1)
    const revoke = () => client.call('endShares', { params: { id: alert.id } })
    expect(await revoke()).toMatchObject({ message: 'The links are revoked' })
    await expect(revoke(), 'without a link and a plan').rejects.toMatchObject({ code: 'not_found' })
    await movePlanEnd(HOUR_MS)
    expect(await revoke()).toMatchObject({ message: 'There are no links to revoke' })
    expect(JSON.parse((await openShared(alert.logIndex, token)).body).access).toBe('withheld')
  })

  test('is neither needed nor created once the alert is public', async () => {
    const alert = await issue('zqsoonpublic')
    const timeBefore = clock.now()
    try {
      clock.advance(24 * HOUR_MS + MINUTE_MS)
      const { body } = await sendRequest('GET', `/api/alerts/at/${alert.logIndex}`)
      expect(JSON.parse(body)).toMatchObject({ access: 'public', bundle: { alert: { summary: 'zqsoonpublic' } } })
      const [client] = await addSubscriber()
      const created = await client.call('shareAlert', { params: { id: alert.id } })
      expect(created).toEqual({ logIndex: alert.logIndex, token: null, until: null })
    } finally {
      clock.advance(timeBefore.getTime() - clock.now().getTime())
    }
  })
})

describe('creating a link', () => {
  test('stores only the hash of the token, and adds the link to the history and export of the account', async () => {
    const alert = await issue()
    const [client, id] = await addSubscriber()
    const { token, until } = await client.call('shareAlert', { params: { id: alert.id } })
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(until).toBe(new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString())
    const rows = await server.ctx.db.select().from(alertShares).where(eq(alertShares.accountId, id))
    expect(rows).toEqual([
      { tokenHash: hashSecret(token ?? ''), accountId: id, logIndex: alert.logIndex, createdAt: clock.now() },
    ])
    await client.call('endShares', { params: { id: alert.id } })
    await shareAlert(alert.id, client)
    const activity = await client.call('listActivity', { query: { group: 'alerts' } })
    const detail = `#${alert.logIndex.toLocaleString('en-US')}`
    const expected = ['alert_shared', 'alert_unshared', 'alert_shared']
    expect(activity).toMatchObject(expected.map((kind) => ({ kind, detail, reference: alert.id })))
    const { held } = await client.call('exportAccount')
    expect(held.shares).toEqual([{ logIndex: alert.logIndex, createdAt: clock.now().toISOString() }])
  })

  test('is limited per account and day, even for simultaneous requests', async () => {
    const { id } = await issue()
    const [client, accountId] = await addSubscriber()
    const headers = { cookie: client.cookie(), origin: server.url, 'content-type': 'application/json' }
    const createShare = (networkNumber: number) => {
      const ownHeaders = { ...headers, 'x-forwarded-for': `198.19.0.${networkNumber}` }
      return send(server.url, { method: 'POST', path: `/api/alerts/${id}/share`, headers: ownHeaders, body: '{}' })
    }
    // Requests wait for the lock on the account for at most three seconds. Record most of the links
    // directly, so that a busy machine can process the remaining requests in time.
    await recordShares(accountId, MAX_SHARES_PER_DAY - 3)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => createShare(index)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, JSON.parse(body).code])).toEqual(
      Array.from({ length: 5 }, () => [409, 'too_many_shares']),
    )
    // The window slides, so when the oldest link is older than a day, another one is allowed.
    const [oldest] = await server.ctx.db.select().from(activities).where(matchSharesOf(accountId)).limit(1)
    await server.ctx.db
      .update(activities)
      .set({ at: new Date(clock.now().getTime() - 24 * HOUR_MS) })
      .where(eq(activities.id, oldest?.id ?? -1))
    expect((await createShare(200)).status).toBe(200)
  })

  test('is refused when the limit of the day is reached, even if some links have been revoked', async () => {
    const { id } = await issue()
    const [client, accountId] = await addSubscriber()
    await recordShares(accountId, MAX_SHARES_PER_DAY - 1)
    await shareAlert(id, client)
    await client.call('endShares', { params: { id } })
    await expect(shareAlert(id, client)).rejects.toMatchObject({ code: 'too_many_shares' })
  })

  const matchSharesOf = (accountId: string) =>
    and(eq(activities.accountId, accountId), eq(activities.kind, 'alert_shared'))
  /** Records that the account has created links, without their tokens. */
  const recordShares = (accountId: string, count: number) =>
    recordActivities(
      server.ctx.db,
      Array.from({ length: count }, () => ({ accountId, kind: 'alert_shared', detail: '', at: clock.now() })),
    )
})
