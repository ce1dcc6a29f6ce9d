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

const submitProof = async (context: Context, actor: Actor, proof: { message: string; signature: string }) =>
  (await service.proveWallet(context, actor, proof)).address

let personCount = 0

/** Creates an account with one session. */
async function createSignedInActor(isAdmin = false): Promise<Actor> {
  personCount += 1
  const email = `person${personCount}@example.com`
  const now = clock.now()
  const [account] = await ctx.db
    .insert(accounts)
    .values({ email, name: `Person ${personCount}`, role: isAdmin ? 'admin' : 'user', createdAt: now })
    .returning()
  if (!account) throw new Error('No account was made')
  return { ...(await createSession(account.id)), email, name: account.name, permissions: listPermissions(account.role) }
}

let sessionCount = 0

async function createSession(accountId: string) {
  sessionCount += 1
  const sessionIdHash = `session-${sessionCount}`
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

let walletCount = 0
/** Returns a wallet that no account has proved. */
function createWallet() {
  walletCount += 1
  return testAccount(100 + walletCount)
}

type Wallet = ReturnType<typeof createWallet>

async function signChallenge(actor: Actor, wallet: Wallet) {
  const { message } = await service.createChallenge(ctx, actor, wallet.address)
  return { message, signature: await wallet.signMessage({ message }) }
}

const prove = async (actor: Actor, wallet: Wallet) => submitProof(ctx, actor, await signChallenge(actor, wallet))

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
    const actor = await createSignedInActor()
    const wallet = createWallet()
    const { message } = await service.createChallenge(ctx, actor, wallet.address)
    const changedMessage = change(message)
    expect(changedMessage).not.toBe(message)
    const signature = await wallet.signMessage({ message: changedMessage })
    expect(await getCode(submitProof(ctx, actor, { message: changedMessage, signature }))).toBe('challenge_invalid')
    expect(await listAddresses(ctx.db, actor.accountId)).toEqual([])
  })

  test.each<[string, (message: string, wallet: Wallet) => Promise<string>]>([
    ['of another wallet', (message) => createWallet().signMessage({ message })],
    ['of another message', (message, wallet) => wallet.signMessage({ message: `${message} ` })],
    ['of zeros', async () => `0x${'00'.repeat(65)}`],
    ['that is empty', async () => '0x'],
    ['of half a byte', async (message, wallet) => `${await wallet.signMessage({ message })}a`],
    ['that is not hex', async () => 'signed, Ann'],
  ])('a signature %s, and consumes the challenge', async (_what, sign) => {
    const actor = await createSignedInActor()
    const wallet = createWallet()
    const { message } = await service.createChallenge(ctx, actor, wallet.address)
    const signature = await sign(message, wallet)
    expect(await getCode(submitProof(ctx, actor, { message, signature }))).toBe('signature_invalid')
    const genuineSignature = await wallet.signMessage({ message })
    expect(await getCode(submitProof(ctx, actor, { message, signature: genuineSignature }))).toBe('challenge_invalid')
    expect(await getProofs(actor)).toEqual([])
  })

  test('the challenge of another session, which stays valid there', async () => {
    const ann = await createSignedInActor()
    const bob = await createSignedInActor()
    const proof = await signChallenge(ann, createWallet())
    expect(await getCode(submitProof(ctx, bob, proof))).toBe('challenge_invalid')
    const otherBrowser = { ...ann, ...(await createSession(ann.accountId)) }
    expect(await getCode(submitProof(ctx, otherBrowser, proof))).toBe('challenge_invalid')
    expect(await getCode(submitProof(ctx, ann, proof))).toBe('accepted')
  })

  test('a challenge that is ten minutes old or was replaced', async () => {
    const actor = await createSignedInActor()
    const wallet = createWallet()
    const replaced = await signChallenge(actor, wallet)
    const lateProof = await signChallenge(actor, wallet)
    expect(await getCode(submitProof(ctx, actor, replaced))).toBe('challenge_invalid')
    clock.advance(600_000)
    expect(await getCode(submitProof(ctx, actor, lateProof))).toBe('challenge_expired')
    const inTime = await signChallenge({ ...actor, authenticatedAt: clock.now() }, wallet)
    clock.advance(599_999)
    expect(await getCode(submitProof(ctx, actor, inTime))).toBe('accepted')
  })

  test('all but one of 100 concurrent proofs with one challenge', async () => {
    const actor = await createSignedInActor()
    const proof = await signChallenge(actor, createWallet())
    const codes: string[] = []
    // At most 16 run concurrently: on a busy machine, the last would wait too long for a database
    // connection.
    await mapLimit(16, Array(100).fill(proof), async () => codes.push(await getCode(submitProof(ctx, actor, proof))))
    expect(codes.sort()).toEqual(['accepted', ...Array(99).fill('challenge_invalid')])
  })

  test('a wallet of another account, without naming that account', async () => {
    const [ann, bob] = [await createSignedInActor(), await createSignedInActor()]
    const wallet = createWallet()
    await prove(ann, wallet)
    const claim = prove(bob, wallet)
    await expect(claim).rejects.toMatchObject({
      code: 'wallet_taken',
      message: 'This wallet belongs to another account.',
    })
    expect(await getProofs(bob)).toEqual([])
  })

  test('all but one of eight accounts that prove a wallet concurrently', async () => {
    const actors = await Promise.all(Array.from({ length: 8 }, () => createSignedInActor()))
    const wallet = createWallet()
    const proofs = await Promise.all(actors.map((actor) => signChallenge(actor, wallet)))
    const codes = await Promise.all(
      actors.map((actor, index) => getCode(submitProof(ctx, actor, proofs[index] ?? { message: '', signature: '' }))),
    )
    expect(codes.sort()).toEqual(['accepted', ...Array(7).fill('wallet_taken')])
  })

  test('a new wallet without recent reauthentication', async () => {
    const actor = await createSignedInActor()
    const known = createWallet()
    await prove(actor, known)
    clock.advance(600_000)
    expect(await getCode(prove(actor, createWallet()))).toBe('reauthentication_required')
    expect(await getCode(prove(actor, known))).toBe('accepted')
  })

  test('a signed message that was created for another purpose', async () => {
    const actor = await createSignedInActor()
    const wallet = createWallet()
    await prove(actor, wallet)
    const confirmWithProof = (proof: { message: string; signature: string }) =>
      service.confirmWithWallet(ctx, actor, proof)
    const signFor = async (purpose: 'link' | 'confirm') => {
      const { message } = await service.createChallenge(ctx, actor, wallet.address, purpose)
      return { message, signature: await wallet.signMessage({ message }) }
    }
    expect(await getCode(confirmWithProof(await signFor('link')))).toBe('challenge_invalid')
    expect(await getCode(submitProof(ctx, actor, await signFor('confirm')))).toBe('challenge_invalid')
    expect(await getCode(confirmWithProof(await signFor('confirm')))).toBe('accepted')
  })

  test('a confirmation by a wallet of another account', async () => {
    const [ann, bob] = [await createSignedInActor(), await createSignedInActor()]
    const wallet = createWallet()
    await prove(bob, wallet)
    for (const foreignWallet of [wallet, createWallet()]) {
      const { message } = await service.createChallenge(ctx, ann, foreignWallet.address, 'confirm')
      const proof = { message, signature: await foreignWallet.signMessage({ message }) }
      expect(await getCode(service.confirmWithWallet(ctx, ann, proof))).toBe('forbidden')
    }
  })

  test('the 21st wallet of an account', async () => {
    const actor = await createSignedInActor()
    for (let index = 0; index < 20; index++) await prove(actor, createWallet())
    const known = (await listAddresses(ctx.db, actor.accountId))[0] ?? ''
    expect(await getCode(prove(actor, createWallet()))).toBe('too_many_wallets')
    expect(await listAddresses(ctx.db, actor.accountId)).toHaveLength(20)
    await service.unlinkWallet(ctx, actor, known)
    expect(await getCode(prove(actor, createWallet()))).toBe('accepted')
  })

  test('all but one of four wallets proved concurrently when the account has 19', async () => {
    const actor = await createSignedInActor()
    for (let index = 0; index < 19; index++) await prove(actor, createWallet())
    const proofs = await Promise.all(Array.from({ length: 4 }, () => signChallenge(actor, createWallet())))
    const codes = await Promise.all(proofs.map((proof) => getCode(submitProof(ctx, actor, proof))))
    expect(codes.sort()).toEqual(['accepted', ...Array(3).fill('too_many_wallets')])
  })

  test('a request for a challenge when the session has ended', async () => {
    const actor = await createSignedInActor()
    await ctx.db.delete(sessions).where(eq(sessions.idHash, actor.sessionIdHash))
    expect(await getCode(service.createChallenge(ctx, actor, createWallet().address))).toBe('not_signed_in')
  })
})

describe('contract wallets', () => {
  /** Returns the bytecode of a contract that answers every call with these four bytes. */
  const createContractReturning = (word: string): Hex => `0x63${word}60e01b60005260206000f3`
  /** Not a valid key signature, so the contract decides whether it is valid. */
  const signature = `0x${'12'.repeat(65)}`

  async function createContractWallet(code: Hex): Promise<Address> {
    const { address } = createWallet()
    await chain.control.setCode({ address, bytecode: code })
    return address
  }
  const ACCEPTING_CODE = createContractReturning('1626ba7e')
  const REJECTING_CODE = createContractReturning('ffffffff')
  const proveContract = async (context: Context, address: Address, actor?: Actor) => {
    const prover = actor ?? (await createSignedInActor())
    const { message } = await service.createChallenge(context, prover, address)
    return getCode(submitProof(context, prover, { message, signature }))
  }

  test('are rejected when the contract returns another value or reverts', async () => {
    expect(await proveContract(ctx, await createContractWallet(REJECTING_CODE))).toBe('signature_invalid')
    expect(await proveContract(ctx, await createContractWallet('0x60006000fd'))).toBe('signature_invalid')
  })

  test('are rejected without a chain call when the signature has a delegation not yet on the chain', async () => {
    const delegatedProof = {
      address: await createContractWallet(ACCEPTING_CODE),
      message: '',
      signature: `0x${'8010'.repeat(16)}`,
    }
    expect(await findSigner(null, delegatedProof)).toBeNull()
  })

  test('are not accepted when the chain does not respond', async () => {
    expect(await proveContract(createUnreachableCtx(), await createContractWallet(ACCEPTING_CODE))).toBe('unavailable')
  })

  test('are proved when the contract accepts', async () => {
    expect(await proveContract(ctx, await createContractWallet(ACCEPTING_CODE))).toBe('accepted')
  })

  describe('recheck', () => {
    // Proofs of other tests would be due too, so they are deleted.
    beforeEach(async () => {
      await ctx.db.delete(walletProofs)
    })

    async function createHolder() {
      const actor = await createSignedInActor()
      const [address, ownWallet] = [await createContractWallet(ACCEPTING_CODE), createWallet()]
      expect(await proveContract(ctx, address, actor)).toBe('accepted')
      await prove(actor, ownWallet)
      return { actor: { ...actor, provedWallets: [address, ownWallet.address] }, address, own: ownWallet.address }
    }
    const listLinkedWallets = (actor: Actor) => listAddresses(ctx.db, actor.accountId)

    test('unlinks the wallet and notifies listeners when the contract rejects the signature at a purchase', async () => {
      const { actor, address, own } = await createHolder()
      expect(await confirmWallets(ctx, actor, actor.provedWallets)).toEqual([address, own])
      await chain.control.setCode({ address, bytecode: REJECTING_CODE })
      const notifiedKeys: string[] = []
      const unsubscribe = ctx.notifications.on('entitlement', (key) => notifiedKeys.push(key))
      expect(await confirmWallets(ctx, actor, actor.provedWallets)).toEqual([own])
      await expect.poll(() => notifiedKeys).toContain(actor.accountId)
      unsubscribe()
      expect((await getProofs(actor)).map((proof) => proof.address)).toEqual([own])
      expect(await listLinkedWallets(actor)).toEqual([own])
      const history = await ctx.db.select().from(activities).where(eq(activities.accountId, actor.accountId))
      expect(history).toContainEqual(expect.objectContaining({ kind: 'wallet_unlinked', reference: address }))
      expect(await ctx.db.$count(sessions, eq(sessions.id, actor.sessionId))).toBe(1)
    })

    test('sends its last notification only after the wallet is unlinked', async () => {
      const { actor, address, own } = await createHolder()
      await chain.control.setCode({ address, bytecode: REJECTING_CODE })
      const linkedAtNotice: string[][] = []
      const notify: typeof ctx.notifications.notify = async (tx, topic, key) => {
        if (topic === 'entitlement' && key === actor.accountId) linkedAtNotice.push(await listAddresses(tx, key))
        await ctx.notifications.notify(tx, topic, key)
      }
      await confirmWallets({ ...ctx, notifications: { ...ctx.notifications, notify } }, actor, [address])
      expect(linkedAtNotice.at(-1)).toEqual([own])
    })

    test('unlinks the wallet five minutes later when the first attempt fails before its end', async () => {
      const { actor, address, own } = await createHolder()
      await chain.control.setCode({ address, bytecode: REJECTING_CODE })
      const failingNotify: typeof ctx.notifications.notify = async (tx, topic, key) => {
        const isLinked = (await listAddresses(tx, actor.accountId)).includes(address)
        if (!isLinked) throw new Error('The connection broke')
        await ctx.notifications.notify(tx, topic, key)
      }
      clock.advance(300_000)
      await checkWallets({ ...ctx, notifications: { ...ctx.notifications, notify: failingNotify } })
      expect(await listLinkedWallets(actor)).toContain(address)
      clock.advance(300_000)
      await checkWallets(ctx)
      expect(await listLinkedWallets(actor)).toEqual([own])
    })

    test('runs every five minutes in a long session', async () => {
      const { actor, address, own } = await createHolder()
      await chain.control.setCode({ address, bytecode: REJECTING_CODE })
      clock.advance(299_999)
      await checkWallets(ctx)
      expect(await getProofs(actor)).toHaveLength(2)
      clock.advance(1)
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).toEqual([own])
    })

    test('extends an accepted proof by five minutes', async () => {
      const { actor, address } = await createHolder()
      clock.advance(300_000)
      await checkWallets(ctx)
      const [proof] = (await getProofs(actor)).filter((one) => one.address === address)
      expect(proof?.checkedAt).toEqual(clock.now())
    })

    test('keeps proofs but blocks payment when the chain does not respond', async () => {
      const { actor, address } = await createHolder()
      expect(await getCode(confirmWallets(createUnreachableCtx(), actor, [address]))).toBe('unavailable')
      expect(await getCode(confirmWallets(createFailingSite(), actor, [address]))).toBe('unavailable')
      clock.advance(300_000)
      await checkWallets(createUnreachableCtx())
      await checkWallets(createFailingSite())
      expect((await getProofs(actor)).map((proof) => proof.address)).toContain(address)
      expect(await listLinkedWallets(actor)).toContain(address)
    })

    test('calls only the contracts of the given addresses', async () => {
      const { actor, address, own } = await createHolder()
      for (let index = 0; index < 5; index++)
        await proveContract(ctx, await createContractWallet(ACCEPTING_CODE), actor)
      const { site: countingSite, calls } = createCountingSite()
      expect(await confirmWallets(countingSite, actor, [address])).toEqual([address])
      expect(calls()).toBe(1)
      expect(await confirmWallets(countingSite, actor, [own])).toEqual([own])
      expect(calls()).toBe(1)
    })

    test('becomes less frequent while a session is unused, and is due at once when the session is used', async () => {
      const { actor, address } = await createHolder()
      const { site: countingSite, calls } = createCountingSite()
      const checkedAfter: number[] = []
      for (let minute = 1; minute <= 45; minute++) {
        clock.advance(60_000)
        const callsBefore = calls()
        await checkWallets(countingSite)
        if (calls() > callsBefore) checkedAfter.push(minute)
      }
      expect(checkedAfter).toEqual([5, 10, 20, 40])
      await chain.control.setCode({ address, bytecode: REJECTING_CODE })
      await ctx.db.update(sessions).set({ lastSeenAt: clock.now() }).where(eq(sessions.id, actor.sessionId))
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
    })

    test.each(['with a plan', 'of staff'])('stays at five minutes for an unused session %s', async (kind) => {
      const { actor } = await createHolder()
      if (kind === 'of staff') await ctx.db.update(accounts).set({ role: 'support' }).where(matchAccount(actor))
      else await grantPlan(actor)
      const { site: countingSite, calls } = createCountingSite()
      for (let index = 1; index <= 6; index++) {
        clock.advance(300_000)
        await checkWallets(countingSite)
        expect(calls()).toBe(index)
      }
    })

    test.each([
      ['with a plan', 100],
      ['without a plan', 1_001],
    ])(
      'ends a rejected proof of an account %s within six minutes although 1,000 other proofs are due',
      async (kind, mostCalls) => {
        const otherSessionIds = await createForeignProofs(1_000)
        clock.advance(1)
        const { actor, address } = await createHolder()
        if (kind === 'with a plan') await grantPlan(actor)
        await chain.control.setCode({ address, bytecode: REJECTING_CODE })
        clock.advance(300_000)
        await ctx.db.update(sessions).set({ lastSeenAt: clock.now() }).where(inArray(sessions.id, otherSessionIds))
        const start = clock.now().getTime()
        // Simulates eight concurrent calls of half a second: each advances the clock by an eighth
        // of that time (62 ms).
        const { site: slowSite, calls } = createCountingSite(62)
        const rounds: number[] = []
        while ((await getProofs(actor)).some((proof) => proof.address === address)) {
          const callsBefore = calls()
          await checkWallets(slowSite)
          rounds.push(calls() - callsBefore)
          if (calls() === callsBefore) break
        }
        expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
        expect(Math.max(...rounds)).toBeLessThanOrEqual(100)
        expect(calls()).toBeLessThanOrEqual(mostCalls)
        expect(clock.now().getTime() - start).toBeLessThan(60_000 + 5_000)
        await ctx.db.delete(sessions).where(inArray(sessions.id, otherSessionIds))
      },
    )

    test('checks one proof of every account before a second proof of the same account', async () => {
      const busyActor = await createSignedInActor()
      for (let index = 0; index < 3; index++)
        await proveContract(ctx, await createContractWallet(ACCEPTING_CODE), busyActor)
      clock.advance(1)
      const { actor, address } = await createHolder()
      clock.advance(300_000)
      const dueProofs = await listDueProofs(ctx.db, clock.now(), 2)
      expect(dueProofs.map((proof) => proof.accountId)).toEqual([busyActor.accountId, actor.accountId])
      expect(dueProofs[1]?.address).toBe(address)
    })

    test('calls eight contracts at a time', async () => {
      await createForeignProofs(20)
      clock.advance(300_000)
      const { call } = ctx.paymentChain
      let [runningCalls, maxRunningCalls] = [0, 0]
      const observedCall: typeof call = async (request) => {
        runningCalls += 1
        maxRunningCalls = Math.max(maxRunningCalls, runningCalls)
        return call(request).finally(() => {
          runningCalls -= 1
        })
      }
      expect(await checkWallets({ ...ctx, paymentChain: { ...ctx.paymentChain, call: observedCall } })).toBe(20)
      expect(maxRunningCalls).toBe(8)
    })

    test('logs an outage once, and does not call a contract again before its proof is due', async () => {
      for (let index = 0; index < 3; index++) await createHolder()
      clock.advance(300_000)
      const warnings: unknown[] = []
      const failingSite = createFailingSite()
      const logger = Object.create(ctx.logger, { warn: { value: (...entry: unknown[]) => warnings.push(entry) } })
      expect(await checkWallets({ ...failingSite, logger })).toBe(3)
      expect(await checkWallets({ ...failingSite, logger })).toBe(0)
      expect(warnings.length).toBeLessThanOrEqual(1)
    })

    test('keeps the link when another session has proved the wallet again', async () => {
      const { actor, address } = await createHolder()
      const otherSession = { ...actor, ...(await createSession(actor.accountId)) }
      await chain.control.setCode({ address, bytecode: createContractAcceptingOnly('34'.repeat(65)) })
      const { message } = await service.createChallenge(ctx, otherSession, address)
      const renewedProof = { message, signature: `0x${'34'.repeat(65)}` }
      expect(await getCode(submitProof(ctx, otherSession, renewedProof))).toBe('accepted')
      clock.advance(300_000)
      await checkWallets(ctx)
      expect((await getProofs(actor)).map((proof) => proof.address)).not.toContain(address)
      expect((await getProofs(otherSession)).map((proof) => proof.address)).toEqual([address])
      expect(await listLinkedWallets(actor)).toContain(address)
    })

    /**
     * Returns the bytecode of an ERC-1271 wallet that accepts each signature with the same first
     * byte. In the calldata the signature begins at byte 100: selector (4), hash, offset and length
     * (32 each).
     */
    const createContractAcceptingOnly = (bytes: string): Hex =>
      `0x60643560f81c60${bytes.slice(0, 2)}14631626ba7e60e01b0260005260206000f3`
    const matchAccount = ({ accountId }: Actor) => eq(accounts.id, accountId)
    async function grantPlan({ accountId }: Actor): Promise<void> {
      const [createdAt, planId] = [clock.now(), '24h' as const]
      const [grant] = await ctx.db
        .insert(planGrants)
        .values({ accountId, planId, listPriceWei: 1n, createdAt })
        .returning()
      if (!grant) throw new Error('No grant was made')
      await ctx.db.transaction((tx) => startGrantedPeriod(ctx, tx, { accountId, planId, grantId: grant.id }))
    }
    /** Creates a node that counts the calls. Each call advances the clock by `tookMs`. */
    const createCountingSite = (tookMs = 0) => {
      let calls = 0
      const call: typeof ctx.paymentChain.call = async (request) => {
        calls += 1
        clock.advance(tookMs)
        return ctx.paymentChain.call(request)
      }
      return { site: { ...ctx, paymentChain: { ...ctx.paymentChain, call } }, calls: () => calls }
    }
    /**
     * Creates a session with a proof for each of `count` new accounts. All proofs are of one
     * accepting contract wallet and were last checked now. Returns the session ids.
     */
    async function createForeignProofs(count: number): Promise<string[]> {
      const now = clock.now()
      const { message } = await service.createChallenge(ctx, await createSignedInActor(), createWallet().address)
      const foreignAccounts = await ctx.db
        .insert(accounts)
        .values(Array.from({ length: count }, () => ({ name: 'Foreign', role: 'user' as const, createdAt: now })))
        .returning()
      const times = { createdAt: now, lastSeenAt: now, expiresAt: new Date(now.getTime() + 30 * DAY_MS) }
      const foreignSessions = await ctx.db
        .insert(sessions)
        .values(
          foreignAccounts.map(({ id }) => ({
            idHash: `of-${id}`,
            accountId: id,
            remembered: true,
            userAgent: '',
            ...times,
          })),
        )
        .returning()
      const acceptingAddress = await createContractWallet(ACCEPTING_CODE)
      const proofFields = {
        message,
        signature,
        chainId: chain.chainId,
        checkedAt: now,
        provedAt: now,
        address: acceptingAddress,
      }
      await ctx.db
        .insert(walletProofs)
        .values(foreignSessions.map(({ idHash }) => ({ sessionIdHash: idHash, ...proofFields })))
      return foreignSessions.map(({ id }) => id)
    }
    /** Creates a node that returns the code of contracts, but fails every contract call. */
    const createFailingSite = () => {
      const call: typeof ctx.paymentChain.call = async () => {
        throw new Error('The node is busy')
      }
      return { ...ctx, paymentChain: { ...ctx.paymentChain, call } }
    }
  })

  const createUnreachableCtx = () => ({ ...ctx, paymentChain: createChainClient(['http://127.0.0.1:9']) })
})

/** Returns the UPDATE statements of a migration. */
async function readUpdates(ending: string): Promise<string[]> {
  const folder = new URL('../../../drizzle/', import.meta.url)
  const fileName = (await readdir(folder)).find((file) => file.endsWith(ending)) ?? ''
  const statements = (await readFile(new URL(fileName, folder), 'utf8')).split('--> statement-breakpoint')
  return statements.filter((part) => part.includes('UPDATE "'))
}

test('migration: sets the chain id of already linked wallets from their proofs', async () => {
  const [ann, bob] = [await createSignedInActor(), await createSignedInActor()]
  const [key, contract] = [createWallet(), createWallet()]
  await prove(ann, key)
  const { message } = await signChallenge(bob, contract)
  const proofFields = { message, signature: '0x12', checkedAt: clock.now(), provedAt: clock.now() }
  const unprovedAddress = createWallet().address
  const linkFields = { accountId: bob.accountId, linkedAt: clock.now() }
  await ctx.db
    .insert(wallets)
    .values([contract.address, unprovedAddress].map((address) => ({ ...linkFields, address })))
  await ctx.db
    .insert(walletProofs)
    .values({ sessionIdHash: bob.sessionIdHash, address: contract.address, ...proofFields })
  const ownAddresses = [key.address, contract.address, unprovedAddress]
  await ctx.db.update(wallets).set({ chainId: -1 }).where(inArray(wallets.address, ownAddresses))
  for (const statement of await readUpdates('_wallet_chains.sql')) await ctx.db.execute(statement)
  const rows = await ctx.db.select().from(wallets).where(inArray(wallets.address, ownAddresses))
  const chainOf = new Map(rows.map(({ address, chainId }) => [address, chainId]))
  expect(ownAddresses.map((address) => chainOf.get(address))).toEqual([0, chain.chainId, -1])
})

test('migration: marks the wallet proof that started a session, even if the wallet was proved again later', async () => {
  const { message: signIn } = await createSignInChallenge(ctx, createWallet().address)
  const { message: link } = await service.createChallenge(ctx, await createSignedInActor(), createWallet().address)
  const cases = [
    { method: 'wallet', messages: [signIn, link], marked: [true, false] },
    { method: 'wallet', messages: [link, link, null], marked: [true, false, false] },
    { method: 'wallet', messages: [null, link], marked: [true, false] },
    { method: '', messages: [link, signIn], marked: [false, true] },
    { method: 'password', messages: [link, null], marked: [false, false] },
  ]
  for (const { method, messages, marked } of cases) {
    const actor = await createSignedInActor()
    const { sessionIdHash, sessionId } = actor
    await ctx.db.update(sessions).set({ method }).where(eq(sessions.id, sessionId))
    const proofs = messages.map((message, index) => ({ message, address: `0x${index}`, provedAt: new Date(index) }))
    await ctx.db.insert(walletProofs).values(proofs.map((proof) => ({ ...proof, sessionIdHash })))
    for (const statement of await readUpdates('_sign_in_proofs.sql')) await ctx.db.execute(statement)
    const rows = (await getProofs(actor)).sort((a, b) => a.address.localeCompare(b.address))
    expect(rows.map((row) => row.signedIn)).toEqual(marked)
  }
})

test('proveWallet: links the wallet once, notifies listeners, and proves it only for the current session', async () => {
  const actor = await createSignedInActor()
  const wallet = createWallet()
  const notifiedKeys: string[] = []
  const unsubscribe = ctx.notifications.on('entitlement', (key) => notifiedKeys.push(key))
  const lowerCase = { ...wallet, address: wallet.address.toLowerCase() as Address }
  expect(await prove(actor, lowerCase)).toBe(getAddress(wallet.address))
  await expect.poll(() => notifiedKeys).toContain(actor.accountId)
  unsubscribe()
  const otherBrowser = { ...actor, ...(await createSession(actor.accountId)) }
  expect(await getProofs(otherBrowser)).toEqual([])
  await prove(otherBrowser, wallet)
  await prove(otherBrowser, wallet)
  expect(await getProofs(actor)).toHaveLength(1)
  expect(await getProofs(otherBrowser)).toHaveLength(1)
  expect(await ctx.db.select().from(wallets).where(eq(wallets.accountId, actor.accountId))).toHaveLength(1)
  const history = await ctx.db.select().from(activities).where(eq(activities.accountId, actor.accountId))
  expect(history).toMatchObject([{ kind: 'wallet_proved', reference: wallet.address }])
  clock.advance(1)
  const second = createWallet()
  await prove(actor, second)
  expect(await listAddresses(ctx.db, actor.accountId)).toEqual([wallet.address, second.address])
})

test('unlinkWallet: counts a linked provider as a way to sign in only while it is configured', async () => {
  const actor = await createSignedInActor()
  const wallet = createWallet()
  await prove(actor, wallet)
  const issuer = 'https://accounts.google.com'
  const { accountId } = actor
  const identity = { issuer, provider: 'google' as const, subject: accountId, accountId, linkedAt: clock.now() }
  await ctx.db.insert(identities).values(identity)
  expect(await getCode(service.unlinkWallet(ctx, actor, wallet.address))).toBe('last_way_in')
  const google = { issuer, clientId: 'x', clientSecret: 'x' }
  const configuredCtx = { ...ctx, config: { ...ctx.config, providers: { google, linkedin: null } } }
  expect(await getCode(service.unlinkWallet(configuredCtx, actor, wallet.address))).toBe('accepted')
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

  const findUser = async (address: string) => {
    const { statusCode, body } = await app.inject({ method: 'GET', url: `/api/users/${address}` })
    return { status: statusCode, body: JSON.parse(body.replace(/"requestId":"[^"]+"/, '"requestId":""')) }
  }
  const post = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, payload, headers: { origin: 'http://localhost:3000' } })

  test('GET /api/users/:address returns the same 404 for known and unknown wallets of others', async () => {
    const owner = await createSignedInActor()
    const wallet = createWallet()
    await prove(owner, wallet)
    caller = await createSignedInActor()
    const knownResponse = await findUser(wallet.address)
    expect(knownResponse.status).toBe(404)
    expect(await findUser(createWallet().address)).toEqual(knownResponse)
    caller = owner
    const ownResponse = { status: 200, body: { id: owner.accountId, walletAddress: wallet.address } }
    expect(await findUser(wallet.address.toLowerCase())).toEqual(ownResponse)
    caller = await createSignedInActor(true)
    expect(await findUser(wallet.address)).toEqual(ownResponse)
  })

  test('POST /api/users requires a wallet proved in this session, and ignores email, name and password', async () => {
    caller = await createSignedInActor()
    const wallet = createWallet()
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
    caller = await createSignedInActor()
    const wallet = createWallet()
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
