import { compareTimes, mannWhitney } from '@tocsin/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAccount } from './service.ts'
import { comparable, PASSWORD, type Site, startSite } from './test-site.ts'

const HOUR_MS = 3_600_000

let site: Site

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  site = await startSite()
})
afterAll(async () => {
  await site?.stop()
  vi.useRealTimers()
})
beforeEach(() => {
  site.mails.length = 0
  // What one test has used up is over for the next.
  site.clock.advance(HOUR_MS)
})

/** For what each process counts by the minute, with a clock of its own. */
const passMinute = () => vi.setSystemTime(Date.now() + 61_000)

/** Of one household: each call from another of its addresses, so that only what is counted for the network is met. */
const neighbour = (household: string, index: number) => ({ ip: `2001:db8:0:${household}::${index.toString(16)}` })
const post = (path: string, body: object, from: { ip: string }) =>
  site.call('POST', `/api/auth/${path}`, body, {}, from)

describe('mails', () => {
  test('forty requests from one network send an address three an hour, and the others are refused', async () => {
    const { email } = await site.person()
    const answers = []
    for (let batch = 0; batch < 2; batch++) {
      const ask = (index: number) => post('forgot-password', { email }, neighbour('6', 20 * batch + index))
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ body }) => body.code === 'too_many_requests')).toHaveLength(37)
    expect(site.mails).toHaveLength(3)
    expect((await post('resend-verification', { email }, neighbour('6', 100))).status, 'another kind').toBe(200)
    expect((await post('forgot-password', { email }, neighbour('7', 0))).status, 'another network').toBe(200)
    site.clock.advance(HOUR_MS)
    expect((await post('forgot-password', { email }, neighbour('6', 101))).status).toBe(200)
    expect(site.mails).toHaveLength(5)
  })

  test('a network asks for twenty an hour, to whomever; known and unknown addresses count alike', async () => {
    const { email } = await site.person()
    for (let index = 0; index < 20; index += 4) {
      await Promise.all([
        post('forgot-password', { email: `nobody${index}@example.com` }, neighbour('1', index)),
        post('resend-verification', { email: `none${index}@example.com` }, neighbour('1', index + 1)),
        post(
          'register',
          { email: `new${index}@example.com`, password: PASSWORD, name: 'New' },
          neighbour('1', index + 2),
        ),
        post('forgot-password', { email: `${index}${email}` }, neighbour('1', index + 3)),
      ])
    }
    const sent = site.mails.length
    for (const path of ['forgot-password', 'resend-verification']) {
      const known = await post(path, { email }, neighbour('1', 50))
      expect(known).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
      expect(Number(known.headers['retry-after'])).toBeGreaterThan(0)
      const unknown = await post(path, { email: 'somebody@example.com' }, neighbour('1', 51))
      expect(comparable(unknown)).toEqual(comparable(known))
    }
    expect(site.mails).toHaveLength(sent)
    expect((await post('forgot-password', { email }, neighbour('2', 1))).status).toBe(200)
    site.clock.advance(HOUR_MS)
    expect((await post('forgot-password', { email }, neighbour('1', 52))).status).toBe(200)
  })
})

describe('guesses', () => {
  test('at many accounts from one network slow down; other networks and known browsers do not', async () => {
    const { email } = await site.person()
    const owner = await site.signInAs(email)
    const guess = (index: number) =>
      post('login', { email: `person-${index}@example.com`, password: 'guess' }, neighbour('3', index))
    const answers = []
    for (let batch = 0; batch < 4; batch++) {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => guess(20 * batch + index)))))
      passMinute()
    }
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    const login = { email, password: PASSWORD }
    expect((await post('login', login, neighbour('3', 200))).status).toBe(429)
    const device = { 'tocsin-device': owner['tocsin-device'] ?? '' }
    expect((await site.call('POST', '/api/auth/login', login, device, neighbour('3', 201))).status).toBe(200)
    expect((await post('login', login, neighbour('4', 1))).status).toBe(200)
    site.clock.advance(300_000)
    expect((await post('login', login, neighbour('3', 202))).status).toBe(200)
  })

  test('at one account are told to its owner by mail, once a day; whoever guesses sees no difference', async () => {
    const [known, unconfirmed] = [await site.person(), await site.person(false)]
    const names = [known.email, unconfirmed.email, 'nobody-here@example.com']
    /** Until nothing is evaluated any more, each after the longest wait. */
    const guessAnHour = async (email: string) => {
      const answers = []
      for (let round = 0; round < 12; round++) {
        answers.push(JSON.stringify(comparable(await site.post('login', { email, password: 'guess' }))))
        site.clock.advance(300_000)
      }
      return answers
    }
    const seen = []
    for (const name of names) seen.push(await guessAnHour(name))
    expect(new Set(seen.map((answers) => answers.join())).size).toBe(1)
    expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [known.email, 'Somebody is guessing your password'],
    ])
    await guessAnHour(known.email)
    expect(site.mails).toHaveLength(1)
    site.clock.advance(24 * HOUR_MS)
    await guessAnHour(known.email)
    expect(site.mails).toHaveLength(2)
  })

  test('right passwords use nothing up', async () => {
    const { email } = await site.person()
    for (let index = 0; index < 35; index++) {
      if (index % 10 === 0) passMinute()
      const answer = await post('login', { email, password: PASSWORD }, neighbour('5', index))
      expect(answer.status).toBe(200)
    }
  })

  test('at a thousand accounts from everywhere raise one alarm within a minute', async () => {
    const said = vi.spyOn(site.ctx.logger, 'error')
    for (let round = 0; round < 3; round++) {
      const spray = (index: number) =>
        site.post('login', { email: `spray-${round}-${index}@example.com`, password: 'guess' })
      await Promise.all(Array.from({ length: 40 }, (_, index) => spray(index)))
      site.clock.advance(5_000)
    }
    const alarms = said.mock.calls.filter(([, message]) => String(message).includes('very many sign-ins fail'))
    expect(alarms).toHaveLength(1)
    said.mockRestore()
  })
})

describe('known and unknown addresses take the same time and get the same bytes', () => {
  const SAMPLES = 40

  async function sample(ask: (email: string) => ReturnType<Site['post']>, atOnce: number) {
    const answers = new Set<string>()
    const { p } = await compareTimes(
      async (kind, index) => {
        const answer = await ask(`${kind === 0 ? 'known' : 'other'}${index}@example.com`)
        answers.add(JSON.stringify(comparable(answer)))
      },
      { samples: SAMPLES, atOnce },
    )
    return { answers: [...answers], p }
  }

  beforeAll(async () => {
    for (let index = 0; index < SAMPLES; index++) {
      const email = `known${index}@example.com`
      await createAccount(site.ctx, {
        email,
        name: 'Known',
        password: PASSWORD,
        role: 'user',
        verified: index % 2 === 0,
      })
    }
  })

  test.each([
    { path: 'login', atOnce: 1, rest: { password: 'a wrong password' } },
    { path: 'register', atOnce: 10, rest: { password: PASSWORD, name: 'Somebody' } },
    { path: 'forgot-password', atOnce: 20, rest: {} },
    { path: 'resend-verification', atOnce: 20, rest: {} },
  ])('$path', async ({ path, atOnce, rest }) => {
    const { answers, p } = await sample((email) => site.post(path, { email, ...rest }), atOnce)
    expect(answers).toHaveLength(1)
    expect(p).toBeGreaterThan(0.001)
  })

  test('the measure would see a difference of a tenth', () => {
    const noise = (index: number) => 35 + ((index * 7919) % 13) / 3
    const one = Array.from({ length: SAMPLES }, (_, index) => noise(index))
    const other = Array.from({ length: SAMPLES }, (_, index) => noise(index + 5) + 3.5)
    expect(mannWhitney(one, other)).toBeLessThan(0.001)
  })
})
