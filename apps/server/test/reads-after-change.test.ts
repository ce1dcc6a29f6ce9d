import { endpoints } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, fakeClock, type TestClient, testKey } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateSigner } from '../src/features/tlog/service.ts'
import { type RawAnswer, send } from './raw-client.ts'

/** Tests that two instances respond with what is stored now, even to clients that send an ETag. */

const { response: recentAlerts } = endpoints.recentAlerts
const SECRET = 'WITHHELD'
const keys = { signerKey: testKey(0x51), signerKeyNext: testKey(0x52) }
/** The clock of both instances. */
const clock = fakeClock(new Date())

const parts = useTestDatabaseAndChain()
let first: TestServer
let second: TestServer
let admin: TestClient

beforeAll(async () => {
  first = await startTestServer(parts, keys, { clock })
  const { databaseUrl, anchor } = first.ctx.config
  second = await startTestServer(parts, { ...keys, databaseUrl, anchor }, { clock })
  admin = await first.signInAdmin()
  await issue(SECRET)
})
afterAll(() => Promise.all([first?.close(), second?.close()]))

const issue = (asset: string) =>
  admin.call('createAlert', { body: { asset, summary: 'text', confidence: 50, priority: 'low' } })

function requestPath({ url }: TestServer, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return send(url, { path, headers })
}

/** Sends a request with the ETag of an earlier response, as a polling client does. */
function pollPath(server: TestServer, path: string, { headers: { etag = '' } }: RawAnswer, cookie = '') {
  return requestPath(server, path, { 'if-none-match': etag, cookie })
}

const findAlert = async (server: TestServer, id: string, cookie = '') => {
  const { body } = await requestPath(server, '/api/alerts/recent?limit=100', { cookie })
  return recentAlerts.parse(JSON.parse(body)).find((alert) => alert.id === id)
}

describe('a client that polls', () => {
  test.each(['/api/config', '/api/config/chain', '/api/log/checkpoint', '/api/log/head'])(
    'gets 304 without a body from %s while nothing changes, on both instances',
    async (path) => {
      const answer = await requestPath(first, path)
      expect(answer.status).toBe(200)
      for (const server of [first, second]) {
        const { status, body, headers } = await pollPath(server, path, answer)
        expect([status, body, headers.etag]).toEqual([304, '', answer.headers.etag])
        // A response with an ETag must not be stored either, because computers may be shared.
        expect(headers['cache-control']).toBe('no-store')
      }
      expect((await requestPath(first, path, { 'if-none-match': 'W/"another"' })).body).toBe(answer.body)
    },
  )

  test('gets the new checkpoint from both instances with the next request after an alert', async () => {
    const responseBefore = await requestPath(first, '/api/log/checkpoint')
    await issue('BTC/USDT')
    const responsesAfter = await Promise.all(
      [first, second].map((server) => pollPath(server, '/api/log/checkpoint', responseBefore)),
    )
    expect(responsesAfter.map(({ status }) => status)).toEqual([200, 200])
    const [size] = responsesAfter.map(({ body }) => Number(body.split('\n')[1]))
    expect(size).toBe(Number(responseBefore.body.split('\n')[1]) + 1)
    expect(responsesAfter[1]?.body).toBe(responsesAfter[0]?.body)
  })

  test('gets a new chain immediately from the instance that selected it, and from the other one after the notification', async () => {
    const responseBefore = await requestPath(first, '/api/config')
    await requestPath(second, '/api/config')
    await admin.call('changeChain', { body: { value: '137', description: 'Test' } })
    const changed = await pollPath(first, '/api/config', responseBefore)
    expect([changed.status, JSON.parse(changed.body).chain.id]).toEqual([200, 137])
    expect(JSON.parse((await requestPath(first, '/api/config/chain')).body).chainId).toBe('137')
    // Without the notification, the change would take effect after five seconds.
    const readChainId = async () => JSON.parse((await requestPath(second, '/api/config')).body).chain.id
    await expect.poll(readChainId, { timeout: 3_000, interval: 5 }).toBe(137)
  })

  test('gets the new signing key after a rotation', async () => {
    const responseBefore = await requestPath(second, '/api/config')
    const { to } = await rotateSigner(first.ctx)
    const readSigner = async () =>
      JSON.parse((await pollPath(second, '/api/config', responseBefore)).body || '{}').signer
    await expect.poll(readSigner, { timeout: 3_000, interval: 5 }).toBe(to)
  })
})

test('an alert that was already listed shows its anchor on both instances once it is anchored', async () => {
  const { alert } = await issue('ANCHORED')
  const reader = admin.cookie()
  for (const server of [first, second]) {
    expect(await findAlert(server, alert.id, reader)).toMatchObject({ asset: 'ANCHORED' })
    await expect
      .poll(() => findAlert(server, alert.id, reader))
      .toMatchObject({
        avalancheTx: expect.stringMatching(/^0x/),
        merklePath: expect.arrayContaining([expect.stringMatching(/^0x/)]),
      })
  }
})

describe('a user who loses access', () => {
  async function signIn(role: 'user' | 'auditor' = 'user') {
    const { client, accountId } = await first.addUser({ role })
    return { id: accountId, client, cookie: client.cookie() }
  }
  async function addSubscribedUser() {
    const reader = await signIn()
    await addSubscription(first.ctx, reader.id, HOUR_MS)
    return reader
  }

  test.each<
    [string, typeof addSubscribedUser, (reader: Awaited<ReturnType<typeof addSubscribedUser>>) => Promise<unknown>]
  >([
    [
      'the subscription is cancelled',
      addSubscribedUser,
      ({ id }) => admin.call('cancelSubscription', { params: { id }, body: { reason: 'Test' } }),
    ],
    [
      'the account is suspended',
      addSubscribedUser,
      ({ id }) => admin.call('suspendUser', { params: { id }, body: { reason: 'Test' } }),
    ],
    ['the user signs out', addSubscribedUser, ({ client }) => client.call('logout')],
    [
      'the role changes',
      () => signIn('auditor'),
      ({ id }) => admin.call('changeRole', { params: { id }, body: { role: 'user', reason: 'Test' } }),
    ],
    ['the subscription expires', addSubscribedUser, async () => clock.advance(HOUR_MS)],
  ])('gets locked rows from both instances with the next request when %s', async (_label, start, endAccess) => {
    const { cookie, ...reader } = await start()
    const paths = ['/api/alerts/recent', `/api/alerts/search?q=${SECRET}`, '/api/alerts/search']
    const targets = paths.flatMap((path) => [first, second].map((server) => ({ server, path })))
    const readTargets = () =>
      Promise.all(
        targets.map(({ server, path }) => requestPath(server, path, { cookie }).then((answer) => ({ path, answer }))),
      )
    const readsBefore = await readTargets()
    for (const { path, answer } of readsBefore) expect(answer.body, path).toContain(SECRET)

    await endAccess({ cookie, ...reader })
    const answers = await Promise.all(
      targets.map(({ server, path }, index) => pollPath(server, path, readsBefore[index]?.answer as RawAnswer, cookie)),
    )
    for (const [position, { status, body, headers }] of answers.entries()) {
      const { path } = targets[position] as (typeof targets)[number]
      expect([200, 401], path).toContain(status)
      expect(body, path).not.toContain(SECRET)
      if (path === '/api/alerts/recent') expect([status, body.includes('"locked":true')]).toEqual([200, true])
      // The ETag must not be that of the response that only subscribers get.
      expect(headers.etag, path).not.toBe(readsBefore[position]?.answer.headers.etag ?? null)
    }
  })
})

test('a fresh correction is shown to readers with access and hidden from others when requests alternate', async () => {
  // Sign in again: the session of a member of staff ends after 30 minutes without a request.
  admin = await first.signInAdmin()
  const { alert } = await issue('CORRECTED')
  clock.advance(25 * HOUR_MS)
  admin = await first.signInAdmin()
  expect(await findAlert(first, alert.id), 'public after a day').toMatchObject({ supersededBy: null })
  const body = { asset: 'CORRECTED', summary: 'better', confidence: 50, priority: 'low' } as const
  await admin.call('correctAlert', { params: { id: alert.id }, body })
  for (const server of [first, second]) {
    for (let round = 0; round < 2; round += 1) {
      expect(await findAlert(server, alert.id, admin.cookie())).toMatchObject({ supersededBy: { kind: 'correction' } })
      expect(await findAlert(server, alert.id)).toMatchObject({ supersededBy: null })
    }
  }
})
