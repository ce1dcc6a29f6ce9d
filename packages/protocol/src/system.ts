import { z } from 'zod'
import { anchoringState } from './log.ts'
import { orderPath } from './orders.ts'
import { isoTime, planId } from './primitives.ts'
import { numericCursor } from './shared-schemas.ts'

/** GET /api/config: public configuration that browsers and programs need before signing in. */
export const publicConfig = z.object({
  product: z.literal('Tocsin'),
  version: z.string(),
  demo: z.boolean(),
  /** Source of the demo's trades. Absent outside a demo. */
  demoMarket: z.enum(['simulated', 'live']).optional(),
  chain: z.object({
    id: z.number().int(),
    name: z.string(),
    rpcUrl: z.string().nullable(),
    confirmations: z.number().int(),
    /**
     * True if the server has a node of this chain. Without one it cannot verify payments, so
     * clients must not pay.
     */
    isReadable: z.boolean(),
  }),
  token: z.object({ address: z.string(), symbol: z.literal('ITO'), decimals: z.literal(18) }),
  /** Page where users can get the token. Null if the operator has not configured one. */
  tokenExchangeUrl: z.string().nullable(),
  treasury: z.string(),
  /** Payment path of new orders. On the path `approve` the spender is the treasury. */
  paymentPath: orderPath,
  /** Address of the current signing key. */
  signer: z.string(),
  /**
   * Address of the key that signed the log's first key list. Each later key list is signed by a key
   * of the list before it, so verifiers need to trust only this address.
   */
  firstSigner: z.string(),
  /** Origin line of the log's checkpoints. */
  log: z.object({ origin: z.string() }),
  anchor: z.object({
    chainId: z.number().int(),
    chainName: z.string(),
    contract: z.string(),
    rpcUrl: z.string().nullable(),
    intervalSeconds: z.number(),
  }),
  plans: z.array(z.object({ id: planId, price: z.number(), priceWei: z.string(), hours: z.number() })),
  signIn: z.object({
    password: z.boolean(),
    google: z.boolean(),
    linkedin: z.boolean(),
    wallet: z.boolean(),
    /** The chains on which the server can verify the signature of a contract wallet. */
    walletChainIds: z.array(z.number().int()),
  }),
  /** True if alerts can be sent to Telegram. */
  telegram: z.boolean(),
  /**
   * The server's public key for web push. Browsers need it to subscribe. Null if it cannot be read.
   */
  pushKey: z.string().nullable(),
  /** The WalletConnect relay for wallets on other devices. Null if not configured. */
  walletConnect: z.object({ projectId: z.string(), relayUrl: z.string() }).nullable(),
  publicDelayHours: z.number(),
  /**
   * Number of hours for which a shared link shows an alert that is not public yet. 0: sharing is
   * off.
   */
  shareLinkHours: z.number(),
  /** Number of days for which the delivery ledger of a destination is stored. */
  deliveriesDays: z.number(),
})
export type PublicConfig = z.infer<typeof publicConfig>

export const chainConfig = z.object({ chainId: z.string(), chainName: z.string() })

/**
 * `stale`: connected, but the last ping was not answered. A feed without signals that answers pings
 * is `connected`.
 */
export const feedStates = ['off', 'connecting', 'connected', 'stale', 'reconnecting', 'failed'] as const

/**
 * The alerts that figures include: public alerts, alerts visible to subscribers, or all alerts
 * including drafts that were never sent.
 */
export const figureCoverages = ['public', 'subscribed', 'all'] as const

/**
 * GET /api/status: measured values. `alerts` and `measured` include only alerts to which the caller
 * has access.
 */
export const systemStatus = z.object({
  startedAt: isoTime,
  coverage: z.enum(figureCoverages),
  feed: z.object({
    state: z.enum(feedStates),
    /**
     * Null for callers without a subscription, because the count would reveal which fresh alerts
     * came from the feed.
     */
    signalsReceived: z.number().int().nullable(),
    signalsRefused: z.number().int().nullable(),
    lastSignalAt: isoTime.nullable(),
  }),
  stream: z.object({ connected: z.number().int() }),
  /** The current payment chain. A page that has another id must reload the configuration. */
  chain: z.object({ id: z.number().int(), name: z.string() }),
  anchor: z.object({
    chainName: z.string(),
    state: anchoringState,
    /** The reason, unless the state is `current`. */
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
    /** Percent, 0 to 100. Null before the first measurement. */
    averageConfidence: z.number().nullable(),
    confidenceSample: z.number().int(),
    /** Percent, 0 to 100. Null before the first measurement. */
    successRate: z.number().nullable(),
    successSample: z.number().int(),
    /** 95 % interval of the success rate in percent. Null before the first measurement. */
    successInterval: z.tuple([z.number(), z.number()]).nullable(),
  }),
})
export type SystemStatus = z.infer<typeof systemStatus>

export const adminStats = z.object({
  totalAlerts: z.number().int(),
  criticalAlerts: z.number().int(),
  /** Accounts with an active subscription. */
  activeUsers: z.number().int(),
  /** Percent, 0 to 100. 0 before the first alert. */
  averageConfidence: z.number(),
})

/**
 * One entry of an account's activity log. `detail` is plain text; `reference` is a transaction
 * hash, an alert id, the address of a wallet, or the former email address.
 */
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
    'plan_granted',
    'payment_reverted',
    'payment_restored',
    'subscription_cancelled',
    'subscription_extended',
    'subscription_ended',
    'alert_verified',
    'alerts_exported',
    'alert_shared',
    'alert_unshared',
    'settings_changed',
    'channel_changed',
    'channel_tested',
    'api_key_created',
    'api_key_revoked',
    'enrolment_code_used',
    'factor_added',
    'factor_removed',
    'recovery_code_used',
    'recovery_codes_replaced',
    'factor_reset_requested',
    'factor_reset_cancelled',
  ]),
  detail: z.string(),
  reference: z.string().nullable(),
  /** Chain of the referenced transaction. Null if `reference` is not a transaction. */
  chainId: z.number().int().nullable(),
})
export type Activity = z.infer<typeof activity>
/** Activity kinds by filter group. Each kind is in exactly one group. */
export const activityGroups = {
  payments: ['plan_paid', 'plan_granted', 'payment_reverted', 'payment_restored'],
  subscriptions: ['subscription_extended', 'subscription_cancelled', 'subscription_ended'],
  'sign-ins': ['account_created', 'signed_in', 'signed_out', 'session_ended'],
  alerts: ['alert_verified', 'alerts_exported', 'alert_shared', 'alert_unshared'],
  settings: [
    'settings_changed',
    'channel_changed',
    'channel_tested',
    'api_key_created',
    'api_key_revoked',
    'enrolment_code_used',
    'factor_added',
    'factor_removed',
    'recovery_code_used',
    'recovery_codes_replaced',
    'factor_reset_requested',
    'factor_reset_cancelled',
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
export type ActivityGroup = keyof typeof activityGroups
export const activityGroupNames = Object.keys(activityGroups) as ActivityGroup[]

/** `cursor` is the id of the last entry of the previous page. */
export const activityQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  cursor: numericCursor,
  group: z.enum(activityGroupNames).optional(),
})

/** An email in the demo's outbox. */
export const outboxMail = z.object({
  id: z.string(),
  at: isoTime,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  links: z.array(z.string()),
})
