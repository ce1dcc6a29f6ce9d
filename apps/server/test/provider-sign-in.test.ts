import { type FakeClock, startIdentityProvider, type TestIdentityProvider, type TestToken } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accounts, activities, identities, providerTrips } from '../src/db/schema/accounts.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { Browser, setNextIdentity } from './browser.ts'
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
  linkedin = await startIdentityProvider({ usesPkce: false, claimsIn: 'userinfo' })
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
    provider.redirectOverrides = {}
    provider.person = null
  }
})

const createBrowser = () => new Browser(server.url)
let personCount = 0
const createName = () => {
  personCount += 1
  return `person${personCount}`
}
const createAccountWithEmail = async (verified = true) => {
  const name = createName()
  const email = `${name}@example.com`
  const id = await createAccount(server.ctx, { email, name, password: PASSWORD, role: 'user', verified })
  return { id, email }
}
const signInBrowser = async (email: string) => {
  const own = createBrowser()
  const { status } = await own.ask('POST', '/api/auth/login', { email, password: PASSWORD })
  expect(status).toBe(200)
  return own
}
/** Counts the statements that wait for a lock. */
async function countLockWaiters(): Promise<number> {
  const { rows } = await server.ctx.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}
const changeQuery = (url: string, change: (query: URLSearchParams) => void) => {
  const changed = new URL(url)
  change(changed.searchParams)
  return changed.href
}

describe('an ID token is rejected', () => {
  const createClaimsChange = (change: Record<string, unknown>) => (token: TestToken) =>
    void Object.assign(token.claims, change)
  const getTimeInAnHour = () => Math.floor(Date.now() / 1000) + 3600
  test.each<[string, (token: TestToken) => void]>([
    ['with another nonce', createClaimsChange({ nonce: 'of another sign-in' })],
    ['without a nonce', (token) => void delete token.claims.nonce],
    ['for another site', createClaimsChange({ aud: 'another-client' })],
    ['for several sites', createClaimsChange({ aud: ['another-client', 'tocsin-test'], azp: 'another-client' })],
    ['by another issuer', createClaimsChange({ iss: 'https://accounts.example' })],
    ['expired', createClaimsChange({ exp: Math.floor(Date.now() / 1000) - 3600 })],
    ['without an expiry', (token) => void delete token.claims.exp],
    ['before it is valid', (token) => createClaimsChange({ nbf: getTimeInAnHour() })(token)],
    ['without a subject', (token) => void delete token.claims.sub],
    ['unsigned', (token) => void Object.assign(token.header, { alg: 'none' })],
    ['signed with another algorithm', (token) => void Object.assign(token.header, { alg: 'HS256' })],
    [
      'signed by a foreign key',
      (token) => {
        token.isKeyUnpublished = true
      },
    ],
    ['signed by a key that is not published', (token) => void Object.assign(token.header, { kid: 'other' })],
  ])('%s', async (_what, change) => {
    const own = createBrowser()
    setNextIdentity(google, createName())
    google.change = change
    expect(await own.travel('google')).toBe('/auth?provider_error=failed')
    expect(await own.account()).toBeNull()
  })
})

describe('a callback is rejected with', () => {
  const getCallbackUrl = async (own: Browser) => {
    setNextIdentity(google, createName())
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
    const own = createBrowser()
    const callbackUrl = changeQuery(await getCallbackUrl(own), change)
    expect((await own.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
    expect(await own.account()).toBeNull()
  })

  test.each(['google', 'linkedin'] as const)(
    'the URL to which %s has redirected another browser, also during a sign-in',
    async (name) => {
      setNextIdentity(name === 'google' ? google : linkedin, createName())
      const callbackUrl = await createBrowser().leaveFor(name)
      const victim = createBrowser()
      expect((await victim.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
      await victim.ask('GET', `/api/auth/${name}`)
      expect((await victim.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
      expect(await victim.account()).toBeNull()
    },
  )

  test('the code of another browser and the state of this one, because PKCE and nonce differ', async () => {
    const own = createBrowser()
    const ownCallbackUrl = await getCallbackUrl(own)
    const stolenCode = new URL(await getCallbackUrl(createBrowser())).searchParams.get('code') ?? ''
    const callbackUrl = changeQuery(ownCallbackUrl, (query) => query.set('code', stolenCode))
    expect((await own.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
  })

  test('a used URL, and all but one of 15 concurrent uses of one URL', async () => {
    const own = createBrowser()
    const callbackUrl = await getCallbackUrl(own)
    const answers = await Promise.all(Array.from({ length: 15 }, () => own.ask('GET', callbackUrl)))
    expect(answers.filter(({ location }) => location === '/dashboard')).toHaveLength(1)
    expect((await own.ask('GET', callbackUrl)).location).toContain('provider_error=failed')
  })

  test('the callback URL of the other provider', async () => {
    const own = createBrowser()
    const callbackUrl = (await getCallbackUrl(own)).replace('/google/callback', '/linkedin/callback')
    expect((await own.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
    const secondCallbackUrl = await getCallbackUrl(own)
    setNextIdentity(linkedin, createName())
    const fromLinkedin = new URL(await createBrowser().leaveFor('linkedin')).searchParams.get('code') ?? ''
    const mixedUrl = changeQuery(secondCallbackUrl, (query) => query.set('code', fromLinkedin))
    expect((await own.ask('GET', mixedUrl)).location).toBe('/auth?provider_error=failed')
  })

  test('a state that was issued ten minutes ago', async () => {
    const own = createBrowser()
    const callbackUrl = await getCallbackUrl(own)
    clock.advance(600_000)
    expect((await own.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=expired')
  })

  test('an error from the provider', async () => {
    google.person = null
    expect(await createBrowser().travel('google')).toBe('/auth?provider_error=denied')
    for (const error of ['user_cancelled_login', 'user_cancelled_authorize']) {
      linkedin.person = null
      linkedin.redirectOverrides = { error }
      expect(await createBrowser().travel('linkedin')).toBe('/auth?provider_error=denied')
    }
    google.redirectOverrides = { error: 'server_error' }
    expect(await createBrowser().travel('google')).toBe('/auth?provider_error=failed')
  })
})

describe('account of an identity', () => {
  test('is not created for an unverified email address', async () => {
    for (const change of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      setNextIdentity(google, createName(), change)
      expect(await createBrowser().travel('google')).toBe('/auth?provider_error=email_not_verified')
    }
  })

  test('is not opened by another subject with the same email address', async () => {
    const victim = await createAccountWithEmail()
    const attacker = createBrowser()
    for (const email of [victim.email, victim.email.toUpperCase()]) {
      setNextIdentity(google, createName(), { email })
      expect(await attacker.travel('google')).toBe('/auth?provider_error=email_in_use')
    }
    expect(await attacker.account()).toBeNull()
    // The attacker still cannot sign in with the email address after the victim has linked their
    // own identity.
    const own = await signInBrowser(victim.email)
    setNextIdentity(google, createName(), { email: victim.email })
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
    setNextIdentity(google, createName(), { email: victim.email })
    expect(await attacker.travel('google')).toBe('/auth?provider_error=email_in_use')
  })

  test('differs for the same subject of another provider', async () => {
    const name = createName()
    setNextIdentity(google, name)
    const own = createBrowser()
    await own.travel('google')
    const otherBrowser = createBrowser()
    setNextIdentity(linkedin, name, { email: `other-${name}@example.com` })
    expect(await otherBrowser.travel('linkedin')).toBe('/dashboard')
    expect(await otherBrowser.account()).not.toBe(await own.account())
  })

  test('is taken over by the verified owner of an address that someone else registered', async () => {
    const name = createName()
    const email = `${name}@example.com`
    const squatter = createBrowser()
    await squatter.ask('POST', '/api/auth/register', { email, password: 'squatters-pass', name: 'Squatter' })
    const owner = createBrowser()
    setNextIdentity(google, name)
    expect(await owner.travel('google')).toBe('/dashboard')
    const { json } = await owner.ask('GET', '/api/auth/user')
    expect(json.user).toMatchObject({ email, name: `The ${name}` })
    const { json: refusedLogin } = await squatter.ask('POST', '/api/auth/login', { email, password: 'squatters-pass' })
    expect(refusedLogin).toMatchObject({ success: false, requiresVerification: true })
    expect(await squatter.account()).toBeNull()
    const [account] = await server.ctx.db.select().from(accounts).where(eq(accounts.email, email))
    expect(account).toMatchObject({ passwordHash: null, emailVerifiedAt: clock.now() })
  })

  test('is not taken over when it is an unverified admin', async () => {
    const { id, email } = await createAccountWithEmail(false)
    await server.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.id, id))
    setNextIdentity(google, createName(), { email })
    expect(await createBrowser().travel('google')).toBe('/auth?provider_error=email_in_use')
    await server.ctx.db.update(accounts).set({ role: 'user' }).where(eq(accounts.id, id))
  })

  test('is not opened when it is suspended', async () => {
    setNextIdentity(google, createName())
    const own = createBrowser()
    await own.travel('google')
    const id = (await own.account()) ?? ''
    await server.ctx.db.update(accounts).set({ suspendedAt: clock.now() }).where(eq(accounts.id, id))
    expect(await createBrowser().travel('google')).toBe('/auth?provider_error=failed')
  })

  test.each(['google', 'linkedin'] as const)(
    'is created at the first sign-in with %s and opened at the next',
    async (name) => {
      const provider = name === 'google' ? google : linkedin
      const email = setNextIdentity(provider, createName())
      const own = createBrowser()
      own.cookies.set('tocsin', 'planted-by-attacker')
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
      const laterBrowser = createBrowser()
      expect(await laterBrowser.travel(name)).toBe('/dashboard')
      expect(await laterBrowser.account()).toBe(id)
      const linkedIdentities = await server.ctx.db
        .select()
        .from(identities)
        .where(eq(identities.accountId, id ?? ''))
      expect(linkedIdentities).toMatchObject([
        { provider: name, issuer: provider.settings.issuer, email: `renamed-${email}` },
      ])
      const history = await server.ctx.db
        .select()
        .from(activities)
        .where(eq(activities.accountId, id ?? ''))
      const kinds = history.map(({ kind }) => kind)
      expect(kinds).toEqual(['account_created', 'identity_linked', 'signed_in', 'signed_in'])
    },
  )

  test('is opened by the newer of two sign-ins in one browser, even when the older one ends first', async () => {
    setNextIdentity(google, createName())
    const own = createBrowser()
    const [olderUrl, newerUrl] = [await own.leaveFor('google'), await own.leaveFor('google')]
    expect((await own.ask('GET', olderUrl)).location).toBe('/auth?provider_error=failed')
    expect((await own.ask('GET', newerUrl)).location).toBe('/dashboard')
    expect(await own.account()).not.toBeNull()
    expect([...own.cookies.keys()]).not.toContain('tocsin-provider')
  })

  test('is created once for two concurrent first sign-ins', async () => {
    setNextIdentity(google, createName())
    const browsers = [createBrowser(), createBrowser()]
    expect(await Promise.all(browsers.map((one) => one.travel('google')))).toEqual(['/dashboard', '/dashboard'])
    expect(await browsers[0]?.account()).toBe(await browsers[1]?.account())
  })
})

describe('linking and confirming an identity', () => {
  test('needs a recent authentication', async () => {
    setNextIdentity(google, createName())
    expect(await createBrowser().travel('google', { purpose: 'link' })).toBe('/auth?provider_error=failed')
    const { email } = await createAccountWithEmail()
    const own = await signInBrowser(email)
    clock.advance(600_000)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings?provider_error=expired')
    expect((await own.ask('POST', '/api/auth/confirm', { password: 'wrong' })).json.code).toBe('invalid_credentials')
    expect((await own.ask('POST', '/api/auth/confirm', { password: PASSWORD })).status).toBe(200)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
  })

  test('rejects the identity of another account without changes', async () => {
    setNextIdentity(google, createName())
    const owner = createBrowser()
    await owner.travel('google')
    const { email } = await createAccountWithEmail()
    const own = await signInBrowser(email)
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings?provider_error=identity_taken')
    expect(await own.travel('google', { purpose: 'confirm' })).toBe('/settings?provider_error=failed')
  })

  test('rejects a flow that was started in another session', async () => {
    const [ann, bob] = [
      await signInBrowser((await createAccountWithEmail()).email),
      await signInBrowser((await createAccountWithEmail()).email),
    ]
    setNextIdentity(google, createName())
    const callbackUrl = await ann.leaveFor('google', { purpose: 'link' })
    const session = bob.cookies.get('tocsin') ?? ''
    ann.cookies.set('tocsin', session)
    expect((await ann.ask('GET', callbackUrl)).location).toBe('/settings?provider_error=failed')
    const bobsIdentities = await server.ctx.db
      .select()
      .from(identities)
      .where(eq(identities.accountId, (await bob.account()) ?? ''))
    expect(bobsIdentities).toEqual([])
  })

  test('allows sign-in and confirmation, and can’t be undone when it is the last sign-in method', async () => {
    const { email, id } = await createAccountWithEmail()
    const own = await signInBrowser(email)
    setNextIdentity(google, createName())
    const cookieBefore = own.cookies.get('tocsin')
    expect(await own.travel('google', { purpose: 'link', returnTo: '/settings#accounts' })).toBe('/settings#accounts')
    expect(own.cookies.get('tocsin')).not.toBe(cookieBefore)
    const other = createBrowser()
    expect(await other.travel('google')).toBe('/dashboard')
    expect(await other.account()).toBe(id)

    clock.advance(600_000)
    const unlink = () => own.ask('DELETE', '/api/account/identities/google')
    expect((await unlink()).json.code).toBe('reauthentication_required')
    expect(await own.travel('google', { purpose: 'confirm' })).toBe('/settings')
    expect(google.authorizations.at(-1)?.get('prompt')).toBe('select_account')
    await server.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, id))
    expect((await unlink()).json.code).toBe('last_way_in')
    setNextIdentity(linkedin, createName())
    expect(await own.travel('linkedin', { purpose: 'link' })).toBe('/settings')
    const responses = await Promise.all([unlink(), own.ask('DELETE', '/api/account/identities/linkedin')])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await own.ask('DELETE', '/api/account/identities/facebook')).status).toBe(400)
  })

  test('creates no session when the provider is unlinked during a sign-in', async () => {
    const { id, email } = await createAccountWithEmail()
    const own = await signInBrowser(email)
    setNextIdentity(google, createName())
    expect(await own.travel('google', { purpose: 'link' })).toBe('/settings')
    const otherBrowser = createBrowser()
    const callbackUrl = await otherBrowser.leaveFor('google')
    const { responses } = await server.ctx.db.transaction(async (tx) => {
      await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update')
      const pendingRemoval = own.ask('DELETE', '/api/account/identities/google')
      await expect.poll(countLockWaiters).toBe(1)
      const pendingSignIn = otherBrowser.ask('GET', callbackUrl)
      // Both requests have found the identity and wait for the lock. The removal requested it
      // first, so it continues first.
      await expect.poll(countLockWaiters).toBe(2)
      return { responses: Promise.all([pendingRemoval, pendingSignIn]) }
    })
    const [removalResponse, signInResponse] = await responses
    expect([removalResponse.status, signInResponse.location]).toEqual([200, '/auth?provider_error=failed'])
    expect(await otherBrowser.account()).toBeNull()
  })

  test('replaces the linked identity of the same provider', async () => {
    const { email, id } = await createAccountWithEmail()
    const own = await signInBrowser(email)
    const openedBrowsers: Browser[] = []
    for (const name of [createName(), createName()]) {
      setNextIdentity(google, name)
      await own.travel('google', { purpose: 'link' })
      const linked = await server.ctx.db.select().from(identities).where(eq(identities.accountId, id))
      expect(linked.map(({ subject }) => subject)).toEqual([`sub of ${name}`])
      const enteredBrowser = createBrowser()
      await enteredBrowser.travel('google')
      expect(await enteredBrowser.account()).toBe(id)
      openedBrowsers.push(enteredBrowser)
      expect(await openedBrowsers.at(-2)?.account(), 'the session of the former identity has ended').toBeFalsy()
    }
    expect((await own.ask('DELETE', '/api/account/identities/google')).status).toBe(200)
    expect(await openedBrowsers.at(-1)?.account()).toBeNull()
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
    setNextIdentity(google, createName())
    expect(await createBrowser().travel('google', { returnTo })).toBe('/dashboard')
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
    setNextIdentity(google, createName())
    expect(await createBrowser().travel('google', { returnTo })).toBe(returnTo)
  })

  test('goes to the configured site when Host or forwarded headers name another one', async () => {
    const headers: Record<string, string>[] = [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' },
      { forwarded: 'host=evil.example;proto=https' },
      { 'x-original-host': 'evil.example' },
      { 'x-host': 'evil.example' },
    ]
    for (const header of headers) {
      const { location } = await createBrowser().ask('GET', '/api/auth/google', undefined, header)
      expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${server.url}/api/auth/google/callback`)
    }
    setNextIdentity(google, createName())
    const own = createBrowser()
    const callbackUrl = await own.leaveFor('google')
    expect((await own.ask('GET', callbackUrl, undefined, { 'x-forwarded-host': 'evil.example' })).location).toBe(
      '/dashboard',
    )
    expect(google.tokenRequests.at(-1)?.get('redirect_uri')).toBe(`${server.url}/api/auth/google/callback`)
  })

  test('starting a sign-in binds the flow to the browser with an HttpOnly cookie', async () => {
    const own = createBrowser()
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

  test('a sign-in sends neither PKCE challenge nor verifier to a provider without PKCE, such as LinkedIn', async () => {
    setNextIdentity(linkedin, createName())
    expect(await createBrowser().travel('linkedin')).toBe('/dashboard')
    expect([...(linkedin.authorizations.at(-1)?.keys() ?? [])]).not.toContain('code_challenge')
    expect([...(linkedin.tokenRequests.at(-1)?.keys() ?? [])]).not.toContain('code_verifier')
  })
})

describe('a misconfigured or unavailable provider', () => {
  test('causes a redirect with an error when it is not configured or not reachable', async () => {
    const unreachableSettings = { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'x' }
    const otherSite = await startSignInSite(await database.createDatabase(), {
      providers: { google: unreachableSettings },
    })
    const own = new Browser(otherSite.url)
    expect(await own.travel('google')).toBe('/auth?provider_error=failed')
    expect(await own.travel('linkedin')).toBe('/auth?provider_error=not_configured')
    expect((await own.ask('GET', '/api/auth/linkedin/callback?code=a&state=b')).location).toBe(
      '/auth?provider_error=not_configured',
    )
    await otherSite.stop()
  })

  test('is sent a PKCE challenge and a nonce when it is Google, even if it does not advertise PKCE', async () => {
    const laxProvider = await startIdentityProvider({ usesPkce: false })
    const otherSite = await startSignInSite(await database.createDatabase(), {
      providers: { google: laxProvider.settings },
    })
    const { location } = await new Browser(otherSite.url).ask('GET', '/api/auth/google')
    expect([...new URL(location).searchParams.keys()]).toEqual(expect.arrayContaining(['code_challenge', 'nonce']))
    await otherSite.stop()
    await laxProvider.stop()
  })

  test('causes a redirect with an error when it becomes unreachable during a sign-in', async () => {
    const passingProvider = await startIdentityProvider()
    const otherSite = await startSignInSite(await database.createDatabase(), {
      providers: { google: passingProvider.settings },
    })
    passingProvider.redirectUris.push(`${otherSite.url}/api/auth/google/callback`)
    setNextIdentity(passingProvider, createName())
    const own = new Browser(otherSite.url)
    const callbackUrl = await own.leaveFor('google')
    await passingProvider.stop()
    expect((await own.ask('GET', callbackUrl)).location).toBe('/auth?provider_error=failed')
    await otherSite.stop()
  })
})
