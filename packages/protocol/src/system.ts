import { z } from 'zod'
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
  }),
  token: z.object({ address: z.string(), symbol: z.literal('ITO'), decimals: z.literal(18) }),
  treasury: z.string(),
  signer: z.string(),
  anchor: z.object({
    chainId: z.number().int(),
    chainName: z.string(),
    contract: z.string(),
    rpcUrl: z.string().nullable(),
    intervalSeconds: z.number(),
  }),
  plans: z.array(z.object({ id: planId, price: z.number(), priceWei: z.string(), hours: z.number() })),
  signIn: z.object({ password: z.boolean(), google: z.boolean(), linkedin: z.boolean(), wallet: z.boolean() }),
  publicDelayHours: z.number(),
})
export type PublicConfig = z.infer<typeof publicConfig>

export const chainConfig = z.object({ chainId: z.string(), chainName: z.string() })

export const feedStates = ['off', 'connecting', 'connected', 'reconnecting', 'failed'] as const

/** GET /api/status: measured, never fixed. */
export const systemStatus = z.object({
  startedAt: isoTime,
  feed: z.object({
    state: z.enum(feedStates),
    signalsReceived: z.number().int(),
    signalsRefused: z.number().int(),
    lastSignalAt: isoTime.nullable(),
  }),
  stream: z.object({ connected: z.number().int() }),
  anchor: z.object({
    chainName: z.string(),
    state: z.enum(['current', 'delayed']),
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

/** The log's newest state. Public: sizes and hashes say nothing of content. */
export const logHead = z.object({
  size: z.number().int(),
  root: z.string(),
  anchored: z
    .object({
      size: z.number().int(),
      root: z.string(),
      transactionHash: z.string(),
      blockNumber: z.number().int(),
      at: isoTime,
    })
    .nullable(),
})
export type LogHead = z.infer<typeof logHead>

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
    'plan_paid',
    'payment_reverted',
    'payment_restored',
    'subscription_cancelled',
    'subscription_extended',
    'alert_verified',
  ]),
  detail: z.string(),
  reference: z.string().nullable(),
})
export type Activity = z.infer<typeof activity>
export const activityQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(200) })

/** A mail of the demo's outbox, newest first. */
export const outboxMail = z.object({
  id: z.string(),
  at: isoTime,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  links: z.array(z.string()),
})
