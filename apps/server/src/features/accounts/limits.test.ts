import argon2 from '@node-rs/argon2'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { fillHashQueue } from '../../../test/support/fill-hash-queue.ts'
import { PASSWORD, pickComparable, type Site, startSite } from '../../../test/support/test-site.ts'
import { openDatabase } from '../../db/database.ts'
import { securityEvents } from '../../db/schema/security.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { createAccount, signIn } from './service.ts'

let site: Site

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  site = await startSite()
})
afterAll(async () => {
  await site?.stop()
  vi.useRealTimers()
})
beforeEach(() => {
  site.mails.length = 0
  // The limits used up by one test expire before the next test.
  site.clock.advance(HOUR_MS)
})

/** Advances vitest's clock until the per-minute limits expire. They do not use `site.clock`. */
const passMinute = () => vi.advanceTimersByTime(61_000)

/**
 * Returns a different IP address of the same network for each index, so that only network limits
 * apply.
 */
const addressInNetwork = (household: string, index: number) => ({ ip: `2001:db8:${household}::${index.toString(16)}` })
/** Returns an IP address of the site (/48). Each index is in a different network (/64). */
const addressInSite = (site: string, index: number) => ({ ip: `2001:db8:${site}:${index.toString(16)}::1` })
const post = (path: string, body: object, from: { ip: string }) =>
  site.call('POST', `/api/auth/${path}`, body, {}, from)

/** Cancels the statements that wait for a lock. Returns their number. */
async function cancelLockWaiters(): Promise<number> {
  const { rows } = await site.ctx.db.execute<{ n: number }>(sql`select count(pg_cancel_backend(pid))::int as n
    from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}

describe('email limits', () => {
  test('allow three emails an hour to an address when one network requests 40, and reject the rest', async () => {
    const { email } = await site.createTestAccount()
    const answers = []
    for (let batch = 0; batch < 2; batch++) {
      const ask = (index: number) => post('forgot-password', { email }, addressInNetwork('6', 20 * batch + index))
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ body }) => body.code === 'too_many_requests')).toHaveLength(37)
    expect(site.mails).toHaveLength(3)
    expect((await post('resend-verification', { email }, addressInNetwork('6', 100))).status, 'another kind').toBe(200)
    expect((await post('forgot-password', { email }, addressInNetwork('7', 0))).status, 'another network').toBe(200)
    site.clock.advance(HOUR_MS)
    expect((await post('forgot-password', { email }, addressInNetwork('6', 101))).status).toBe(200)
    expect(site.mails).toHaveLength(5)
  })

  test('count an IPv6 /48 as one requester, so another /48 can still request an email to the same address', async () => {
    const { email } = await site.createTestAccount()
    const ask = (index: number) => post('forgot-password', { email }, addressInSite('8', index))
    for (let batch = 0; batch < 3; batch++) {
      await Promise.all(Array.from({ length: 15 }, (_, index) => ask(15 * batch + index)))
      passMinute()
    }
    expect(site.mails).toHaveLength(3)
    expect((await post('forgot-password', { email }, addressInSite('9', 0))).status).toBe(200)
  })

  test('allow an IPv6 /48 to request 80 emails an hour', async () => {
    const answers = []
    for (let batch = 0; batch < 6; batch++) {
      const ask = (index: number) =>
        post(
          'resend-verification',
          { email: `none${batch}-${index}@example.com` },
          addressInSite('a', 15 * batch + index),
        )
      answers.push(...(await Promise.all(Array.from({ length: 15 }, (_, index) => ask(index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(80)
  })

  test('do not count a sign-up that is refused because too many passwords wait to be hashed', async () => {
    const body = { email: 'waiting@example.com', password: PASSWORD, name: 'New' }
    const emptyQueue = fillHashQueue(site.ctx.passwords)
    for (let index = 0; index < 3; index++) {
      const answer = await post('register', body, addressInNetwork('d', index))
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    }
    await emptyQueue()
    expect((await post('register', body, addressInNetwork('d', 3))).status).toBe(200)
  })

  test('do not count a password reset whose transaction the database has cancelled', async () => {
    const { email, id } = await site.createTestAccount()
    const ask = (index: number) => post('forgot-password', { email }, addressInNetwork('e', index))
    for (let index = 0; index < 3; index++) {
      const answer = await site.ctx.db.transaction(async (tx) => {
        await lockAccount(tx, id)
        const pendingAnswer = ask(index)
        await expect.poll(cancelLockWaiters).toBe(1)
        return pendingAnswer
      })
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    }
    expect((await ask(3)).status).toBe(200)
    expect(site.mails.map(({ to }) => to)).toEqual([email])
  })

  test('allow a network 20 emails an hour, and count known and unknown addresses alike', async () => {
    const { email } = await site.createTestAccount()
    for (let index = 0; index < 20; index += 4) {
      await Promise.all([
        post('forgot-password', { email: `unknown${index}@example.com` }, addressInNetwork('1', index)),
        post('resend-verification', { email: `none${index}@example.com` }, addressInNetwork('1', index + 1)),
        post(
          'register',
          { email: `new${index}@example.com`, password: PASSWORD, name: 'New' },
          addressInNetwork('1', index + 2),
        ),
        post('forgot-password', { email: `${index}${email}` }, addressInNetwork('1', index + 3)),
      ])
    }
    const sentCount = site.mails.length
    for (const path of ['forgot-password', 'resend-verification']) {
      const knownResponse = await post(path, { email }, addressInNetwork('1', 50))
      expect(knownResponse).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
      expect(Number(knownResponse.headers['retry-after'])).toBeGreaterThan(0)
      const unknownResponse = await post(path, { email: 'unknown@example.com' }, addressInNetwork('1', 51))
      expect(pickComparable(unknownResponse)).toEqual(pickComparable(knownResponse))
    }
    expect(site.mails).toHaveLength(sentCount)
    expect((await post('forgot-password', { email }, addressInNetwork('2', 1))).status).toBe(200)
    site.clock.advance(HOUR_MS)
    expect((await post('forgot-password', { email }, addressInNetwork('1', 52))).status).toBe(200)
  })
})

describe('password attempt limits', () => {
  test('slow down a network that attacks many accounts, but not other networks or known browsers', async () => {
    const { email } = await site.createTestAccount()
    const owner = await site.signInAs(email)
    const guess = (index: number) =>
      post('login', { email: `person-${index}@example.com`, password: 'guess' }, addressInNetwork('3', index))
    const answers = []
    for (let batch = 0; batch < 4; batch++) {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => guess(20 * batch + index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    const login = { email, password: PASSWORD }
    expect((await post('login', login, addressInNetwork('3', 200))).status).toBe(429)
    const device = { 'tocsin-device': owner['tocsin-device'] ?? '' }
    expect((await site.call('POST', '/api/auth/login', login, device, addressInNetwork('3', 201))).status).toBe(200)
    expect((await post('login', login, addressInNetwork('4', 1))).status).toBe(200)
    site.clock.advance(300_000)
    expect((await post('login', login, addressInNetwork('3', 202))).status).toBe(200)
  })

  test('slow down an IPv6 /48 that attacks many accounts from many networks', async () => {
    const guess = (index: number) =>
      post('login', { email: `person-${index}@example.com`, password: 'guess' }, addressInSite('b', index))
    const answers = []
    for (let batch = 0; batch < 10; batch++) {
      answers.push(...(await Promise.all(Array.from({ length: 15 }, (_, index) => guess(15 * batch + index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(120)
    expect((await post('login', { email: 'other@example.com', password: 'guess' }, addressInSite('c', 1))).status).toBe(
      401,
    )
  })

  test('email the account owner once a day, and return the same responses for known and unknown accounts', async () => {
    const [known, unconfirmed] = [await site.createTestAccount(), await site.createTestAccount(false)]
    const names = [known.email, unconfirmed.email, 'unknown@example.com']
    /** Tries a wrong password every five minutes for an hour. Returns the responses. */
    const guessAnHour = async (email: string) => {
      const answers = []
      for (let round = 0; round < 12; round++) {
        answers.push(JSON.stringify(pickComparable(await site.post('login', { email, password: 'guess' }))))
        site.clock.advance(300_000)
      }
      return answers
    }
    const seen = []
    for (const name of names) seen.push(await guessAnHour(name))
    expect(new Set(seen.map((answers) => answers.join())).size).toBe(1)
    expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [known.email, 'Failed sign-in attempts on your account'],
    ])
    await guessAnHour(known.email)
    expect(site.mails).toHaveLength(1)
    site.clock.advance(24 * HOUR_MS)
    await guessAnHour(known.email)
    expect(site.mails).toHaveLength(2)
  })

  test('do not count correct passwords', async () => {
    const { email } = await site.createTestAccount()
    for (let index = 0; index < 35; index++) {
      if (index % 10 === 0) passMinute()
      const answer = await post('login', { email, password: PASSWORD }, addressInNetwork('5', index))
      expect(answer.status).toBe(200)
    }
  })

  test('do not count attempts that are refused because too many passwords wait to be hashed', async () => {
    const { email } = await site.createTestAccount()
    const emptyQueue = fillHashQueue(site.ctx.passwords)
    for (let round = 0; round < 7; round++) {
      const answer = await site.post('login', { email, password: PASSWORD })
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    }
    await emptyQueue()
    await site.signInAs(email)
  })

  test('raise no alarm when the database is unreachable', async () => {
    const unreachable = openDatabase('postgres://tocsin@127.0.0.1:9/none', () => {})
    const errorSpy = vi.spyOn(site.ctx.logger, 'error')
    const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '192.0.2.1' }
    for (let index = 0; index < 100; index++) {
      const attempt = { email: `outage-${index}@example.com`, password: PASSWORD, rememberMe: false, ...browser }
      await expect(signIn({ ...site.ctx, db: unreachable.db }, attempt)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    }
    expect(errorSpy.mock.calls).toEqual([])
    errorSpy.mockRestore()
    await unreachable.close()
  })

  test('raise one alarm a minute when many networks attack many accounts', async () => {
    const errorSpy = vi.spyOn(site.ctx.logger, 'error')
    for (let round = 0; round < 3; round++) {
      const spray = (index: number) =>
        site.post('login', { email: `spray-${round}-${index}@example.com`, password: 'guess' })
      // Send 20 at a time: on a busy machine, 40 concurrent requests would wait too long for a
      // database connection.
      for (const from of [0, 20]) await Promise.all(Array.from({ length: 20 }, (_, index) => spray(from + index)))
      site.clock.advance(5_000)
    }
    const alarms = errorSpy.mock.calls.filter(([, message]) =>
      String(message).includes('unusually many failed sign-ins'),
    )
    expect(alarms).toHaveLength(1)
    errorSpy.mockRestore()
    // Some alarms are of other tests.
    const listAlarmTexts = async () => {
      const alarmEvents = await site.ctx.db.select().from(securityEvents).where(eq(securityEvents.category, 'alarm'))
      return [...new Set(alarmEvents.map(({ detail }) => detail))]
    }
    const alarmText = 'At least 100 failed sign-ins within a minute: possible credential stuffing'
    await expect.poll(listAlarmTexts).toEqual([alarmText])
  })
})

describe('account enumeration', () => {
  const ACCOUNT_KINDS = ['confirmed', 'unconfirmed', 'unknown'] as const

  beforeAll(async () => {
    for (const kind of ['confirmed', 'unconfirmed'] as const) {
      for (const index of [1, 2]) {
        const email = `${kind}${index}@example.com`
        const verified = kind === 'confirmed'
        await createAccount(site.ctx, { email, name: 'Known', password: PASSWORD, role: 'user', verified })
      }
    }
  })

  // Compares the number of password hashes. fault-tests/enumeration.ts compares response times.
  test.each([
    { path: 'login', when: 'before a sign-up', hashes: 2, rest: { password: 'a wrong password' } },
    { path: 'register', when: 'first', hashes: 1, rest: { password: PASSWORD, name: 'Somebody' } },
    { path: 'login', when: 'after a sign-up', hashes: 2, rest: { password: 'a wrong password' } },
    { path: 'forgot-password', when: 'first', hashes: 0, rest: {} },
    { path: 'resend-verification', when: 'first', hashes: 0, rest: {} },
  ])(
    '$path $when: returns the same bytes after the same number of password hashes for known and unknown addresses',
    async ({ path, hashes, rest }) => {
      const hashSpies = [vi.spyOn(argon2, 'hash'), vi.spyOn(argon2, 'verify')]
      const answers = new Set<string>()
      for (const kind of ACCOUNT_KINDS) {
        for (const index of [1, 2]) {
          for (const spy of hashSpies) spy.mockClear()
          answers.add(
            JSON.stringify(pickComparable(await site.post(path, { email: `${kind}${index}@example.com`, ...rest }))),
          )
          expect(
            hashSpies.reduce((sum, { mock }) => sum + mock.calls.length, 0),
            `${kind} address`,
          ).toBe(hashes)
        }
      }
      expect(answers.size).toBe(1)
      for (const spy of hashSpies) spy.mockRestore()
    },
  )
})
