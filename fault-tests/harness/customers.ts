import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '@tocsin/server/context.ts'
import { accounts, sessions } from '@tocsin/server/db/schema/accounts.ts'
import { destinations } from '@tocsin/server/db/schema/channels.ts'
import { settings } from '@tocsin/server/db/schema/server.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { createApiKey } from '@tocsin/server/features/api-keys/service.ts'
import { createSecrets, sealSecrets } from '@tocsin/server/features/channels/secrets.ts'
import { FEED_SETTING } from '@tocsin/server/features/feed/feed-settings.ts'
import { createSecret, hashSecret } from '@tocsin/server/features/sessions/secret.ts'
import { getCookieName } from '@tocsin/server/features/sessions/session.ts'
import { sealSecret } from '@tocsin/server/sealed-secret.ts'
import { addSubscriber, startTestSession, testAccount } from '@tocsin/testkit'
import { eq, sql } from 'drizzle-orm'
import { FEED_KEY } from './feed.ts'
import type { Customer } from './subscribers.ts'

/** Functions that fill the database before the faults begin. */

const FIRST_ACCOUNT = 5_000
const SUBSCRIPTION_MS = 7 * 86_400_000
const EXPIRING_EVERY_MS = 15_000
const MIN_EXPIRING_SESSIONS = 8
const auditFields = { actorId: null, requestId: 'fault test' }

/**
 * Adds customers with subscriptions. Every eighth subscription ends during the run, and all others
 * outlast it.
 */
export async function addCustomers(ctx: Context, count: number, runMs: number): Promise<Customer[]> {
  const customers: Customer[] = []
  for (let index = 0; index < count; index += 1) {
    const wallet = testAccount(FIRST_ACCOUNT + index)
    const endsInMs = index % 8 === 7 ? Math.round(runMs * (0.2 + (0.7 * index) / count)) : SUBSCRIPTION_MS
    const accountId = await addSubscriber(ctx, wallet.address, endsInMs)
    const name = `customer ${index + 1}`
    customers.push({ name, accountId, wallet, apiKey: await addKey(ctx, accountId), provesWallet: index % 4 === 0 })
  }
  return customers
}

async function addKey(ctx: Context, accountId: string): Promise<string> {
  const keyRequest = { name: 'bot', scopes: ['alerts' as const, 'stream' as const], requestsPerMinute: 300 }
  return (await createApiKey(ctx, await startTestSession(ctx, accountId), auditFields, keyRequest)).secret
}

/** Adds users who sign in with a password. */
export async function addUsers(ctx: Context, count: number): Promise<{ email: string; password: string }[]> {
  const users = Array.from({ length: count }, (_, index) => ({
    email: `user-${index}@example.com`,
    password: randomBytes(12).toString('hex'),
  }))
  for (const user of users) await createAccount(ctx, { ...user, name: 'User', role: 'user', verified: true })
  return users
}

/** A session that expires while its user only keeps a socket open. */
export interface ExpiringSession {
  cookie: string
  expiresAtMs: number
}

/** Adds sessions of new accounts. They expire one after the other, spread over the run. */
export async function addExpiringSessions(ctx: Context, runMs: number): Promise<ExpiringSession[]> {
  const addedSessions: ExpiringSession[] = []
  const count = Math.max(MIN_EXPIRING_SESSIONS, Math.round(runMs / EXPIRING_EVERY_MS))
  const now = ctx.clock.now()
  for (let index = 0; index < count; index += 1) {
    const user = { email: `expiring-${index}@example.com`, name: 'User', createdAt: now, emailVerifiedAt: now }
    const [account] = await ctx.db.insert(accounts).values(user).returning({ id: accounts.id })
    if (!account) throw new Error('The account was not inserted')
    const { sessionId } = await startTestSession(ctx, account.id)
    const secret = createSecret()
    const expiresAt = new Date(now.getTime() + (runMs * (index + 0.5)) / count)
    await ctx.db
      .update(sessions)
      .set({ idHash: hashSecret(secret), expiresAt })
      .where(eq(sessions.id, sessionId))
    addedSessions.push({ cookie: `${getCookieName(ctx.config)}=${secret}`, expiresAtMs: expiresAt.getTime() })
  }
  return addedSessions
}

/** Adds a webhook for each of these customers. */
export async function addWebhooks(ctx: Context, customers: readonly Customer[], url: string): Promise<void> {
  for (const { accountId, name } of customers) {
    const id = randomUUID()
    const sealed = sealSecrets(ctx.config, id, createSecrets(url))
    const row = { id, accountId, kind: 'webhook' as const, name, host: new URL(url).host, sealed, state: 'on' as const }
    await ctx.db.insert(destinations).values({ ...row, createdAt: ctx.clock.now() })
  }
}

/**
 * Records the id of each email in the transaction that queues it, because the queue deletes emails
 * that were sent.
 */
export async function recordMails({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.execute(sql`create schema harness`)
  await db.execute(sql`create table harness.mails (id uuid primary key, has_link boolean not null)`)
  await db.execute(sql`
    create function harness.record_mail() returns trigger language plpgsql as $$
    begin
      -- A retry inserts the job again.
      insert into harness.mails values (new.id, new.data ? 'link') on conflict do nothing;
      return null;
    end $$`)
  await db.execute(sql`
    create trigger harness_mails after insert on pgboss.job for each row when (new.name = 'mail')
    execute function harness.record_mail()`)
}

/** Saves the settings of the feed as an admin would. The server reconnects after a second. */
export async function saveFeedSettings(ctx: Context, url: string): Promise<void> {
  const apiKey = sealSecret(ctx.config.appSecret, FEED_SETTING, FEED_KEY)
  const value = { externalEndpoint: url, apiKey, reconnectInterval: 1, maxRetries: 20, isEnabled: true }
  await ctx.db.insert(settings).values({ name: FEED_SETTING, value, updatedAt: new Date() })
  await ctx.notifications.notify(ctx.db, 'settings', FEED_SETTING)
}
