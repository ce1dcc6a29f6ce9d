import { type IdentityProvider, type Preferences, type Priority, type Role, roles } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  check,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * A transaction that changes an account must first lock its row `for no key update`, which still
 * allows other transactions to insert rows that reference it. Locking `for update` instead can
 * deadlock with them: each insert holds a key lock on the account. Use `for update` only to delete
 * the account or to change its email address (a key), and take it from the start: upgrading from
 * the weaker lock can deadlock too.
 *
 * Lock order: advisory locks (admins, email address, identity, wallet), then the account, then the
 * rows that belong to it (sessions, wallets, identities, emailed tokens).
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Normalized: trimmed, lower case, NFC. */
    email: text('email').unique(),
    name: text('name').notNull(),
    passwordHash: text('password_hash'),
    role: text('role').$type<Role>().notNull().default('user'),
    emailVerifiedAt: timestampColumn('email_verified_at'),
    createdAt: timestampColumn('created_at').notNull(),
    /** Set while an admin has suspended the account. */
    suspendedAt: timestampColumn('suspended_at'),
    suspensionReason: text('suspension_reason'),
    /** Identifies the account in the security log, whose entries outlive the account. */
    securityId: uuid('security_id').notNull().unique().defaultRandom(),
  },
  (table) => [
    index('accounts_created').on(table.createdAt, table.id),
    // Indexes for the sort orders and filters of the user list.
    index('accounts_name').on(sql`lower(${table.name})`, table.id),
    index('accounts_email').on(sql`lower(${table.email})`, table.id),
    index('accounts_staff').on(table.createdAt, table.id).where(sql`${table.role} <> 'user'`),
    index('accounts_suspended').on(table.createdAt, table.id).where(sql`${table.suspendedAt} is not null`),
    check('accounts_role', sql`${table.role} in ${sql.raw(`('${roles.join("', '")}')`)}`),
  ],
)

/**
 * Figures of each account, for the sort orders of lists and the counts of the business page.
 * Aggregating them from all rows on each request would be slow, so triggers on sessions,
 * activities, payments, subscriptions and wallets keep them up to date.
 */
export const accountFigures = pgTable(
  'account_figures',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Time of the last use of a session, sign-in or sign-out. Null before the first sign-in. */
    seenAt: timestampColumn('seen_at'),
    /** Sum of the account's payments that were not reverted, on all chains. */
    paidWei: numeric('paid_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull().default(sql`0`),
    /** Block time of the account's first payment that was not reverted. */
    firstPaidAt: timestampColumn('first_paid_at'),
    /** Time when the account's first wallet was linked. */
    provedAt: timestampColumn('proved_at'),
    /** True if the account ever had a plan. */
    subscribed: boolean('subscribed').notNull().default(false),
  },
  (table) => [
    index('account_figures_seen').on(table.seenAt.desc().nullsLast(), table.accountId),
    index('account_figures_paid').on(table.paidWei.desc(), table.accountId),
    index('account_figures_proved').on(table.provedAt),
    index('account_figures_first_paid').on(table.firstPaidAt, table.accountId),
    index('account_figures_unsubscribed').on(table.accountId).where(sql`not ${table.subscribed}`),
  ],
)

/**
 * `idHash` is SHA-256 of the cookie value, so that a stolen dump contains no usable session. The
 * cookie value rotates during a session. `id` is constant and cannot be used to authenticate.
 */
export const sessions = pgTable(
  'sessions',
  {
    idHash: text('id_hash').primaryKey(),
    id: uuid('id').notNull().defaultRandom().unique(),
    /**
     * Hashes of cookies that renewals replaced, newest first. A request with such a cookie can end
     * the session but not use it.
     */
    formerHashes: text('former_hashes').array().notNull().default(sql`'{}'`),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    remembered: boolean('remembered').notNull(),
    userAgent: text('user_agent').notNull(),
    /** Network of the sign-in: an IPv4 address or an IPv6 /64 prefix. Null for older sessions. */
    network: text('network'),
    createdAt: timestampColumn('created_at').notNull(),
    /** When the user last authenticated or re-authenticated in this session. */
    authenticatedAt: timestampColumn('authenticated_at').notNull().default(sql`'epoch'`),
    lastSeenAt: timestampColumn('last_seen_at').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    /**
     * Deadline for the second factor, set while it is missing. The session grants nothing until the
     * user has presented the factor.
     */
    awaitsFactorUntil: timestampColumn('awaits_factor_until'),
    /** How the user signed in, as shown to the owner: "password", "Google", … */
    method: text('method').notNull().default(''),
    /** The second factor used at sign-in: "passkey", "authenticator app", … */
    factor: text('factor'),
    /** When the user last confirmed an action of this session with a second factor. */
    factorAt: timestampColumn('factor_at'),
    /** True if this session may enrol the first second factor of a member of staff. */
    mayEnrol: boolean('may_enrol').notNull().default(false),
  },
  (table) => [index('sessions_account').on(table.accountId), index('sessions_former').using('gin', table.formerHashes)],
)

/** Hashes of emailed single-use tokens. Each is bound to one purpose and one email address. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    purpose: text('purpose').$type<'verify-email' | 'reset-password' | 'change-email'>().notNull(),
    email: text('email').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    usedAt: timestampColumn('used_at'),
  },
  (table) => [index('mail_tokens_account').on(table.accountId, table.purpose)],
)

/**
 * Sign-ups whose verification link has not been opened. They are not accounts: no session, wallet
 * or payment references them. An email address can have several. A link applies the name and
 * password of its own row only.
 */
export const pendingSignUps = pgTable(
  'pending_sign_ups',
  {
    /** SHA-256 of the emailed secret. */
    tokenHash: text('token_hash').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    /**
     * Argon2id. All sign-ups of one address share a salt, so that a login needs only one hash to
     * check them all.
     */
    passwordHash: text('password_hash').notNull(),
    /**
     * SHA-256 of the network of the sign-up request. Only a request for another link from this
     * network extends the lifetime of the sign-up.
     */
    requesterHash: text('requester_hash').notNull(),
    /** Device shown in the email, for example "Chromium on Linux". */
    device: text('device').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    /**
     * Set when the address got an account by other means: from then on the link creates no account.
     * Logins still check the row until it expires.
     */
    voidedAt: timestampColumn('voided_at'),
  },
  (table) => [index('pending_sign_ups_email').on(table.email)],
)

/**
 * OpenID Connect identities and the accounts they are linked to. An identity is the pair of issuer
 * and subject, not the email address, which can pass to another person.
 */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    provider: text('provider').$type<IdentityProvider>().notNull(),
    /** The address that the provider last reported. For display only. */
    email: text('email'),
    linkedAt: timestampColumn('linked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex('identities_account').on(table.accountId, table.provider),
  ],
)

/**
 * Pending OpenID Connect authorization requests. `stateHash` and `browserHash` are SHA-256 of the
 * state parameter and of the browser's cookie. Nonce and PKCE verifier derive from that cookie, so
 * the row alone cannot complete a request. The first callback deletes the row.
 */
export const providerTrips = pgTable('provider_trips', {
  stateHash: text('state_hash').primaryKey(),
  browserHash: text('browser_hash').notNull(),
  provider: text('provider').$type<IdentityProvider>().notNull(),
  purpose: text('purpose').$type<'sign-in' | 'link' | 'confirm'>().notNull(),
  /** The session that requested `link` or `confirm`. */
  sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
  returnTo: text('return_to').notNull(),
  expiresAt: timestampColumn('expires_at').notNull(),
})

/**
 * Rate limits: attempts in the current window, by subject. A subject is a purpose and a hash, so
 * that the table contains no readable address.
 */
export const credentialLimits = pgTable('credential_limits', {
  subject: text('subject').primaryKey(),
  tries: integer('tries').notNull(),
  windowEndsAt: timestampColumn('window_ends_at').notNull(),
  /** Time until which attempts are rejected without evaluation. */
  blockedUntil: timestampColumn('blocked_until').notNull(),
})

/** The activity history of an account. Append-only. */
export const activities = pgTable(
  'activities',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    detail: text('detail').notNull(),
    reference: text('reference'),
    at: timestampColumn('at').notNull(),
  },
  (table) => [index('activities_account').on(table.accountId, table.id)],
)

/** Preferences of an account. An account without a row uses the defaults. */
export const preferences = pgTable('preferences', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  realTimeAlerts: boolean('real_time_alerts').notNull(),
  autoVerify: boolean('auto_verify').notNull(),
  highPriorityOnly: boolean('high_priority_only').notNull(),
  outcomeToasts: boolean('outcome_toasts').notNull().default(false),
  browserNotifications: boolean('browser_notifications').notNull(),
  sound: boolean('sound').notNull(),
  soundFrom: text('sound_from').$type<Priority>().notNull(),
  /** In percent. */
  soundVolume: integer('sound_volume').notNull(),
  shortcuts: boolean('shortcuts').notNull(),
  density: text('density').$type<Preferences['density']>().notNull(),
  timeZone: text('time_zone').notNull(),
  hourCycle: text('hour_cycle').$type<Preferences['hourCycle']>().notNull(),
  watchlist: text('watchlist').array().notNull().default([]),
  pushContent: boolean('push_content').notNull().default(true),
  updatedAt: timestampColumn('updated_at').notNull(),
})
