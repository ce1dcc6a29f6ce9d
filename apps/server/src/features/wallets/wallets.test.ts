import { readdir, readFile } from 'node:fs/promises'
import { endpoints, listPermissions } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import {
  createTestContext,
  type FakeClock,
  fakeClock,
  type TestContext,
  testAccount,
  testConfig,
} from '@tocsin/testkit'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, inArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Address, getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createChainClient } from '../../chain/chain-client.ts'
import type { Context } from '../../context.ts'
import { accounts, activities, identities, sessions } from '../../db/schema/accounts.ts'
import { planGrants } from '../../db/schema/coupons.ts'
import { walletProofs, wallets } from '../../db/schema/wallets.ts'
import { createApp } from '../../http/app.ts'
import { type Actor, route } from '../../http/route.ts'
import { mapLimit } from '../../map-limit.ts'
import { listAddresses } from '../sessions/linked-wallets.ts'
import { startGrantedPeriod } from '../subscriptions/service.ts'
import { checkWallets, confirmWallets } from './recheck.ts'
import * as handlers from './routes.ts'
import * as service from './service.ts'
import { createSignInChallenge } from './sign-in.ts'
import { findSigner } from './signature.ts'
import { listDueProofs } from './store.ts'

const server = useTestDatabase()
const chain = useTestChain()
let site: TestContext
let clock: FakeClock
let ctx: Context

beforeAll(async () => {
  clock = fakeClock()
  site = await createTestContext(testConfig({ databaseUrl: await server.createDatabase(), ...chain.settings }), clock)
  ctx = site.ctx
})
afterAll(() => site?.close())

const proveWith = async (context: Context, actor: Actor, proof: { message: string; signature: string }) =>
  (await service.proveWallet(context, actor, proof)).address

let people = 0

/** Creates an account with one session. */
async function signedIn(isAdmin = false): Promise<Actor> {
  people += 1
  const email = `person${people}@example.com`
  const now = clock.now()
  const [account] = await ctx.db
    .insert(accounts)
    .values({ email, name: `Person ${people}`, role: isAdmin ? 'admin' : 'user', createdAt: now })
    .returning()
  if (!account) throw new Error('No account was made')
  return { ...(await newSession(account.id)), email, name: account.name, permissions: listPermissions(account.role) }
}

let openedSessions = 0

async function newSession(accountId: string) {
  openedSessions += 1
  const sessionIdHash = `session-${openedSessions}`
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + DAY_MS)
  const times = { createdAt: now, lastSeenAt: now, expiresAt }
  const [session] = await ctx.db
    .insert(sessions)
    .values({ idHash: sessionIdHash, accountId, remembered: false, userAgent: '', ...times })
    .returning()
  if (!session) throw new Error('No session was made')
  const rights = { role: 'user' as const, hasFactor: false, mustEnrol: false }
  return {
    sessionId: session.id,
    sessionIdHash,
    accountId,
    provedWallets: [],
    authenticatedAt: now,
    sessionEndsAt: now,
    ...rights,
  }
}

let usedWallets = 0
/** Returns a wallet that no account has proved. */
function freshWallet() {
  usedWallets += 1
  return testAccount(100 + usedWallets)
}

type Wallet = ReturnType<typeof freshWallet>

async function answer(actor: Actor, wallet: Wallet) {
  const { message } = await service.createChallenge(ctx, actor, wallet.address)
  return { message, signature: await wallet.signMessage({ message }) }
}

const prove = async (actor: Actor, wallet: Wallet) => proveWith(ctx, actor, await answer(actor, wallet))

const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code?: string }) => error.code ?? String(error),
  )

/** Finds the proofs by session id, because a proof renews the hash of the cookie. */
const getProofs = ({ sessionId }: Actor) => {
  const idHash = ctx.db.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.id, sessionId))
  return ctx.db.select().from(walletProofs).where(inArray(walletProofs.sessionIdHash, idHash))
}

describe('proveWallet: links no wallet and rejects', () => {
  test.each<[string, (message: string) => string]>([
    ['domain', (message) => message.replace(/^\S+/, 'evil.example')],
    ['address', (message) => message.replace(/0x\w{40}/, testAccount(99).address)],
    ['statement', (message) => message.replace('This costs nothing.', 'This costs all.')],
    ['account', (message) => message.replace(/person\d+@/, 'person0@')],
    ['URI', (message) => message.replace(/URI: .*/, 'URI: https://evil.example')],
    ['version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['chain', (message) => message.replace('Chain ID: 31337', 'Chain ID: 1')],
    ['nonce', (message) => message.replace(/Nonce: ./, 'Nonce: z')],
    ['no nonce', (message) => message.replace(/Nonce: .*\n/, '')],
    ['time of issue', (message) => message.replace('Issued At: 2026', 'Issued At: 2025')],
    ['expiration time', (message) => message.replace('Expiration Time: 2026', 'Expiration Time: 2036')],
    ['no expiration time', (message) => message.replace(/\nExpiration Time: .*/, '')],
    ['line breaks', (message) => message.replaceAll('\n', '\r\n')],
    ['an additional byte', (message) => `${message}\n`],
    ['an additional resource', (message) => `${message}\nResources:\n- https://evil.example`],
  ])('a message changed before the wallet signed it: %s', async (_field, change) => {
    const actor = await signedIn()
    const wallet = freshWallet()
    const { message } = await service.createChallenge(ctx, actor, wallet.address)
    const changed = change(message)
    expect(changed).not.toBe(message)
    const signature = await wallet.signMessage({ message: changed })
    expect(await getCode(proveWith(ctx, actor, { message: changed, signature }))).toBe('challenge_invalid')
    expect(await service.listWallets(ctx, actor.accountId)).toEqual([])
  })

  test.each<[string, (message: string, wallet: Wallet) => Promise<string>]>([
    ['of another wallet', (message) => freshWallet().signMessage({ message })],
    ['of another message', (message, wallet) => wallet.signMessage({ message: `${message} ` })],
    ['of zeros', async () => `0x${'00'.repeat(65)}`],
    ['that is empty', async () => '0x'],
    ['of half a byte', async (message, wallet) => `${await wallet.signMessage({ message })}a`],
    ['that is not hex', async () => 'signed, Ann'],
  ])('a signature %s, and consumes the challenge', async (_what, sign) => {
    const actor = await signedIn()
    const wallet = freshWallet()
    const { message } = await service.createChallenge(ctx, actor, wallet.address)
    const signature = await sign(message, wallet)
    expect(await getCode(proveWith(ctx, actor, { message, signature }))).toBe('signature_invalid')
    const genuine = await wallet.signMessage({ message })
    expect(await getCode(proveWith(ctx, actor, { message, signature: genuine }))).toBe('challenge_invalid')
    expect(await getProofs(actor)).toEqual([])
  })

  test('the challenge of another session, which stays valid there', async () => {
    const ann = await signedIn()
    const bob = await signedIn()
    const proof = await answer(ann, freshWallet())
    expect(await getCode(proveWith(ctx, bob, proof))).toBe('challenge_invalid')
    const otherBrowser = { ...ann, ...(await newSession(ann.accountId)) }
    expect(await getCode(proveWith(ctx, otherBrowser, proof))).toBe('challenge_invalid')
    expect(await getCode(proveWith(ctx, ann, proof))).toBe('accepted')
  })

  test('a challenge that is ten minutes old or was replaced', async () => {
    const actor = await signedIn()
    const wallet = freshWallet()
    const replaced = await answer(actor, wallet)
    const late = await answer(actor, wallet)
    expect(await getCode(proveWith(ctx, actor, replaced))).toBe('challenge_invalid')
    clock.advance(600_000)
    expect(await getCode(proveWith(ctx, actor, late))).toBe('challenge_expired')
    const inTime = await answer({ ...actor, authenticatedAt: clock.now() }, wallet)
    clock.advance(599_999)
    expect(await getCode(proveWith(ctx, actor, inTime))).toBe('accepted')
  })

  test('all but one of 100 concurrent proofs with one challenge', async () => {
    const actor = await signedIn()
    const proof = await answer(actor, freshWallet())
    const codes: string[] = []
    // At most 16 run concurrently: on a busy machine, the last would wait too long for a database
    // connection.
    await mapLimit(16, Array(100).fill(proof), async () => codes.push(await getCode(proveWith(ctx, actor, proof))))
    expect(codes.sort()).toEqual(['accepted', ...Array(99).fill('challenge_invalid')])
  })

  test('a wallet of another account, without naming it', async () => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const wallet = freshWallet()
    await prove(ann, wallet)
    const claim = prove(bob, wallet)
    await expect(claim).rejects.toMatchObject({
      code: 'wallet_taken',
      message: 'This wallet belongs to another account.',
    })
    expect(await getProofs(bob)).toEqual([])
  })

  test('all but one of eight accounts that prove a wallet concurrently', async () => {
    const actors = await Promise.all(Array.from({ length: 8 }, () => signedIn()))
    const wallet = freshWallet()
    const proofs = await Promise.all(actors.map((actor) => answer(actor, wallet)))
    const codes = await Promise.all(
      actors.map((actor, index) => getCode(proveWith(ctx, actor, proofs[index] ?? { message: '', signature: '' }))),
    )
    expect(codes.sort()).toEqual(['accepted', ...Array(7).fill('wallet_taken')])
  })

  test('a new wallet without recent reauthentication', async () => {
    const actor = await signedIn()
    const known = freshWallet()
    await prove(actor, known)
    clock.advance(600_000)
    expect(await getCode(prove(actor, freshWallet()))).toBe('reauthentication_required')
    expect(await getCode(prove(actor, known))).toBe('accepted')
  })

  test('a signed message that was created for another purpose', async () => {
    const actor = await signedIn()
    const wallet = freshWallet()
    await prove(actor, wallet)
    const confirm = (proof: { message: string; signature: string }) => service.confirmWithWallet(ctx, actor, proof)
    const signed = async (purpose: 'link' | 'confirm') => {
      const { message } = await service.createChallenge(ctx, actor, wallet.address, purpose)
      return { message, signature: await wallet.signMessage({ message }) }
    }
    expect(await getCode(confirm(await signed('link')))).toBe('challenge_invalid')
    expect(await getCode(proveWith(ctx, actor, await signed('confirm')))).toBe('challenge_invalid')
    expect(await getCode(confirm(await signed('confirm')))).toBe('accepted')
  })

  test('a confirmation by a wallet of another account', async () => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const wallet = freshWallet()
    await prove(bob, wallet)
    for (const foreign of [wallet, freshWallet()]) {
      const { message } = await service.createChallenge(ctx, ann, foreign.address, 'confirm')
      const proof = { message, signature: await foreign.signMessage({ message }) }
      expect(await getCode(service.confirmWithWallet(ctx, ann, proof))).toBe('forbidden')
    }
  })

  test('the 21st wallet of an account', async () => {
    const actor = await signedIn()
    for (let index = 0; index < 20; index++) await prove(actor, freshWallet())
    const known = (await service.listWallets(ctx, actor.accountId))[0] ?? ''
    expect(await getCode(prove(actor, freshWallet()))).toBe('too_many_wallets')
    expect(await service.listWallets(ctx, actor.accountId)).toHaveLength(20)
    await service.unlinkWallet(ctx, actor, known)
    expect(await getCode(prove(actor, freshWallet()))).toBe('accepted')
  })

  test('all but one of four wallets proved concurrently when the account has 19', async () => {
    const actor = await signedIn()
    for (let index = 0; index < 19; index++) await prove(actor, freshWallet())
    const proofs = await Promise.all(Array.from({ length: 4 }, () => answer(actor, freshWallet())))
    const codes = await Promise.all(proofs.map((proof) => getCode(proveWith(ctx, actor, proof))))
    expect(codes.sort()).toEqual(['accepted', ...Array(3).fill('too_many_wallets')])
  })

  test('a challenge for a session that has ended', async () => {
    const actor = await signedIn()
    await ctx.db.delete(sessions).where(eq(sessions.idHash, actor.sessionIdHash))
    expect(await getCode(service.createChallenge(ctx, actor, freshWallet().address))).toBe('not_signed_in')
  })
})

describe('contract wallets', () => {
  /** Returns the bytecode of a contract that answers every call with these four bytes. */
  const answering = (word: string): Hex => `0x63${word}60e01b60005260206000f3`
  /** Not a valid key signature, so the contract decides whether it is valid. */
  const signature = `0x${'12'.repeat(65)}`

  async function contractWallet(code: Hex): Promise<Address> {
    const { address } = freshWallet()
    await chain.control.setCode({ address, bytecode: code })
    return address
  }
  const YES = answering('1626ba7e')
  const NO = answering('ffffffff')
  const proveContract = async (context: Context, address: Address, actor?: Actor) => {
    const prover = actor ?? (await signedIn())
    const { message } = await service.createChallenge(context, prover, address)
    return getCode(proveWith(context, prover, { message, signature }))
  }

  test('are rejected when the contract returns another value or reverts', async () => {
    expect(await proveContract(ctx, await contractWallet(NO))).toBe('signature_invalid')
    expect(await proveContract(ctx, await contractWallet('0x60006000fd'))).toBe('signature_invalid')
  })

  test('are rejected with a delegation that is not on the chain yet, without a call', async () => {
    const delegated = { address: await contractWallet(YES), message: '', signature: `0x${'8010'.repeat(16)}` }
    expect(await findSigner(null, delegated)).toBeNull()
  })

  test('are not accepted when the chain does not respond', async () => {
    expect(await proveContract(unreachableChain(), await contractWallet(YES))).toBe('unavailable')
  })

  test('are proved when the contract accepts', async () => {
    expect(await proveContract(ctx, await contractWallet(YES))).toBe('accepted')
  })

  describe('recheck', () => {
    // Proofs of other tests would be due too, so they are deleted.
    beforeEach(async () => {
      await ctx.db.delete(walletProofs)
    })

    async function holder() {
      const actor = await signedIn()
      const [address, own] = [await contractWallet(YES), freshWallet()]
      expect(await proveContract(ctx, address, actor)).toBe('accepted')
      await prove(actor, own)
      return { actor: { ...actor, provedWallets: [address, own.address] }, address, own: own.address }
    }
    const linkedTo = (actor: Actor) => service.listWallets(ctx, actor.accountId)

    test('ends proof and link at a purchase when the contract rejects, and notifies listeners', async () => {
      const { actor, address, own } = await holder()
      expect(await confirmWallets(ctx, actor, actor.provedWallets)).toEqual([address, own])
      await chain.control.setCode({ address, bytecode: NO })
      const woken: string[] = []
      const off = ctx.notifications.on('entitlement', (key) => woken.push(key))
      expect(await confirmWallets(ctx, actor, actor.provedWallets)).toEqual([own])
      await expect.poll(() => woken).toContain(actor.accountId)
      off()
      expect((await getProofs(actor)).map((proof) => proof.address)).toEqual([own])
      expect(await linkedTo(actor)).toEqual([own])
      const history = await ctx.db.select().from(activities).where(eq(activities.accountId, actor.accountId))
      expect(history).toContainEqual(expect.objectContaining({ kind: 'wallet_unlinked', reference: address }))
      expect(await ctx.db.$count(sessions, eq(sessions.id, actor.sessionId))).toBe(1)
    })

    test('notifies listeners when the link has ended, not only when the proof has', async () => {
      const { actor, address, own } = await holder()
      await chain.control.setCode({ address, bytecode: NO })
      const linkedAtNotice: string[][] = []
      const notify: typeof ctx.notifications.notify = async (tx, topic, key) => {
        if (topic === 'entitlement' && key === actor.accountId) linkedAtNotice.push(await listAddresses(tx, key))
        await ctx.notifications.notify(tx, topic, key)
      }
      await confirmWallets({ ...ctx, notifications: { ...ctx.notifications, notify } }, actor, [address])
      expect(linkedAtNotice.at(-1)).toEqual([own])
    })

    test('runs every five minutes in a long session', async () => {
      const { actor, address, own } = await holder()
      await chain.control.setCode({ address, bytecode: NO })
      clock.advance(299_999)
      await checkWallets(ctx)
      expect(await getProofs(actor)).toHaveLength(2)
      clock.advance(1)
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).toEqual([own])
    })

    test('extends an accepted proof by five minutes', async () => {
      const { actor, address } = await holder()
      clock.advance(300_000)
      await checkWallets(ctx)
      const [proof] = (await getProofs(actor)).filter((one) => one.address === address)
      expect(proof?.checkedAt).toEqual(clock.now())
    })

    test('keeps proofs but blocks payment when the chain does not respond', async () => {
      const { actor, address } = await holder()
      expect(await getCode(confirmWallets(unreachableChain(), actor, [address]))).toBe('unavailable')
      expect(await getCode(confirmWallets(failingCalls(), actor, [address]))).toBe('unavailable')
      clock.advance(300_000)
      await checkWallets(unreachableChain())
      await checkWallets(failingCalls())
      expect((await getProofs(actor)).map((proof) => proof.address)).toContain(address)
      expect(await linkedTo(actor)).toContain(address)
    })

    test('calls only the contracts of the given addresses', async () => {
      const { actor, address, own } = await holder()
      for (let index = 0; index < 5; index++) await proveContract(ctx, await contractWallet(YES), actor)
      const { site: counting, calls } = countingCalls()
      expect(await confirmWallets(counting, actor, [address])).toEqual([address])
      expect(calls()).toBe(1)
      expect(await confirmWallets(counting, actor, [own])).toEqual([own])
      expect(calls()).toBe(1)
    })

    test('becomes rarer while a session is unused, and is due immediately when it is used', async () => {
      const { actor, address } = await holder()
      const { site: counting, calls } = countingCalls()
      const checkedAfter: number[] = []
      for (let minute = 1; minute <= 45; minute++) {
        clock.advance(60_000)
        const before = calls()
        await checkWallets(counting)
        if (calls() > before) checkedAfter.push(minute)
      }
      expect(checkedAfter).toEqual([5, 10, 20, 40])
      await chain.control.setCode({ address, bytecode: NO })
      await ctx.db.update(sessions).set({ lastSeenAt: clock.now() }).where(eq(sessions.id, actor.sessionId))
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
    })

    test.each(['with a plan', 'of staff'])('stays at five minutes for an unused session %s', async (kind) => {
      const { actor } = await holder()
      if (kind === 'of staff') await ctx.db.update(accounts).set({ role: 'support' }).where(isAccount(actor))
      else await grantPlan(actor)
      const { site: counting, calls } = countingCalls()
      for (let index = 1; index <= 6; index++) {
        clock.advance(300_000)
        await checkWallets(counting)
        expect(calls()).toBe(index)
      }
    })

    test.each([
      ['with a plan', 100],
      ['without a plan', 1_001],
    ])('ends a rejected proof %s within six minutes although 1,000 others are due', async (kind, mostCalls) => {
      const others = await foreignProofs(1_000)
      clock.advance(1)
      const { actor, address } = await holder()
      if (kind === 'with a plan') await grantPlan(actor)
      await chain.control.setCode({ address, bytecode: NO })
      clock.advance(300_000)
      await ctx.db.update(sessions).set({ lastSeenAt: clock.now() }).where(inArray(sessions.id, others))
      const start = clock.now().getTime()
      // Simulates eight concurrent calls of half a second: each advances the clock by an eighth of
      // that time (62 ms).
      const { site: slow, calls } = countingCalls(62)
      const rounds: number[] = []
      while ((await getProofs(actor)).some((proof) => proof.address === address)) {
        const before = calls()
        await checkWallets(slow)
        rounds.push(calls() - before)
        if (calls() === before) break
      }
      expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
      expect(Math.max(...rounds)).toBeLessThanOrEqual(100)
      expect(calls()).toBeLessThanOrEqual(mostCalls)
      expect(clock.now().getTime() - start).toBeLessThan(60_000 + 5_000)
      await ctx.db.delete(sessions).where(inArray(sessions.id, others))
    })

    test('checks one proof of each account before a second one of any', async () => {
      const many = await signedIn()
      for (let index = 0; index < 3; index++) await proveContract(ctx, await contractWallet(YES), many)
      clock.advance(1)
      const { actor, address } = await holder()
      clock.advance(300_000)
      const due = await listDueProofs(ctx.db, clock.now(), 2)
      expect(due.map((proof) => proof.accountId)).toEqual([many.accountId, actor.accountId])
      expect(due[1]?.address).toBe(address)
    })

    test('calls eight contracts at a time', async () => {
      await foreignProofs(20)
      clock.advance(300_000)
      const { call } = ctx.paymentChain
      let [running, most] = [0, 0]
      const observed: typeof call = async (request) => {
        running += 1
        most = Math.max(most, running)
        return call(request).finally(() => {
          running -= 1
        })
      }
      expect(await checkWallets({ ...ctx, paymentChain: { ...ctx.paymentChain, call: observed } })).toBe(20)
      expect(most).toBe(8)
    })

    test('logs an outage once, and does not call a contract again before its proof is due', async () => {
      for (let index = 0; index < 3; index++) await holder()
      clock.advance(300_000)
      const warnings: unknown[] = []
      const broken = failingCalls()
      const logger = Object.create(ctx.logger, { warn: { value: (...entry: unknown[]) => warnings.push(entry) } })
      expect(await checkWallets({ ...broken, logger })).toBe(3)
      expect(await checkWallets({ ...broken, logger })).toBe(0)
      expect(warnings.length).toBeLessThanOrEqual(1)
    })

    test('keeps the link when another session has proved the wallet again', async () => {
      const { actor, address } = await holder()
      const other = { ...actor, ...(await newSession(actor.accountId)) }
      await chain.control.setCode({ address, bytecode: answeringTo('34'.repeat(65)) })
      const { message } = await service.createChallenge(ctx, other, address)
      const renewed = { message, signature: `0x${'34'.repeat(65)}` }
      expect(await getCode(proveWith(ctx, other, renewed))).toBe('accepted')
      clock.advance(300_000)
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
      expect((await getProofs(other)).map((proof) => proof.address)).toEqual([address])
      expect(await linkedTo(actor)).toContain(address)
    })

    /**
     * Returns the bytecode of an ERC-1271 wallet that accepts each signature with the same first
     * byte. In the calldata the signature begins at byte 100: selector (4), hash, offset and length
     * (32 each).
     */
    const answeringTo = (bytes: string): Hex =>
      `0x60643560f81c60${bytes.slice(0, 2)}14631626ba7e60e01b0260005260206000f3`
    const isAccount = ({ accountId }: Actor) => eq(accounts.id, accountId)
    async function grantPlan({ accountId }: Actor): Promise<void> {
      const [createdAt, planId] = [clock.now(), '24h' as const]
      const [grant] = await ctx.db
        .insert(planGrants)
        .values({ accountId, planId, listPriceWei: 1n, createdAt })
        .returning()
      if (!grant) throw new Error('No grant was made')
      await ctx.db.transaction((tx) => startGrantedPeriod(ctx, tx, { accountId, planId, grantId: grant.id }))
    }
    /** Creates a node that counts the calls, each of which advances the clock by this time. */
    const countingCalls = (tookMs = 0) => {
      let calls = 0
      const call: typeof ctx.paymentChain.call = async (request) => {
        calls += 1
        clock.advance(tookMs)
        return ctx.paymentChain.call(request)
      }
      return { site: { ...ctx, paymentChain: { ...ctx.paymentChain, call } }, calls: () => calls }
    }
    /**
     * Creates sessions of new accounts, each with a wallet whose contract is not deployed. Their
     * proofs count as checked now.
     */
    async function foreignProofs(count: number): Promise<string[]> {
      const now = clock.now()
      const { message } = await service.createChallenge(ctx, await signedIn(), freshWallet().address)
      const made = await ctx.db
        .insert(accounts)
        .values(Array.from({ length: count }, () => ({ name: 'Foreign', role: 'user' as const, createdAt: now })))
        .returning()
      const times = { createdAt: now, lastSeenAt: now, expiresAt: new Date(now.getTime() + 30 * DAY_MS) }
      const opened = await ctx.db
        .insert(sessions)
        .values(
          made.map(({ id }) => ({ idHash: `of-${id}`, accountId: id, remembered: true, userAgent: '', ...times })),
        )
        .returning()
      const accepting = await contractWallet(YES)
      const shown = { message, signature, chainId: chain.chainId, checkedAt: now, provedAt: now, address: accepting }
      await ctx.db.insert(walletProofs).values(opened.map(({ idHash }) => ({ sessionIdHash: idHash, ...shown })))
      return opened.map(({ id }) => id)
    }
    /** Creates a node that returns the code and fails every call. */
    const failingCalls = () => {
      const call: typeof ctx.paymentChain.call = async () => {
        throw new Error('The node is busy')
      }
      return { ...ctx, paymentChain: { ...ctx.paymentChain, call } }
    }
  })

  const unreachableChain = () => ({ ...ctx, paymentChain: createChainClient(['http://127.0.0.1:9']) })
})

/** Returns the UPDATE statements of a migration. */
async function readUpdates(ending: string): Promise<string[]> {
  const folder = new URL('../../../drizzle/', import.meta.url)
  const name = (await readdir(folder)).find((file) => file.endsWith(ending)) ?? ''
  const statements = (await readFile(new URL(name, folder), 'utf8')).split('--> statement-breakpoint')
  return statements.filter((part) => part.includes('UPDATE "'))
}

test('migration: derives the chain of older wallets from their proofs', async () => {
  const [ann, bob] = [await signedIn(), await signedIn()]
  const [key, contract] = [freshWallet(), freshWallet()]
  await prove(ann, key)
  const { message } = await answer(bob, contract)
  const shown = { message, signature: '0x12', checkedAt: clock.now(), provedAt: clock.now() }
  const unproved = freshWallet().address
  const linked = { accountId: bob.accountId, linkedAt: clock.now() }
  await ctx.db.insert(wallets).values([contract.address, unproved].map((address) => ({ ...linked, address })))
  await ctx.db.insert(walletProofs).values({ sessionIdHash: bob.sessionIdHash, address: contract.address, ...shown })
  const own = [key.address, contract.address, unproved]
  await ctx.db.update(wallets).set({ chainId: -1 }).where(inArray(wallets.address, own))
  for (const statement of await readUpdates('_wallet_chains.sql')) await ctx.db.execute(statement)
  const rows = await ctx.db.select().from(wallets).where(inArray(wallets.address, own))
  const chainOf = new Map(rows.map(({ address, chainId }) => [address, chainId]))
  expect(own.map((address) => chainOf.get(address))).toEqual([0, chain.chainId, -1])
})

test('migration: marks the proofs that signed in, even if the wallet was proved again in the session', async () => {
  const { message: signIn } = await createSignInChallenge(ctx, freshWallet().address)
  const { message: link } = await service.createChallenge(ctx, await signedIn(), freshWallet().address)
  const cases = [
    { method: 'wallet', messages: [signIn, link], marked: [true, false] },
    { method: 'wallet', messages: [link, link, null], marked: [true, false, false] },
    { method: 'wallet', messages: [null, link], marked: [true, false] },
    { method: '', messages: [link, signIn], marked: [false, true] },
    { method: 'password', messages: [link, null], marked: [false, false] },
  ]
  for (const { method, messages, marked } of cases) {
    const actor = await signedIn()
    const { sessionIdHash, sessionId } = actor
    await ctx.db.update(sessions).set({ method }).where(eq(sessions.id, sessionId))
    const proofs = messages.map((message, nth) => ({ message, address: `0x${nth}`, provedAt: new Date(nth) }))
    await ctx.db.insert(walletProofs).values(proofs.map((proof) => ({ ...proof, sessionIdHash })))
    for (const statement of await readUpdates('_sign_in_proofs.sql')) await ctx.db.execute(statement)
    const rows = (await getProofs(actor)).sort((a, b) => a.address.localeCompare(b.address))
    expect(rows.map((row) => row.signedIn)).toEqual(marked)
  }
})

test('proveWallet: links the wallet once, notifies listeners, and proves it only for the current session', async () => {
  const actor = await signedIn()
  const wallet = freshWallet()
  const woken: string[] = []
  const off = ctx.notifications.on('entitlement', (key) => woken.push(key))
  const lowerCase = { ...wallet, address: wallet.address.toLowerCase() as Address }
  expect(await prove(actor, lowerCase)).toBe(getAddress(wallet.address))
  await expect.poll(() => woken).toContain(actor.accountId)
  off()
  const otherBrowser = { ...actor, ...(await newSession(actor.accountId)) }
  expect(await getProofs(otherBrowser)).toEqual([])
  await prove(otherBrowser, wallet)
  await prove(otherBrowser, wallet)
  expect(await getProofs(actor)).toHaveLength(1)
  expect(await getProofs(otherBrowser)).toHaveLength(1)
  expect(await ctx.db.select().from(wallets).where(eq(wallets.accountId, actor.accountId))).toHaveLength(1)
  const history = await ctx.db.select().from(activities).where(eq(activities.accountId, actor.accountId))
  expect(history).toMatchObject([{ kind: 'wallet_proved', reference: wallet.address }])
  clock.advance(1)
  const second = freshWallet()
  await prove(actor, second)
  expect(await service.listWallets(ctx, actor.accountId)).toEqual([wallet.address, second.address])
})

test('unlinkWallet: counts a linked provider as a way to sign in only while it is configured', async () => {
  const actor = await signedIn()
  const wallet = freshWallet()
  await prove(actor, wallet)
  const issuer = 'https://accounts.google.com'
  const { accountId } = actor
  const identity = { issuer, provider: 'google' as const, subject: accountId, accountId, linkedAt: clock.now() }
  await ctx.db.insert(identities).values(identity)
  expect(await getCode(service.unlinkWallet(ctx, actor, wallet.address))).toBe('last_way_in')
  const google = { issuer, clientId: 'x', clientSecret: 'x' }
  const configured = { ...ctx, config: { ...ctx.config, providers: { google, linkedin: null } } }
  expect(await getCode(service.unlinkWallet(configured, actor, wallet.address))).toBe('accepted')
})

describe('wallet routes', () => {
  let app: FastifyInstance
  let caller: Actor

  beforeAll(async () => {
    const routes = [
      route(endpoints.findWalletUser, handlers.findWalletUser),
      route(endpoints.createWalletUser, handlers.createWalletUser),
      route(endpoints.createChallenge, handlers.createChallenge),
      route(endpoints.proveWallet, handlers.proveWallet),
    ]
    app = await createApp(ctx, routes, async () => caller)
  })
  afterAll(() => app?.close())

  const find = async (address: string) => {
    const { statusCode, body } = await app.inject({ method: 'GET', url: `/api/users/${address}` })
    return { status: statusCode, body: JSON.parse(body.replace(/"requestId":"[^"]+"/, '"requestId":""')) }
  }
  const post = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, payload, headers: { origin: 'http://localhost:3000' } })

  test('GET /api/users/:address returns the same 404 for known and unknown wallets of others', async () => {
    const owner = await signedIn()
    const wallet = freshWallet()
    await prove(owner, wallet)
    caller = await signedIn()
    const known = await find(wallet.address)
    expect(known.status).toBe(404)
    expect(await find(freshWallet().address)).toEqual(known)
    caller = owner
    const mine = { status: 200, body: { id: owner.accountId, walletAddress: wallet.address } }
    expect(await find(wallet.address.toLowerCase())).toEqual(mine)
    caller = await signedIn(true)
    expect(await find(wallet.address)).toEqual(mine)
  })

  test('POST /api/users requires a wallet proved in this session, and ignores email, name and password', async () => {
    caller = await signedIn()
    const wallet = freshWallet()
    await prove(caller, wallet)
    const payload = { walletAddress: wallet.address, email: 'x@wallet.local', name: 'x', password: '' }
    const refused = await post('/api/users', payload)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'wallet_not_proved'])
    caller = { ...caller, provedWallets: [wallet.address] }
    expect((await post('/api/users', { ...payload, role: 'admin' })).statusCode).toBe(400)
    const created = await post('/api/users', payload)
    expect([created.statusCode, created.json()]).toEqual([200, { id: caller.accountId, walletAddress: wallet.address }])
    const [account] = await ctx.db.select().from(accounts).where(eq(accounts.id, caller.accountId))
    expect(account).toMatchObject({ email: caller.email, name: caller.name, role: 'user', passwordHash: null })
  })

  test('prove a wallet with challenge, signature and proof', async () => {
    caller = await signedIn()
    const wallet = freshWallet()
    const { message, expiresAt } = (await post('/api/wallets/challenge', { walletAddress: wallet.address })).json()
    expect(expiresAt).toBe(new Date(clock.now().getTime() + 600_000).toISOString())
    const proof = { message, signature: await wallet.signMessage({ message }) }
    const proved = await post('/api/wallets/prove', proof)
    expect([proved.statusCode, proved.json()]).toEqual([200, { success: true, walletAddress: wallet.address }])
    expect(proved.headers['set-cookie']).toMatch(/^tocsin=/)
    const again = await post('/api/wallets/prove', proof)
    expect([again.statusCode, again.json().code]).toEqual([422, 'challenge_invalid'])
  })
})
