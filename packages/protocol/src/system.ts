import { z } from 'zod'
import { anchoringState } from './log.ts'
import { orderPath } from './orders.ts'
import { isoTime, planId } from './primitives.ts'

/** GET /api/config: what a browser or a program needs before it signs in. Public. */
export const publicConfig = z.object({
  product: z.literal('Tocsin'),
  version: z.string(),
  demo: z.boolean(),
  chain: z.object({
    id: z.number().int(),
    name: z.string(),
    rpcUrl: z.string().nullable(),
    confirmations: z.number().int(),
    /** Whether the server has a node of this chain: without one it can't verify payments, and nobody should pay. */
    isReadable: z.boolean(),
  }),
  token: z.object({ address: z.string(), symbol: z.literal('ITO'), decimals: z.literal(18) }),
  treasury: z.string(),
  /** How orders made now are paid; on the path `approve` the spender is the treasury. */
  paymentPath: orderPath,
  /** The key that signs now. */
  signer: z.string(),
  /** The key that signed the log's first key list: all later keys follow from it. */
  firstSigner: z.string(),
  /** The name under which the log signs its checkpoints. */
  log: z.object({ origin: z.string() }),
  anchor: z.object({
    chainId: z.number().int(),
    chainName: z.string(),
    contract: z.string(),
    rpcUrl: z.string().nullable(),
    intervalSeconds: z.number(),
  }),
  plans: z.array(z.object({ id: planId, price: z.number(), priceWei: z.string(), hours: z.number() })),
  signIn: z.object({ password: z.boolean(), google: z.boolean(), linkedin: z.boolean(), wallet: z.boolean() }),
  /** The relay through which wallets on other devices are reached; null where they are not offered. */
  walletConnect: z.object({ projectId: z.string(), relayUrl: z.string() }).nullable(),
  publicDelayHours: z.number(),
})
export type PublicConfig = z.infer<typeof publicConfig>

export const chainConfig = z.object({ chainId: z.string(), chainName: z.string() })

/** `stale`: connected, but the other side has not answered the last ping. A quiet feed answers and is `connected`. */
export const feedStates = ['off', 'connecting', 'connected', 'stale', 'reconnecting', 'failed'] as const

/**
 * The alerts that figures cover: those that everybody may read, those that subscribers may read, or
 * all of them with drafts that were never sent.
 */
export const figureCoverages = ['public', 'subscribed', 'all'] as const

/** GET /api/status: measured, never fixed. `alerts` and `measured` cover only what the caller may read. */
export const systemStatus = z.object({
  startedAt: isoTime,
  coverage: z.enum(figureCoverages),
  feed: z.object({
    state: z.enum(feedStates),
    /** Null without a subscription: it would tell which fresh alerts came from the feed. */
    signalsReceived: z.number().int().nullable(),
    signalsRefused: z.number().int().nullable(),
    lastSignalAt: isoTime.nullable(),
  }),
  stream: z.object({ connected: z.number().int() }),
  /** The payment chain now: a page that has read another one reads it again. */
  chain: z.object({ id: z.number().int(), name: z.string() }),
  anchor: z.object({
    chainName: z.string(),
    state: anchoringState,
    /** Why, unless the state is current. */
    reason: z.string().nullable(),
    lastAnchoredAt: isoTime.nullable(),
  }),
  alerts: z.object({
    total: z.number().int(),
    last24Hours: z.number().int(),
    criticalLast24Hours: z.number().int(),
    medianToAnchorMs: z.number().nullable(),
  }),
  measured: z.object({
    /** In percent, from 0 to 100; null where nothing is measured yet. */
    averageConfidence: z.number().nullable(),
    confidenceSample: z.number().int(),
    /** In percent, from 0 to 100; null where nothing is measured yet. */
    successRate: z.number().nullable(),
    successSample: z.number().int(),
  }),
})
export type SystemStatus = z.infer<typeof systemStatus>

export const adminStats = z.object({
  totalAlerts: z.number().int(),
  criticalAlerts: z.number().int(),
  /** Accounts with a running subscription. */
  activeUsers: z.number().int(),
  /** In percent, from 0 to 100; 0 before the first alert. */
  averageConfidence: z.number(),
})

/** One line of an account's activity log. `detail` is plain text; `reference` a transaction hash, alert id or address. */
export const activity = z.object({
  id: z.string(),
  at: isoTime,
  kind: z.enum([
    'account_created',
    'email_verified',
    'signed_in',
    'signed_out',
    'wallet_proved',
    'wallet_unlinked',
    'identity_linked',
    'identity_unlinked',
    'password_changed',
    'email_changed',
    'name_changed',
    'session_ended',
    'plan_paid',
    'payment_reverted',
    'payment_restored',
    'subscription_cancelled',
    'subscription_extended',
    'subscription_ended',
    'alert_verified',
    'alerts_exported',
    'settings_changed',
  ]),
  detail: z.string(),
  reference: z.string().nullable(),
  /** The chain of a payment's transaction; null where the reference is none. */
  chainId: z.number().int().nullable(),
})
export type Activity = z.infer<typeof activity>
/** The kinds of an activity log, as people look for them. Each kind is in one group. */
export const activityGroups = {
  payments: ['plan_paid', 'payment_reverted', 'payment_restored'],
  subscriptions: ['subscription_extended', 'subscription_cancelled', 'subscription_ended'],
  'sign-ins': ['account_created', 'signed_in', 'signed_out', 'session_ended'],
  alerts: ['alert_verified', 'alerts_exported'],
  settings: [
    'settings_changed',
    'name_changed',
    'email_changed',
    'email_verified',
    'password_changed',
    'wallet_proved',
    'wallet_unlinked',
    'identity_linked',
    'identity_unlinked',
  ],
} as const satisfies Record<string, readonly Activity['kind'][]>
export const activityGroupNames = ['payments', 'subscriptions', 'sign-ins', 'alerts', 'settings'] as const
export type ActivityGroup = (typeof activityGroupNames)[number]

/** The next page is asked for with the id of the last line. */
export const activityQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Not a cursor of this list')
    .optional(),
  group: z.enum(activityGroupNames).optional(),
})

/** A mail of the demo's outbox, newest first. */
export const outboxMail = z.object({
  id: z.string(),
  at: isoTime,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  links: z.array(z.string()),
})
