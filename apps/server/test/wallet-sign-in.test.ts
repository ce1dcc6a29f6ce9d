import { DAY_MS } from '@tocsin/protocol/durations'
import { type FakeClock, testAccount } from '@tocsin/testkit'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHAIN_SETTING } from '../src/chain/payment-chains.ts'
import { accounts, activities, sessions } from '../src/db/schema/accounts.ts'
import { walletProofs, walletSignIns, wallets } from '../src/db/schema/wallets.ts'
import { saveSetting } from '../src/db/setting.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { checkWallets } from '../src/features/wallets/recheck.ts'
import { Browser, type BrowserAnswer } from './browser.ts'
import { type SignInSite, startSignInSite } from './sign-in-site.ts'

/** Tests sign-in, confirmation and unlinking by wallet, with their effects on sessions. */

const PASSWORD = 'tern-ocelot-7'
const database = useTestDatabase()
const chain = useTestChain()
let site: SignInSite
let clock: FakeClock

beforeAll(async () => {
  site = await startSignInSite(await database.createDatabase(), chain.settings)
  clock = site.clock
})
afterAll(() => site?.stop())

type Wallet = ReturnType<typeof testAccount>
let lastWalletIndex = 300
const createWallet = (): Wallet => {
  lastWalletIndex += 1
  return testAccount(lastWalletIndex)
}
const createBrowser = () => new Browser(site.url)

async function requestMessage(own: Browser, path: string, wallet: Wallet, purpose?: string): Promise<string> {
  const { status, json } = await own.ask('POST', path, {
    walletAddress: wallet.address,
    ...(purpose ? { purpose } : {}),
  })
  if (status !== 200) throw new Error(String(json.code))
  return String(json.message)
}
const NEW_PASSWORD = 'owners-new-pass'
const SIGN_IN_PATH = '/api/auth/wallet/challenge'
const IN_SESSION_PATH = '/api/wallets/challenge'

async function signIn(own: Browser, wallet: Wallet, extraFields: object = {}): Promise<BrowserAnswer> {
  const message = await requestMessage(own, SIGN_IN_PATH, wallet)
  return own.ask('POST', '/api/auth/wallet', {
    message,
    signature: await wallet.signMessage({ message }),
    ...extraFields,
  })
}
async function proveInSession(own: Browser, purpose: 'link' | 'confirm', wallet: Wallet): Promise<BrowserAnswer> {
  const message = await requestMessage(own, IN_SESSION_PATH, wallet, purpose)
  const path = purpose === 'link' ? '/api/wallets/prove' : '/api/auth/confirm-wallet'
  return own.ask('POST', path, { message, signature: await wallet.signMessage({ message }) })
}

let personCount = 0
async function createPasswordAccount(): Promise<{ own: Browser; id: string; email: string }> {
  personCount += 1
  const email = `holder${personCount}@example.com`
  const id = await createAccount(site.ctx, { email, name: 'Holder', password: PASSWORD, role: 'user', verified: true })
  const own = createBrowser()
  expect((await own.ask('POST', '/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
  return { own, id, email }
}
const readUser = async (own: Browser) => (await own.ask('GET', '/api/auth/user')).json.user

describe('wallet sign-in rejects', () => {
  test.each<[string, (message: string) => string]>([
    ['domain', (message) => message.replace(/^\S+/, 'evil.example')],
    ['scheme', (message) => `https://${message}`],
    ['address', (message) => message.replace(/0x\w{40}/, testAccount(99).address)],
    ['statement', (message) => message.replace('costs nothing', 'costs all')],
    ['URI', (message) => message.replace(/URI: .*/, 'URI: https://evil.example')],
    ['version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['chain', (message) => message.replace('Chain ID: 31337', 'Chain ID: 1')],
    ['nonce', (message) => message.replace(/Nonce: ./, 'Nonce: z')],
    ['issue time', (message) => message.replace(/Issued At: \d{4}/, 'Issued At: 2025')],
    ['expiration time', (message) => message.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2099')],
    ['line ending', (message) => message.replaceAll('\n', '\r\n')],
    ['last byte', (message) => `${message} `],
  ])('a message with another %s, signed by the wallet', async (_field, change) => {
    const own = createBrowser()
    const wallet = createWallet()
    const originalMessage = await requestMessage(own, SIGN_IN_PATH, wallet)
    const message = change(originalMessage)
    expect(message).not.toBe(originalMessage)
    const answer = await own.ask('POST', '/api/auth/wallet', {
      message,
      signature: await wallet.signMessage({ message }),
    })
    expect([answer.status, answer.json.code]).toEqual([422, 'challenge_invalid'])
    expect(await own.account()).toBeNull()
  })

  test('the signature of another wallet, which consumes the message', async () => {
    const own = createBrowser()
    const wallet = createWallet()
    const message = await requestMessage(own, SIGN_IN_PATH, wallet)
    const signInSignedBy = async (signer: Wallet) =>
      (await own.ask('POST', '/api/auth/wallet', { message, signature: await signer.signMessage({ message }) })).json
        .code
    expect(await signInSignedBy(createWallet())).toBe('signature_invalid')
    expect(await signInSignedBy(wallet)).toBe('challenge_invalid')
  })

  test('a message that another browser requested, and still accepts the message from that browser', async () => {
    const [own, thief] = [createBrowser(), createBrowser()]
    const wallet = createWallet()
    const message = await requestMessage(own, SIGN_IN_PATH, wallet)
    const proof = { message, signature: await wallet.signMessage({ message }) }
    expect((await thief.ask('POST', '/api/auth/wallet', proof)).json.code).toBe('challenge_invalid')
    await requestMessage(thief, SIGN_IN_PATH, wallet)
    expect((await thief.ask('POST', '/api/auth/wallet', proof)).json.code).toBe('challenge_invalid')
    expect((await own.ask('POST', '/api/auth/wallet', proof)).status).toBe(200)
  })

  test('a message created for linking or confirming; linking and confirming also reject messages for other purposes', async () => {
    const { own } = await createPasswordAccount()
    const wallet = createWallet()
    expect((await proveInSession(own, 'link', wallet)).status).toBe(200)
    const paths = { link: '/api/wallets/prove', confirm: '/api/auth/confirm-wallet', 'sign-in': '/api/auth/wallet' }
    const statements = new Set<string>()
    for (const purpose of ['link', 'confirm', 'sign-in'] as const) {
      for (const pathPurpose of ['link', 'confirm', 'sign-in'] as const) {
        if (pathPurpose === purpose) continue
        const message =
          purpose === 'sign-in'
            ? await requestMessage(own, SIGN_IN_PATH, wallet)
            : await requestMessage(own, IN_SESSION_PATH, wallet, purpose)
        statements.add(message.split('\n')[3] ?? '')
        const proof = { message, signature: await wallet.signMessage({ message }) }
        const headers = { 'x-forwarded-for': `10.9.0.${statements.size}` }
        expect((await own.ask('POST', paths[pathPurpose], proof, headers)).json.code).toBe('challenge_invalid')
      }
    }
    expect(statements.size).toBe(3)
  })

  test('a message older than ten minutes', async () => {
    const [earlyBrowser, lateBrowser] = [createBrowser(), createBrowser()]
    const wallet = createWallet()
    const proofs = []
    for (const own of [earlyBrowser, lateBrowser]) {
      const message = await requestMessage(own, SIGN_IN_PATH, wallet)
      proofs.push({ message, signature: await wallet.signMessage({ message }) })
    }
    clock.advance(599_999)
    expect((await earlyBrowser.ask('POST', '/api/auth/wallet', proofs[0])).status).toBe(200)
    clock.advance(1)
    expect((await lateBrowser.ask('POST', '/api/auth/wallet', proofs[1])).json.code).toBe('challenge_expired')
  })

  test('all but one of a hundred concurrent uses of one signed message', async () => {
    const own = createBrowser()
    const wallet = createWallet()
    const message = await requestMessage(own, SIGN_IN_PATH, wallet)
    const proof = { message, signature: await wallet.signMessage({ message }) }
    const cookies = new Map(own.cookies)
    const replay = async () => {
      const replayBrowser = createBrowser()
      for (const [name, value] of cookies) replayBrowser.cookies.set(name, value)
      return (await replayBrowser.ask('POST', '/api/auth/wallet', proof)).status
    }
    const statuses = await Promise.all(Array.from({ length: 100 }, replay))
    expect(statuses.sort()).toEqual([200, ...Array(99).fill(422)])
    const rows = await site.ctx.db.select().from(wallets).where(eq(wallets.address, wallet.address))
    expect(rows).toHaveLength(1)
  })

  test('linking a wallet of another account, without naming that account', async () => {
    const [owner, other] = [await createPasswordAccount(), await createPasswordAccount()]
    const wallet = createWallet()
    await proveInSession(owner.own, 'link', wallet)
    const answer = await proveInSession(other.own, 'link', wallet)
    expect([answer.status, answer.json.code]).toEqual([409, 'wallet_taken'])
    const responseText = JSON.stringify(answer.json)
    for (const secret of [owner.id, owner.email]) expect(responseText).not.toContain(secret)
    expect(await readUser(other.own)).toMatchObject({ wallets: [], provedWallets: [] })
  })

  test('a suspended account', async () => {
    const wallet = createWallet()
    const own = createBrowser()
    await signIn(own, wallet)
    const id = (await own.account()) ?? ''
    await site.ctx.db.update(accounts).set({ suspendedAt: clock.now() }).where(eq(accounts.id, id))
    expect((await signIn(createBrowser(), wallet)).json.code).toBe('account_suspended')
  })
})

describe('wallet sign-in', () => {
  test('creates an account without an email address for an unknown wallet', async () => {
    const wallet = createWallet()
    const own = createBrowser()
    own.cookies.set('tocsin', 'planted-by-attacker')
    const answer = await signIn(own, wallet)
    const name = `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`
    const signedIn = { email: null, name, isAdmin: false, wallets: [wallet.address], provedWallets: [wallet.address] }
    expect(answer.json).toMatchObject({ success: true, requiresVerification: false, user: signedIn })
    expect(await readUser(own)).toMatchObject(signedIn)
    expect([...own.cookies.keys()]).toEqual(['tocsin'])
    expect(own.cookies.get('tocsin')).toMatch(/^[\w-]{43}$/)
    const id = (await own.account()) ?? ''
    const [account] = await site.ctx.db.select().from(accounts).where(eq(accounts.id, id))
    expect(account).toMatchObject({ email: null, passwordHash: null, role: 'user' })
    const secondBrowser = createBrowser()
    const rememberedSignIn = await signIn(secondBrowser, wallet, { rememberMe: true })
    expect(rememberedSignIn.setCookies.join()).toMatch(/tocsin=[\w-]{43}; Max-Age=2592000/)
    expect(await secondBrowser.account()).toBe(id)
  })

  test('opens the account of a linked wallet', async () => {
    const { own, id } = await createPasswordAccount()
    const wallet = createWallet()
    await proveInSession(own, 'link', wallet)
    const other = createBrowser()
    await signIn(other, wallet)
    expect(await other.account()).toBe(id)
  })

  test('accepts a contract wallet if its contract accepts the signature', async () => {
    const { address } = createWallet()
    const own = createBrowser()
    const signInWithContractResult = async (word: string) => {
      await chain.control.setCode({ address, bytecode: `0x63${word}60e01b60005260206000f3` })
      const { json } = await own.ask('POST', SIGN_IN_PATH, { walletAddress: address })
      return own.ask('POST', '/api/auth/wallet', { message: json.message, signature: `0x${'12'.repeat(65)}` })
    }
    expect((await signInWithContractResult('ffffffff')).json.code).toBe('signature_invalid')
    expect((await signInWithContractResult('1626ba7e')).status).toBe(200)
    expect(await readUser(own)).toMatchObject({ provedWallets: [address] })
    // A signature that the contract no longer accepts is rejected.
    expect((await signInWithContractResult('ffffffff')).json.code).toBe('signature_invalid')
  })

  test('ends the session when the contract no longer accepts the signature', async () => {
    const { address } = createWallet()
    const setContractAnswer = (word: string) =>
      chain.control.setCode({ address, bytecode: `0x63${word}60e01b60005260206000f3` })
    await setContractAnswer('1626ba7e')
    const own = createBrowser()
    const { json } = await own.ask('POST', SIGN_IN_PATH, { walletAddress: address })
    const proof = { message: json.message, signature: `0x${'12'.repeat(65)}` }
    expect((await own.ask('POST', '/api/auth/wallet', proof)).status).toBe(200)
    const id = await own.account()
    clock.advance(300_000)
    await checkWallets(site.ctx)
    expect(await own.account()).toBe(id)
    await setContractAnswer('ffffffff')
    clock.advance(300_000)
    await checkWallets(site.ctx)
    expect(await own.account()).toBeNull()
    // The wallet stays linked, because it is the only sign-in method of the account.
    expect(await site.ctx.db.select().from(wallets).where(eq(wallets.address, address))).toHaveLength(1)
  })

  test('ends the session of a removed signer who has proved the wallet again in that session', async () => {
    const { address } = createWallet()
    const setContractAnswer = (word: string) =>
      chain.control.setCode({ address, bytecode: `0x63${word}60e01b60005260206000f3` })
    const proveWallet = async (own: Browser, [challenge, path]: [string, string]) => {
      const { json } = await own.ask('POST', challenge, { walletAddress: address })
      const proof = { message: json.message, signature: `0x${'12'.repeat(65)}` }
      expect((await own.ask('POST', path, proof)).status).toBe(200)
    }
    await setContractAnswer('1626ba7e')
    const { own: linkedBrowser } = await createPasswordAccount()
    await proveWallet(linkedBrowser, [IN_SESSION_PATH, '/api/wallets/prove'])
    const signer = createBrowser()
    await proveWallet(signer, [SIGN_IN_PATH, '/api/auth/wallet'])
    await proveWallet(signer, [IN_SESSION_PATH, '/api/wallets/prove'])
    expect(await signer.account()).not.toBeNull()
    await setContractAnswer('ffffffff')
    clock.advance(300_000)
    await checkWallets(site.ctx)
    expect(await signer.account()).toBeNull()
    // This session continues, because it was not started with the wallet.
    expect(await linkedBrowser.account()).not.toBeNull()
    expect(await readUser(linkedBrowser)).toMatchObject({ provedWallets: [] })
  })

  test('names the selected payment chain in the message, and accepts older messages after another chain is selected', async () => {
    const [earlyBrowser, lateBrowser] = [createBrowser(), createBrowser()]
    const wallet = createWallet()
    const proofs = []
    const selectChain = (chainId: number) =>
      saveSetting(site.ctx.db, CHAIN_SETTING, { chainId, description: '' }, clock.now())
    for (const [own, chainId] of [
      [earlyBrowser, 31_337],
      [lateBrowser, 43_113],
    ] as const) {
      await selectChain(chainId)
      const message = await requestMessage(own, SIGN_IN_PATH, wallet)
      expect(message).toContain(`\nChain ID: ${chainId}\n`)
      proofs.push({ own, proof: { message, signature: await wallet.signMessage({ message }) } })
    }
    for (const { own, proof } of proofs) expect((await own.ask('POST', '/api/auth/wallet', proof)).status).toBe(200)
    // The selected chain has no node, so the signature of a contract wallet cannot be checked.
    const { address } = createWallet()
    const { json } = await lateBrowser.ask('POST', SIGN_IN_PATH, { walletAddress: address })
    const uncheckedProof = { message: json.message, signature: `0x${'12'.repeat(65)}` }
    expect((await lateBrowser.ask('POST', '/api/auth/wallet', uncheckedProof)).json.code).toBe('unavailable')
    await selectChain(31_337)
  })

  test('names the requested chain in the message if that chain is configured, and rejects any other chain id', async () => {
    const { address } = createWallet()
    const requestChallenge = (chainId: unknown) =>
      createBrowser().ask('POST', SIGN_IN_PATH, { walletAddress: address, chainId })
    await saveSetting(site.ctx.db, CHAIN_SETTING, { chainId: 43_113, description: '' }, clock.now())
    expect((await requestChallenge(31_337)).json.message).toContain('\nChain ID: 31337\n')
    for (const chainId of [43_113, 1, 0, -1, '31337', 1.5]) {
      expect(await requestChallenge(chainId)).toMatchObject({ status: 400, json: { code: 'malformed' } })
    }
    await saveSetting(site.ctx.db, CHAIN_SETTING, { chainId: 31_337, description: '' }, clock.now())
  })

  test('accepts a contract wallet on its own chain while another chain is selected for payments', async () => {
    const { address } = createWallet()
    await chain.control.setCode({ address, bytecode: '0x631626ba7e60e01b60005260206000f3' })
    const selectChain = (chainId: number) =>
      saveSetting(site.ctx.db, CHAIN_SETTING, { chainId, description: '' }, clock.now())
    const answerChallenge = async (own: Browser, [challengePath, body, path]: [string, object, string]) => {
      const { json } = await own.ask('POST', challengePath, { walletAddress: address, ...body })
      return own.ask('POST', path, { message: json.message, signature: `0x${'12'.repeat(65)}` })
    }
    const [firstBrowser, laterBrowser] = [createBrowser(), createBrowser()]
    expect((await answerChallenge(firstBrowser, [SIGN_IN_PATH, {}, '/api/auth/wallet'])).status).toBe(200)
    await selectChain(43_113)
    expect((await firstBrowser.ask('GET', '/api/config')).json.signIn).toMatchObject({ walletChainIds: [31_337] })
    expect((await answerChallenge(laterBrowser, [SIGN_IN_PATH, { chainId: 31_337 }, '/api/auth/wallet'])).status).toBe(
      200,
    )
    expect(await laterBrowser.account()).toBe(await firstBrowser.account())
    const confirm: [string, object, string] = [IN_SESSION_PATH, { purpose: 'confirm' }, '/api/auth/confirm-wallet']
    expect((await answerChallenge(laterBrowser, confirm)).status).toBe(200)
    await selectChain(31_337)
  })

  test('creates one account for two concurrent first sign-ins', async () => {
    const wallet = createWallet()
    const browsers = [createBrowser(), createBrowser()]
    const answers = await Promise.all(browsers.map((own) => signIn(own, wallet)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await browsers[0]?.account()).toBe(await browsers[1]?.account())
  })

  test('binds the flow to the browser with a cookie that is stored as a hash', async () => {
    const own = createBrowser()
    const { setCookies } = await own.ask('POST', SIGN_IN_PATH, { walletAddress: createWallet().address })
    expect(setCookies).toEqual([
      expect.stringMatching(/^tocsin-wallet=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    const rows = JSON.stringify(await site.ctx.db.select().from(walletSignIns))
    expect(rows).not.toContain(own.cookies.get('tocsin-wallet'))
  })
})

describe('a session that gains rights', () => {
  test.each(['link', 'confirm', 'password'] as const)('gets a new id after the action "%s"', async (way) => {
    const { own, id } = await createPasswordAccount()
    const [first, second] = [createWallet(), createWallet()]
    await proveInSession(own, 'link', first)
    const fixedBrowser = createBrowser()
    fixedBrowser.cookies.set('tocsin', own.cookies.get('tocsin') ?? '')
    expect(await fixedBrowser.account()).toBe(id)
    const gainRights = () => {
      if (way === 'password') return own.ask('POST', '/api/auth/confirm', { password: PASSWORD })
      return proveInSession(own, way, way === 'link' ? second : first)
    }
    expect((await gainRights()).status).toBe(200)
    expect(await fixedBrowser.account()).toBeNull()
    expect(await own.account()).toBe(id)
    const provedAddresses = way === 'link' ? [first.address, second.address] : [first.address]
    expect(await readUser(own)).toMatchObject({ provedWallets: provedAddresses })
    expect(await site.ctx.db.select().from(sessions).where(eq(sessions.accountId, id))).toHaveLength(1)
  })

  test('keeps its expiry and its remember-me setting', async () => {
    const wallet = createWallet()
    const own = createBrowser()
    await signIn(own, wallet, { rememberMe: true })
    clock.advance(DAY_MS)
    const rememberedProof = await proveInSession(own, 'confirm', wallet)
    expect(rememberedProof.setCookies).toEqual([expect.stringContaining(`Max-Age=${29 * 86_400};`)])
    const passingBrowser = createBrowser()
    await signIn(passingBrowser, wallet)
    expect((await proveInSession(passingBrowser, 'confirm', wallet)).setCookies.join()).not.toContain('Max-Age')
  })

  test('rejects a proof sent with the old cookie, and accepts the same proof with the new cookie', async () => {
    const { own, id } = await createPasswordAccount()
    const lateWallet = createWallet()
    const message = await requestMessage(own, IN_SESSION_PATH, lateWallet)
    const proof = { message, signature: await lateWallet.signMessage({ message }) }
    const cookiesBefore = Object.fromEntries(own.cookies)
    await proveInSession(own, 'link', createWallet())
    const cookie = Object.entries(cookiesBefore)
      .map((pair) => pair.join('='))
      .join('; ')
    expect(cookie).not.toBe('')
    const refused = await own.ask('POST', '/api/wallets/prove', proof, { cookie })
    expect([refused.status, refused.json.code]).toEqual([401, 'not_signed_in'])
    expect(refused.setCookies).toEqual([])
    expect(await own.account()).toBe(id)
    expect(await own.ask('POST', '/api/wallets/prove', proof)).toMatchObject({ status: 200 })
  })

  test('keeps both wallets when two are proved concurrently', async () => {
    const { own, id } = await createPasswordAccount()
    const bothWallets = [createWallet(), createWallet()]
    const proofs = await Promise.all(
      bothWallets.map(async (wallet) => {
        const message = await requestMessage(own, IN_SESSION_PATH, wallet)
        return { message, signature: await wallet.signMessage({ message }) }
      }),
    )
    const answers = await site.ctx.db.transaction(async (tx) => {
      await tx.select().from(sessions).where(eq(sessions.accountId, id)).for('update')
      const responses = Promise.all(proofs.map((proof) => own.ask('POST', '/api/wallets/prove', proof)))
      // Both requests arrived with the old cookie, and neither can replace it before this
      // transaction ends.
      await expect.poll(countLockWaiters).toBe(2)
      return { responses }
    })
    expect((await answers.responses).map(({ status }) => status)).toEqual([200, 200])
    expect((await answers.responses).flatMap(({ setCookies }) => setCookies)).toHaveLength(1)
    expect(await own.account()).toBe(id)
    expect(
      await site.ctx.db
        .select()
        .from(walletProofs)
        .innerJoin(sessions, eq(sessions.idHash, walletProofs.sessionIdHash))
        .where(eq(sessions.accountId, id)),
    ).toHaveLength(2)
  })
})

/** Counts the statements that wait for a lock. */
async function countLockWaiters(): Promise<number> {
  const { rows } = await site.ctx.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}

describe('deleting the account', () => {
  const calls: [string, (other: Browser, proof: object) => Promise<BrowserAnswer>, deletion: number][] = [
    ['links a wallet', (other, proof) => other.ask('POST', '/api/wallets/prove', proof), 200],
    // This call also ends the session that requests the deletion, so the deletion gets 401.
    ['ends the other sessions', (other) => other.ask('POST', '/api/auth/sessions/end-others'), 401],
    ['signs out', (other) => other.ask('POST', '/api/auth/logout'), 200],
  ]

  // The test stops each call at its first insert. The deletion then waits for the locks that the
  // call holds.
  test.each(calls)('does not deadlock when another session %s', async (_what, call, deletion) => {
    const { own, id, email } = await createPasswordAccount()
    const otherBrowser = createBrowser()
    await otherBrowser.ask('POST', '/api/auth/login', { email, password: PASSWORD })
    const wallet = createWallet()
    const message = await requestMessage(otherBrowser, IN_SESSION_PATH, wallet)
    const proof = { message, signature: await wallet.signMessage({ message }) }
    const { responses } = await site.ctx.db.transaction(async (tx) => {
      await tx.execute(sql`lock table wallets, activities in exclusive mode`)
      const pendingCall = call(otherBrowser, proof)
      await expect.poll(countLockWaiters).toBe(1)
      const deleted = own.ask('POST', '/api/account/delete', { confirmation: 'delete my account' })
      await expect.poll(countLockWaiters).toBe(2)
      return { responses: Promise.all([pendingCall, deleted]) }
    })
    const [callResponse, deletionResponse] = await responses
    expect([callResponse.status, deletionResponse.status]).toEqual([200, deletion])
    expect(await site.ctx.db.$count(accounts, eq(accounts.id, id))).toBe(deletion === 200 ? 0 : 1)
  })
})

describe('unlinking a wallet', () => {
  const unlink = (own: Browser, wallet: Wallet) => own.ask('DELETE', `/api/wallets/${wallet.address.toLowerCase()}`)

  test.each([
    ['in the settings', (own: Browser, wallet: Wallet) => unlink(own, wallet)],
    [
      'by a password reset',
      (_own: Browser, { address }: Wallet, token: string) =>
        createBrowser().ask('POST', '/api/auth/reset-password', {
          token,
          newPassword: NEW_PASSWORD,
          removeWallets: [address],
        }),
    ],
  ] as const)('makes a concurrent wallet sign-in fail when the wallet is removed %s', async (_name, remove) => {
    const { own, id, email } = await createPasswordAccount()
    const wallet = createWallet()
    expect((await proveInSession(own, 'link', wallet)).status).toBe(200)
    await createBrowser().ask('POST', '/api/auth/forgot-password', { email })
    const token = /token=([\w-]+)/.exec(site.mails.at(-1)?.text ?? '')?.[1] ?? ''
    const otherBrowser = createBrowser()
    const message = await requestMessage(otherBrowser, SIGN_IN_PATH, wallet)
    const proof = { message, signature: await wallet.signMessage({ message }) }
    const { responses } = await site.ctx.db.transaction(async (tx) => {
      await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update')
      const pendingRemoval = remove(own, wallet, token)
      await expect.poll(countLockWaiters).toBe(1)
      const pendingSignIn = otherBrowser.ask('POST', '/api/auth/wallet', proof)
      // Both requests have read the wallet and wait for the lock. The removal requested it first,
      // so it continues first.
      await expect.poll(countLockWaiters).toBe(2)
      return { responses: Promise.all([pendingRemoval, pendingSignIn]) }
    })
    const [removalResponse, signInResponse] = await responses
    expect([removalResponse.status, signInResponse.status, signInResponse.json.code]).toEqual([
      200,
      422,
      'challenge_invalid',
    ])
    expect(await otherBrowser.account()).toBeNull()
    // The wallet is no longer linked, so signing in with it creates another account.
    expect((await signIn(otherBrowser, wallet)).status).toBe(200)
    expect(await otherBrowser.account()).not.toBe(id)
  })

  test('needs a recent authentication and never removes the last sign-in method', async () => {
    const wallet = createWallet()
    const own = createBrowser()
    await signIn(own, wallet)
    expect((await unlink(own, wallet)).json.code).toBe('last_way_in')
    expect(await readUser(own)).toMatchObject({ provedWallets: [wallet.address] })
    clock.advance(600_000)
    expect((await unlink(own, wallet)).json.code).toBe('reauthentication_required')
    expect((await proveInSession(own, 'confirm', wallet)).status).toBe(200)
    expect((await unlink(own, createWallet())).status).toBe(404)
    expect((await unlink(createBrowser(), wallet)).status).toBe(401)
  })

  test('keeps one of the last two wallets when both are unlinked concurrently and no other sign-in method exists', async () => {
    const bothWallets = [createWallet(), createWallet()] as const
    const own = createBrowser()
    await signIn(own, bothWallets[0])
    expect((await proveInSession(own, 'link', bothWallets[1])).status).toBe(200)
    const answers = await Promise.all(bothWallets.map((wallet) => unlink(own, wallet)))
    expect(answers.map(({ json }) => json.code ?? 'unlinked').sort()).toEqual(['last_way_in', 'unlinked'])
  })

  test('rejects the wallet of another account', async () => {
    const { own } = await createPasswordAccount()
    const otherBrowser = createBrowser()
    const wallet = createWallet()
    await signIn(otherBrowser, wallet)
    expect((await unlink(own, wallet)).status).toBe(404)
    expect(await readUser(otherBrowser)).toMatchObject({ wallets: [wallet.address] })
  })

  test('ends the other sessions, notifies streams, keeps the activity log and frees the wallet', async () => {
    const { own, id, email } = await createPasswordAccount()
    const [wallet, keptWallet] = [createWallet(), createWallet()]
    for (const linkedWallet of [wallet, keptWallet]) await proveInSession(own, 'link', linkedWallet)
    const otherBrowser = createBrowser()
    await signIn(otherBrowser, wallet)
    const { json: refusal } = await unlink(otherBrowser, createWallet())
    expect(refusal.code).toBe('not_found')
    expect(await own.account()).toBe(id)
    const notifiedKeys: string[] = []
    const unsubscribe = site.ctx.notifications.on('entitlement', (key) => notifiedKeys.push(key))
    expect((await unlink(own, wallet)).status).toBe(200)
    await expect.poll(() => notifiedKeys).toContain(id)
    unsubscribe()
    const provedWallets = [keptWallet.address]
    expect(await readUser(own)).toMatchObject({ id, wallets: provedWallets, provedWallets })
    expect(await otherBrowser.account()).toBeNull()
    const { text } = site.mails.filter(({ to }) => to === email).at(-1) ?? { text: '' }
    expect(text.replaceAll('\n', ' ')).toContain('All other sessions of your account have ended.')
    const history = await site.ctx.db.select().from(activities).where(eq(activities.accountId, id))
    expect(history).toContainEqual(expect.objectContaining({ kind: 'wallet_unlinked', reference: wallet.address }))
    expect(history).toContainEqual(expect.objectContaining({ kind: 'wallet_proved', reference: wallet.address }))
    const stranger = createBrowser()
    await signIn(stranger, wallet)
    expect(await stranger.account()).not.toBe(id)
  })
})
