import { type FakeClock, startIdentityProvider, type TestIdentityProvider, type TestToken } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accounts, activities, identities, providerTrips } from '../src/db/schema/accounts.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { Browser, newAccount } from './browser.ts'
import { type SignInSite, startSignInSite } from './sign-in-site.ts'

/**
 * Tests the sign-in through providers. The two test providers can be configured to send invalid
 * data.
 */

const PASSWORD = 'tern-ocelot-7'
const database = useTestDatabase()
let google: TestIdentityProvider
let linkedin: TestIdentityProvider
let server: SignInSite
let clock: FakeClock

beforeAll(async () => {
  google = await startIdentityProvider()
  linkedin = await startIdentityProvider({ bindsCode: false, claimsIn: 'userinfo' })
  const providers = { google: google.settings, linkedin: linkedin.settings }
  server = await startSignInSite(await database.createDatabase(), { providers })
  clock = server.clock
  google.redirectUris.push(`${server.url}/api/auth/google/callback`)
  linkedin.redirectUris.push(`${server.url}/api/auth/linkedin/callback`)
})
afterAll(async () => {
  await server?.stop()
  await Promise.all([google?.stop(), linkedin?.stop()])
})
beforeEach(() => {
  for (const provider of [google, linkedin]) {
    provider.change = () => {}
    provider.returning = {}
    provider.person = null
  }
})

const browser = () => new Browser(server.url)
let people = 0
const newName = () => {
  people += 1
  return `person${people}`
}
const createAccountWithEmail = async (verified = true) => {
  const name = newName()
  const email = `${name}@example.com`
  const id = await createAccount(server.ctx, { email, name, password: PASSWORD, role: 'user', verified })
  return { id, email }
}
const signedIn = async (email: string) => {
  const own = browser()
  const { status } = await own.ask('POST', '/api/auth/login', { email, password: PASSWORD })
  expect(status).toBe(200)
  return own
}
/** Counts the statements that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await server.ctx.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}
const withQuery = (url: string, change: (query: URLSearchParams) => void) => {
  const changed = new URL(url)
  change(changed.searchParams)
  return changed.href
}

describe('an ID token is rejected', () => {
  const claims = (change: Record<string, unknown>) => (token: TestToken) => void Object.assign(token.claims, change)
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
  test.each<[string, (token: TestToken) => void]>([
    ['with another nonce', claims({ nonce: 'of another sign-in' })],
    ['without a nonce', (token) => void delete token.claims.nonce],
    ['for another site', claims({ aud: 'another-client' })],
    ['for several sites', claims({ aud: ['another-client', 'tocsin-test'], azp: 'another-client' })],
    ['by another issuer', claims({ iss: 'https://accounts.example' })],
    ['expired', claims({ exp: Math.floor(Date.now() / 1000) - 3600 })],
    ['without an expiry', (token) => void delete token.claims.exp],
    ['before it is valid', (token) => claims({ nbf: inAnHour() })(token)],
    ['without a subject', (token) => void delete token.claims.sub],
    ['unsigned', (token) => void Object.assign(token.header, { alg: 'none' })],
    ['signed with another algorithm', (token) => void Object.assign(token.header, { alg: 'HS256' })],
    [
      'signed by a foreign key',
      (token) => {
        token.foreignKey = true
      },
    ],
    ['signed by a key that is not published', (token) => void Object.assign(token.header, { kid: 'other' })],
  ])('%s', async (_what, change) => {
    const own = browser()
    newAccount(google, newName())
    google.change = change
    expect(await own.travel('google')).toBe('/auth?provider_error=failed')
    expect(await own.account()).toBeNull()
  })
})

describe('a callback is rejected with', () => {
  const readReturn = async (own: Browser) => {
    newAccount(google, newName())
    return own.leaveFor('google')
  }
  test.each<[string, (query: URLSearchParams) => void]>([
    ['no state', (query) => query.delete('state')],
    ['a foreign state', (query) => query.set('state', 'x'.repeat(43))],
    ['two states', (query) => query.append('state', query.get('state') ?? '')],
    ['no code', (query) => query.delete('code')],
    ['a made-up code', (query) => query.set('code', 'made-up')],
    ['two codes', (query) => query.append('code', 'another')],
    ['no issuer', (query) => query.delete('iss')],
    ['another issuer', (query) => query.set('iss', 'https://accounts.example')],
    ['another response type', (query) => query.set('id_token', 'e30.e30.')],
  ])('%s', async (_what, change) => {
    const own = browser()
    const back = withQuery(await readReturn(own), change)
    expect((await own.ask('GET', back)).location).toBe('/auth?provider_error=failed')
    expect(await own.account()).toBeNull()
  })

  test.each(['google', 'linkedin'] as const)(
    'the URL to which %s has redirected another browser, also during a sign-in',
    async (name) => {
      newAccount(name === 'google' ? google : linkedin, newName())
      const back = await browser().leaveFor(name)
      const victim = browser()
      expect((await victim.ask('GET', back)).location).toBe('/auth?provider_error=failed')
      await victim.ask('GET', `/api/auth/${name}`)
      expect((await victim.ask('GET', back)).location).toBe('/auth?provider_error=failed')
      expect(await victim.account()).toBeNull()
    },
  )

  test('the code of another browser and the state of this one, because PKCE and nonce differ', async () => {
    const own = browser()
    const mine = await readReturn(own)
    const stolen = new URL(await readReturn(browser())).searchParams.get('code') ?? ''
    const back = withQuery(mine, (query) => query.set('code', stolen))
    expect((await own.ask('GET', back)).location).toBe('/auth?provider_error=failed')
  })

  test('a used URL, and all but one of 15 concurrent uses of one URL', async () => {
    const own = browser()
    const back = await readReturn(own)
    const answers = await Promise.all(Array.from({ length: 15 }, () => own.ask('GET', back)))
    expect(answers.filter(({ location }) => location === '/dashboard')).toHaveLength(1)
    expect((await own.ask('GET', back)).location).toContain('provider_error=failed')
  })

  test('the callback URL of the other provider', async () => {
    const own = browser()
    const back = (await readReturn(own)).replace('/google/callback', '/linkedin/callback')
    expect((await own.ask('GET', back)).location).toBe('/auth?provider_error=failed')
    const again = await readReturn(own)
    newAccount(linkedin, newName())
    const fromLinkedin = new URL(await browser().leaveFor('linkedin')).searchParams.get('code') ?? ''
    const mixed = withQuery(again, (query) => query.set('code', fromLinkedin))
    expect((await own.ask('GET', mixed)).location).toBe('/auth?provider_error=failed')
  })

  test('a delay of eleven minutes', async () => {
    const own = browser()
    const back = await readReturn(own)
    clock.advance(600_000)
    expect((await own.ask('GET', back)).location).toBe('/auth?provider_error=expired')
  })

  test('an error from the provider', async () => {
    google.person = null
    expect(await browser().travel('google')).toBe('/auth?provider_error=denied')
    for (const error of ['user_cancelled_login', 'user_cancelled_authorize']) {
      linkedin.person = null
      linkedin.returning = { error }
      expect(await browser().travel('linkedin')).toBe('/auth?provider_error=denied')
    }
    google.returning = { error: 'server_error' }
    expect(await browser().travel('google')).toBe('/auth?provider_error=failed')
  })
})

describe('account of an identity', () => {
  test('is not created for an unverified email address', async () => {
    for (const change of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      newAccount(google, newName(), change)
      expect(await browser().travel('google')).toBe('/auth?provider_error=email_not_verified')
    }
  })

  test('is not opened by another subject with the same email address', async () => {
    const victim = await createAccountWithEmail()
    const attacker = browser()
    for (const email of [victim.email, victim.email.toUpperCase()]) {
      newAccount(google, newName(), { email })
      expect(await attacker.travel('google')).toBe('/auth?provider_error=email_in_use')
    }
    expect(await attacker.account()).toBeNull()
    // The attacker still cannot sign in with the email address after the victim has linked their
    // own identity.
    const own = await signedIn(victim.email)
    newAccount(google, newName(), { email: victim.email })
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
    newAccount(google, newName(), { email: victim.email })
    expect(await attacker.travel('google')).toBe('/auth?provider_error=email_in_use')
  })

  test('differs for the same subject of another provider', async () => {
    const name = newName()
    newAccount(google, name)
    const own = browser()
    await own.travel('google')
    const other = browser()
    newAccount(linkedin, name, { email: `other-${name}@example.com` })
    expect(await other.travel('linkedin')).toBe('/dashboard')
    expect(await other.account()).not.toBe(await own.account())
  })

  test('is taken over by the verified owner of an address that someone else registered', async () => {
    const name = newName()
    const email = `${name}@example.com`
    const squatter = browser()
    await squatter.ask('POST', '/api/auth/register', { email, password: 'squatters-pass', name: 'Squatter' })
    const owner = browser()
    newAccount(google, name)
    expect(await owner.travel('google')).toBe('/dashboard')
    const { json } = await owner.ask('GET', '/api/auth/user')
    expect(json.user).toMatchObject({ email, name: `The ${name}` })
    const { json: refused } = await squatter.ask('POST', '/api/auth/login', { email, password: 'squatters-pass' })
    expect(refused).toMatchObject({ success: false, requiresVerification: true })
    expect(await squatter.account()).toBeNull()
    const [account] = await server.ctx.db.select().from(accounts).where(eq(accounts.email, email))
    expect(account).toMatchObject({ passwordHash: null, emailVerifiedAt: clock.now() })
  })

  test('is not taken over when it is an unverified admin', async () => {
    const { id, email } = await createAccountWithEmail(false)
    await server.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.id, id))
    newAccount(google, newName(), { email })
    expect(await browser().travel('google')).toBe('/auth?provider_error=email_in_use')
    await server.ctx.db.update(accounts).set({ role: 'user' }).where(eq(accounts.id, id))
  })

  test('is not opened when it is suspended', async () => {
    newAccount(google, newName())
    const own = browser()
    await own.travel('google')
    const id = (await own.account()) ?? ''
    await server.ctx.db.update(accounts).set({ suspendedAt: clock.now() }).where(eq(accounts.id, id))
    expect(await browser().travel('google')).toBe('/auth?provider_error=failed')
  })

  test.each(['google', 'linkedin'] as const)(
    '%s: creates an account at the first sign-in and opens it at the next',
    async (name) => {
      const provider = name === 'google' ? google : linkedin
      const email = newAccount(provider, newName())
      const own = browser()
      own.cookies.set('tocsin', 'planted-by-somebody')
      expect(await own.travel(name)).toBe('/dashboard')
      expect(own.cookies.get('tocsin')).toMatch(/^[\w-]{43}$/)
      expect([...own.cookies.keys()]).not.toContain('tocsin-provider')
      const id = await own.account()
      const [account] = await server.ctx.db
        .select()
        .from(accounts)
        .where(eq(accounts.id, id ?? ''))
      expect(account).toMatchObject({ email, passwordHash: null, role: 'user', emailVerifiedAt: clock.now() })
      if (provider.person) provider.person.email = `renamed-${email}`
      const again = browser()
      expect(await again.travel(name)).toBe('/dashboard')
      expect(await again.account()).toBe(id)
      const linked = await server.ctx.db
        .select()
        .from(identities)
        .where(eq(identities.accountId, id ?? ''))
      expect(linked).toMatchObject([{ provider: name, issuer: provider.settings.issuer, email: `renamed-${email}` }])
      const history = await server.ctx.db
        .select()
        .from(activities)
        .where(eq(activities.accountId, id ?? ''))
      const kinds = history.map(({ kind }) => kind)
      expect(kinds).toEqual(['account_created', 'identity_linked', 'signed_in', 'signed_in'])
    },
  )

  test('is created once for two concurrent first sign-ins', async () => {
    newAccount(google, newName())
    const both = [browser(), browser()]
    expect(await Promise.all(both.map((one) => one.travel('google')))).toEqual(['/dashboard', '/dashboard'])
    expect(await both[0]?.account()).toBe(await both[1]?.account())
  })
})

describe('linking and confirming an identity', () => {
  test('needs a recent authentication', async () => {
    newAccount(google, newName())
    expect(await browser().travel('google', { purpose: 'link' })).toBe('/auth?provider_error=failed')
    const { email } = await createAccountWithEmail()
    const own = await signedIn(email)
    clock.advance(600_000)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings?provider_error=expired')
    expect((await own.ask('POST', '/api/auth/confirm', { password: 'wrong' })).json.code).toBe('invalid_credentials')
    expect((await own.ask('POST', '/api/auth/confirm', { password: PASSWORD })).status).toBe(200)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
  })

  test('rejects the identity of another account without changes', async () => {
    newAccount(google, newName())
    const owner = browser()
    await owner.travel('google')
    const { email } = await createAccountWithEmail()
    const own = await signedIn(email)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings?provider_error=identity_taken')
    expect(await own.travel('google', { purpose: 'confirm' })).toBe('/settings?provider_error=failed')
  })

  test('rejects a flow that was started in another session', async () => {
    const [ann, bob] = [
      await signedIn((await createAccountWithEmail()).email),
      await signedIn((await createAccountWithEmail()).email),
    ]
    newAccount(google, newName())
    const back = await ann.leaveFor('google', { purpose: 'link' })
    const session = bob.cookies.get('tocsin') ?? ''
    ann.cookies.set('tocsin', session)
    expect((await ann.ask('GET', back)).location).toBe('/settings?provider_error=failed')
    const bobs = await server.ctx.db
      .select()
      .from(identities)
      .where(eq(identities.accountId, (await bob.account()) ?? ''))
    expect(bobs).toEqual([])
  })

  test('allows sign-in and confirmation, and can’t be undone when it is the last sign-in method', async () => {
    const { email, id } = await createAccountWithEmail()
    const own = await signedIn(email)
    newAccount(google, newName())
    const before = own.cookies.get('tocsin')
    expect(await own.travel('google', { purpose: 'link', returnTo: '/settings#accounts' })).toBe('/settings#accounts')
    expect(own.cookies.get('tocsin')).not.toBe(before)
    const other = browser()
    expect(await other.travel('google')).toBe('/dashboard')
    expect(await other.account()).toBe(id)

    clock.advance(600_000)
    const unlink = () => own.ask('DELETE', '/api/account/identities/google')
    expect((await unlink()).json.code).toBe('reauthentication_required')
    expect(await own.travel('google', { purpose: 'confirm' })).toBe('/settings')
    expect(google.authorizations.at(-1)?.get('prompt')).toBe('select_account')
    await server.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, id))
    expect((await unlink()).json.code).toBe('last_way_in')
    newAccount(linkedin, newName())
    expect(await own.travel('linkedin', { purpose: 'link' })).toBe('/settings')
    const both = await Promise.all([unlink(), own.ask('DELETE', '/api/account/identities/linkedin')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await own.ask('DELETE', '/api/account/identities/facebook')).status).toBe(400)
  })

  test('creates no session when the provider is unlinked during a sign-in', async () => {
    const { id, email } = await createAccountWithEmail()
    const own = await signedIn(email)
    newAccount(google, newName())
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
    const other = browser()
    const back = await other.leaveFor('google')
    const { responses } = await server.ctx.db.transaction(async (tx) => {
      await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update')
      const removed = own.ask('DELETE', '/api/account/identities/google')
      await expect.poll(countWaiting).toBe(1)
      const entered = other.ask('GET', back)
      // Both requests have found the identity and wait for the lock. The removal requested it
      // first, so it continues first.
      await expect.poll(countWaiting).toBe(2)
      return { responses: Promise.all([removed, entered]) }
    })
    const [removed, entered] = await responses
    expect([removed.status, entered.location]).toEqual([200, '/auth?provider_error=failed'])
    expect(await other.account()).toBeNull()
  })

  test('replaces the linked identity of the same provider', async () => {
    const { email, id } = await createAccountWithEmail()
    const own = await signedIn(email)
    const opened: Browser[] = []
    for (const name of [newName(), newName()]) {
      newAccount(google, name)
      await own.travel('google', { purpose: 'link' })
      const linked = await server.ctx.db.select().from(identities).where(eq(identities.accountId, id))
      expect(linked.map(({ subject }) => subject)).toEqual([`sub of ${name}`])
      const entered = browser()
      await entered.travel('google')
      expect(await entered.account()).toBe(id)
      opened.push(entered)
      expect(await opened.at(-2)?.account(), 'the session of the former identity has ended').toBeFalsy()
    }
    expect((await own.ask('DELETE', '/api/account/identities/google')).status).toBe(200)
    expect(await opened.at(-1)?.account()).toBeNull()
    expect(await own.account()).toBe(id)
    const subjects = server.mails.flatMap(({ to, subject }) =>
      to === email && /^A sign-in method/.test(subject) ? [subject] : [],
    )
    expect(subjects, 'each change is mailed').toEqual([
      'A sign-in method was added',
      'A sign-in method was removed',
      'A sign-in method was added',
      'A sign-in method was removed',
    ])
  })
})

describe('redirect after sign-in', () => {
  test.each([
    '//evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https://evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/dashboard//evil.example',
    '/dashboard@evil.example',
    '/dashboard\n/evil',
    '/dashboard?next=https://evil.example',
    '/../evil',
    'javascript:alert(1)',
    'dashboard',
    '/no-such-page',
    '/assets/',
    '/assets/app.js',
    '/assets/../admin',
    '/assets//evil.example',
    '/assets/BTC\n',
    ' /settings',
    '',
  ])('ignores %j', async (returnTo) => {
    newAccount(google, newName())
    expect(await browser().travel('google', { returnTo })).toBe('/dashboard')
  })

  test.each([
    '/verification?alert=abc-1#proof',
    '/dashboard?plan=24h',
    '/',
    '/settings',
    '/admin-auth?confirmed=google',
    '/assets/BTC-USDT?priority=high',
    '/assets/~~BTC~-PERP~.D',
    '/assets/%E5%B8%82%E5%A0%B4',
  ])('accepts %s', async (returnTo) => {
    newAccount(google, newName())
    expect(await browser().travel('google', { returnTo })).toBe(returnTo)
  })

  test('does not depend on the Host header', async () => {
    const headers: Record<string, string>[] = [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' },
      { forwarded: 'host=evil.example;proto=https' },
      { 'x-original-host': 'evil.example' },
      { 'x-host': 'evil.example' },
    ]
    for (const header of headers) {
      const { location } = await browser().ask('GET', '/api/auth/google', undefined, header)
      expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${server.url}/api/auth/google/callback`)
    }
    newAccount(google, newName())
    const own = browser()
    const back = await own.leaveFor('google')
    expect((await own.ask('GET', back, undefined, { 'x-forwarded-host': 'evil.example' })).location).toBe('/dashboard')
    expect(google.tokenRequests.at(-1)?.get('redirect_uri')).toBe(`${server.url}/api/auth/google/callback`)
  })

  test('binds the flow to the browser with an HttpOnly cookie', async () => {
    const own = browser()
    const { status, location, setCookies } = await own.ask('GET', '/api/auth/google')
    expect(status).toBe(302)
    expect(setCookies).toEqual([
      expect.stringMatching(/^tocsin-provider=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    const query = Object.fromEntries(new URL(location).searchParams)
    expect(query).toMatchObject({ response_type: 'code', scope: 'openid profile email', code_challenge_method: 'S256' })
    for (const secret of [query.state, query.nonce, query.code_challenge]) expect(secret).toMatch(/^[\w-]{43}$/)
    const rows = JSON.stringify(await server.ctx.db.select().from(providerTrips))
    for (const secret of [own.cookies.get('tocsin-provider'), query.state, query.nonce])
      expect(rows).not.toContain(secret)
  })

  test('sends neither challenge nor verifier to a provider without PKCE, such as LinkedIn', async () => {
    newAccount(linkedin, newName())
    expect(await browser().travel('linkedin')).toBe('/dashboard')
    expect([...(linkedin.authorizations.at(-1)?.keys() ?? [])]).not.toContain('code_challenge')
    expect([...(linkedin.tokenRequests.at(-1)?.keys() ?? [])]).not.toContain('code_verifier')
  })
})

describe('an unavailable provider', () => {
  test('redirects with an error when it is not configured or unreachable', async () => {
    const away = { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'x' }
    const other = await startSignInSite(await database.createDatabase(), { providers: { google: away } })
    const own = new Browser(other.url)
    expect(await own.travel('google')).toBe('/auth?provider_error=failed')
    expect(await own.travel('linkedin')).toBe('/auth?provider_error=not_configured')
    expect((await own.ask('GET', '/api/auth/linkedin/callback?code=a&state=b')).location).toBe(
      '/auth?provider_error=not_configured',
    )
    await other.stop()
  })

  test('is rejected when Google does not support PKCE', async () => {
    const lax = await startIdentityProvider({ bindsCode: false })
    const other = await startSignInSite(await database.createDatabase(), { providers: { google: lax.settings } })
    const { location } = await new Browser(other.url).ask('GET', '/api/auth/google')
    expect([...new URL(location).searchParams.keys()]).toEqual(expect.arrayContaining(['code_challenge', 'nonce']))
    await other.stop()
    await lax.stop()
  })

  test('redirects with an error when it becomes unreachable during sign-in', async () => {
    const passing = await startIdentityProvider()
    const other = await startSignInSite(await database.createDatabase(), { providers: { google: passing.settings } })
    passing.redirectUris.push(`${other.url}/api/auth/google/callback`)
    newAccount(passing, newName())
    const own = new Browser(other.url)
    const back = await own.leaveFor('google')
    await passing.stop()
    expect((await own.ask('GET', back)).location).toBe('/auth?provider_error=failed')
    await other.stop()
  })
})
