import { type Endpoint, listPermissions, type Role } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import {
  createTestContext,
  type FakeClock,
  fakeClock,
  type TestContext,
  type TestDatabase,
  testConfig,
} from '@tocsin/testkit'
import { type accounts as Accounts, accounts, sessions } from '../src/db/schema/accounts.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { payments } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import type { Input } from '../src/http/route.ts'
import { Refusal } from '../src/refusal.ts'

/** Calls admin handlers directly on a real database, as an admin chosen by the test. */
export interface AdminFixture {
  box: TestContext
  clock: FakeClock
  addAccount(name: string, more?: Partial<typeof Accounts.$inferInsert>): Promise<string>
  addWallet(accountId: string, address: string): Promise<void>
  /** `fromHours` and `toHours` are relative to now. */
  addPeriod(
    accountId: string,
    fromHours: number,
    toHours: number,
    more?: Partial<typeof subscriptions.$inferInsert>,
  ): Promise<string>
  addSession(accountId: string, userAgent?: string): Promise<string>
  /** Creates the input of a handler for a call by the account `by`, by default as an owner. */
  ask<E extends Endpoint>(
    by: string,
    input?: { params?: object; query?: object; body?: unknown; role?: Role },
  ): Input<E>
  /** Returns [action, subject, reason] of each audit entry, oldest first. */
  audited(): Promise<unknown[][]>
}

let paymentCount = 0

export async function createAdminFixture(database: TestDatabase): Promise<AdminFixture> {
  const clock = fakeClock()
  const box = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), clock)
  const { db } = box.ctx
  const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS)
  return {
    box,
    clock,
    async addAccount(name, more = {}) {
      const values = { name, email: `${name.toLowerCase().replaceAll(' ', '.')}@example.com`, createdAt: clock.now() }
      const [account] = await db
        .insert(accounts)
        .values({ ...values, ...more })
        .returning()
      clock.advance(1)
      return account?.id ?? ''
    },
    async addWallet(accountId, address) {
      await db.insert(wallets).values({ accountId, address, linkedAt: clock.now() })
    },
    async addPeriod(accountId, fromHours, toHours, more = {}) {
      paymentCount += 1
      const planId = more.planId ?? '6h'
      const transfer = {
        chainId: 31337,
        txHash: `0x${paymentCount.toString(16).padStart(64, '0')}` as const,
        logIndex: 0,
        blockNumber: paymentCount,
        blockHash: '0x',
        token: '0x',
        payer: '0x',
        amountWei: 10n ** 19n,
      } as const
      const [payment] = await db
        .insert(payments)
        .values({ ...transfer, accountId, planId, blockAt: inHours(fromHours), createdAt: inHours(fromHours) })
        .returning()
      const times = { startsAt: inHours(fromHours), endsAt: inHours(toHours), createdAt: inHours(fromHours) }
      const [period] = await db
        .insert(subscriptions)
        .values({ accountId, paymentId: payment?.id ?? '', planId, ...times, ...more })
        .returning()
      return period?.id ?? ''
    },
    async addSession(accountId, userAgent = '') {
      const now = clock.now()
      const times = { createdAt: now, authenticatedAt: now, lastSeenAt: now, expiresAt: inHours(12) }
      const [session] = await db
        .insert(sessions)
        .values({ idHash: crypto.randomUUID(), accountId, remembered: false, userAgent, ...times })
        .returning()
      return session?.id ?? ''
    },
    ask<E extends Endpoint>(
      by: string,
      { params = {}, query = {}, body, role = 'owner' }: Parameters<AdminFixture['ask']>[1] = {},
    ) {
      const headers = new Map<string, string>()
      return {
        params,
        query,
        body,
        actor: {
          // Undefined, so that the audit log does not look for a session.
          sessionId: undefined,
          sessionIdHash: 'hash of its cookie',
          accountId: by,
          email: null,
          name: 'someone',
          permissions: listPermissions(role),
          provedWallets: [],
          authenticatedAt: clock.now(),
        },
        request: { id: 'request-1' },
        reply: { header: (name: string, value: string) => headers.set(name, value) },
        // The cast is safe, because handlers read nothing else of the request and the reply.
      } as unknown as Input<E>
    },
    async audited() {
      const rows = await db.select().from(auditEntries).orderBy(auditEntries.id)
      return rows.map(({ action, subject, reason }) => [action, subject, reason])
    },
  }
}

export async function readRefusal(answer: Promise<unknown>): Promise<Refusal> {
  const outcome = await answer.then(
    () => 'accepted',
    (error: unknown) => error,
  )
  if (outcome instanceof Refusal) return outcome
  throw new Error('Expected a refusal', { cause: outcome })
}
