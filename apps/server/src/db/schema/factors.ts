import { bigint, boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts, sessions } from './accounts.ts'
import { bytes, timestampColumn } from './columns.ts'

/**
 * Authenticator apps (RFC 6238), at most one for an account. A row without `confirmedAt` is an
 * unfinished enrolment and not a second factor.
 */
export const totpFactors = pgTable('totp_factors', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  /** Encrypted with APP_SECRET. */
  sealedSecret: text('sealed_secret').notNull(),
  /** The session that started the enrolment. */
  sessionId: uuid('session_id').notNull(),
  createdAt: timestampColumn('created_at').notNull(),
  confirmedAt: timestampColumn('confirmed_at'),
  /** Time step of the newest accepted code. Codes of this and earlier steps are refused. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  lastUsedAt: timestampColumn('last_used_at'),
})

/** Unused recovery codes, as Argon2id hashes. The codes of an account share a salt. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    codeHash: text('code_hash').notNull(),
    salt: bytes('salt').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [index('recovery_codes_account').on(table.accountId)],
)

/** WebAuthn credentials. */
export const passkeys = pgTable(
  'passkeys',
  {
    /** Credential id as base64url. */
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The public key in COSE format. */
    publicKey: bytes('public_key').notNull(),
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    /** True if the authenticator can copy the key to other devices. Never changes. */
    backupEligible: boolean('backup_eligible').notNull(),
    backedUp: boolean('backed_up').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    lastUsedAt: timestampColumn('last_used_at'),
    /**
     * True if the passkey can be used to sign in without a password. A password reset clears this
     * until the passkey has completed a sign-in with the password, because an intruder may have
     * added the passkey.
     */
    signsInAlone: boolean('signs_in_alone').notNull().default(true),
  },
  (table) => [index('passkeys_account').on(table.accountId)],
)

/**
 * Open WebAuthn challenges. The first response deletes the row, even if it is invalid. A challenge
 * belongs to a session, or to a browser that is not signed in.
 */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  {
    /** SHA-256 of the challenge. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose').$type<'enrol' | 'sign-in' | 'factor' | 'confirm'>().notNull(),
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** SHA-256 of the cookie of the browser. */
    browserHash: text('browser_hash'),
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_expiry').on(table.expiresAt)],
)

/**
 * Requested removals of all second factors of an account. They apply after a delay, which starts
 * when the mail server has accepted a warning to the owner.
 */
export const factorResets = pgTable(
  'factor_resets',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** SHA-256 of the secret in the emailed link that cancels the reset. */
    cancelHash: text('cancel_hash').notNull().unique(),
    requestedAt: timestampColumn('requested_at').notNull(),
    dueAt: timestampColumn('due_at').notNull(),
    /** Time when the reset was applied or cancelled. */
    endedAt: timestampColumn('ended_at'),
    outcome: text('outcome').$type<'applied' | 'cancelled'>(),
  },
  (table) => [index('factor_resets_account').on(table.accountId), index('factor_resets_due').on(table.dueAt)],
)

/**
 * Codes that an owner or the operator gives to a member of staff who has no second factor. Without
 * the code, a stolen password or mailbox would be enough to enrol a factor. The hash is SHA-256 of
 * 80 random bits.
 */
export const enrolmentCodes = pgTable('enrolment_codes', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  codeHash: text('code_hash').notNull(),
  expiresAt: timestampColumn('expires_at').notNull(),
})
