import { z } from 'zod'
import { adminAlert } from './alerts.ts'
import { signal } from './feed.ts'
import { orderResolutions, resolver } from './orders.ts'
import { amountWei, isoTime, isPlainText, planId, planIds, priority } from './primitives.ts'
import { feedStates } from './system.ts'

/** What the admin area asks and is answered. */

const id = z.string().max(100)
const pageSize = z.coerce.number().int().min(1).max(100).default(50)
/** `cursor` is the last id of the page before. */
const paged = { cursor: id.optional(), limit: pageSize }
const search = z.string().trim().max(200).refine(isPlainText, 'Not plain text').optional()
const reason = z.string().trim().min(1).max(500).refine(isPlainText, 'Not plain text')

/** A page with what to ask for the next one; null on the last. */
const page = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().nullable() })

// ── users ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const userFilters = ['all', 'active', 'expired', 'none', 'admin', 'suspended'] as const
export type UserFilter = (typeof userFilters)[number]

/** `search` finds parts of names, e-mail addresses, wallets and ids. */
const userSelection = { search, filter: z.enum(userFilters).default('all') }
export const listUsersQuery = z.strictObject({ ...userSelection, ...paged })
export const userSelectionQuery = z.strictObject(userSelection)

export const adminUser = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  /** The first wallet that the account has proved. */
  walletAddress: z.string().nullable(),
  wallets: z.array(z.string()),
  isAdmin: z.boolean(),
  createdAt: isoTime,
  suspendedAt: isoTime.nullable(),
  lastSeenAt: isoTime.nullable(),
  /** The period that runs now. `endTime` is when access ends, with what is queued behind it. */
  activeSubscription: z
    .object({
      planType: planId,
      /** What the treasury received, in base units. */
      tokenAmount: amountWei,
      startTime: isoTime,
      endTime: isoTime,
      transactionHash: z.string(),
      /** By how much admins have prolonged it. */
      extendedHours: z.number().int(),
    })
    .nullable(),
})
export type AdminUser = z.infer<typeof adminUser>

/** `total` and `active` (with a running subscription) are of all accounts, `matching` of what was searched for. */
export const userCounts = z.object({
  total: z.number().int(),
  active: z.number().int(),
  matching: z.number().int(),
})
export type UserCounts = z.infer<typeof userCounts>

export const adminSession = z.object({
  id: z.string(),
  /** In plain words: "Chromium on Linux". */
  device: z.string(),
  remembered: z.boolean(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
  expiresAt: isoTime,
})

export const subscriptionStates = ['running', 'queued', 'ended', 'cancelled', 'revoked'] as const
export const adminUserDetail = z.object({
  user: adminUser,
  suspensionReason: z.string().nullable(),
  sessions: z.array(adminSession),
  /** Newest first. `revoked`: its payment has left the chain and may come back. */
  subscriptions: z.array(
    z.object({
      id: z.uuid(),
      state: z.enum(subscriptionStates),
      planType: planId,
      tokenAmount: amountWei,
      startTime: isoTime,
      endTime: isoTime,
      transactionHash: z.string(),
      extendedHours: z.number().int(),
    }),
  ),
  /** By how much admins have prolonged its access, newest first. `by`: null is the operator's command line, a name of null an account that is gone. */
  extensions: z.array(
    z.object({
      id: z.string(),
      at: isoTime,
      hours: z.number().int(),
      by: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
      reason: z.string().nullable(),
    }),
  ),
  /** Newest first. */
  payments: z.array(
    z.object({
      id: z.uuid(),
      chainId: z.number().int(),
      transactionHash: z.string(),
      payer: z.string(),
      tokenAmount: amountWei,
      planType: planId,
      /** The block's time. */
      at: isoTime,
      state: z.enum(['credited', 'reverted']),
    }),
  ),
})
export type AdminUserDetail = z.infer<typeof adminUserDetail>

export const maxExtensionHours = 8760
export const extendSubscriptionRequest = z.strictObject({
  additionalHours: z.number().int().min(1).max(maxExtensionHours),
  reason: reason.optional(),
})
export const cancelSubscriptionRequest = z.strictObject({ reason: reason.optional() }).nullish()
export const reasonRequest = z.strictObject({ reason })
export const changeRoleRequest = z.strictObject({ role: z.enum(['user', 'admin']), reason })

// ── payments ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const unmatchedReasons = ['unknown_wallet', 'other_amount', 'too_old', 'partial', 'late'] as const
export const resolutions = ['credit', 'refund_noted', 'ignore'] as const

export const unmatchedQuery = z.strictObject({ state: z.enum(['open', 'resolved']).default('open'), ...paged })
export const unmatchedPayment = z.object({
  id: z.uuid(),
  chainId: z.number().int(),
  transactionHash: z.string(),
  payer: z.string(),
  /** The account that holds the payer's wallet by now. */
  owner: z.object({ id: z.uuid(), name: z.string(), email: z.string().nullable() }).nullable(),
  tokenAmount: amountWei,
  /** The block's time. */
  at: isoTime,
  reason: z.enum(unmatchedReasons),
  /** The dearest plan that the amount pays for; null below the cheapest. */
  suggestedPlan: planId.nullable(),
  resolvedAt: isoTime.nullable(),
  /** What an admin did; `matched` where the payment found its account by itself. Null while it is open. */
  resolution: z.enum([...resolutions, 'matched']).nullable(),
  resolvedBy: resolver,
  resolutionReason: z.string().nullable(),
  /** What was given for it, by an admin or because it found its account; null where nothing was. */
  credit: z
    .object({
      /** Null: an account that is gone. */
      account: z.object({ id: z.uuid(), name: z.string(), email: z.string().nullable() }).nullable(),
      planType: planId,
      /** Above the price, with all that was credited for the same purchase. */
      excessWei: amountWei,
      /** What an admin has noted about the excess. */
      excessResolution: z.enum(orderResolutions).nullable(),
    })
    .nullable(),
})
export type UnmatchedPayment = z.infer<typeof unmatchedPayment>
export const unmatchedPage = page(unmatchedPayment).extend({ openCount: z.number().int() })

export const resolveUnmatchedRequest = z
  .strictObject({ action: z.enum(resolutions), accountId: id.optional(), planId: planId.optional(), reason })
  .refine(
    ({ action, accountId, planId: plan }) => action !== 'credit' || (accountId !== undefined && plan !== undefined),
    {
      message: `To credit, name the account (accountId) and the plan (planId: ${planIds.join(', ')})`,
    },
  )

/** About a purchase that was paid too much, too late or in several transfers. Only notes it: nothing is sent. */
export const resolveOrderRequest = z.strictObject({ action: z.enum(orderResolutions), reason })

const sum = z.object({ count: z.number().int(), sumWei: amountWei })
/**
 * The ledger (payments and unmatched transfers on record) beside the Transfer logs that the chain shows for the treasury, over the same blocks.
 * `differences` is empty when they agree.
 */
export const reconciliation = z.object({
  state: z.enum(['never', 'running', 'done', 'failed']),
  chainId: z.number().int(),
  chainName: z.string(),
  /** Inclusive; null before the first check. */
  fromBlock: z.number().int().nullable(),
  toBlock: z.number().int().nullable(),
  /** From 0 to 1, while it runs. */
  progress: z.number(),
  checkedAt: isoTime.nullable(),
  failure: z.string().nullable(),
  ledger: sum,
  chain: sum,
  /** At most a hundred; `differenceCount` is all of them. */
  differences: z.array(
    z.object({
      kind: z.enum(['not_in_ledger', 'not_on_chain', 'other_amount']),
      transactionHash: z.string(),
      /** Position among the logs of its transaction; null where only the amounts of the transaction as a whole are known. */
      logIndex: z.number().int().nullable(),
      ledgerWei: amountWei.nullable(),
      chainWei: amountWei.nullable(),
    }),
  ),
  differenceCount: z.number().int(),
})
export type Reconciliation = z.infer<typeof reconciliation>

// ── chain ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const chainSetting = z.object({
  /** The chain id as a decimal string. */
  value: z.string(),
  chainName: z.string(),
  description: z.string(),
  /** `isReadable`: a node is configured for it, so that payments on it can be verified. */
  supported: z.array(
    z.object({
      chainId: z.string(),
      chainName: z.string(),
      explorer: z.string().nullable(),
      isReadable: z.boolean(),
    }),
  ),
})
export type ChainSetting = z.infer<typeof chainSetting>
export const changeChainRequest = z.strictObject({
  value: z.string().max(20),
  description: z.string().trim().max(500).refine(isPlainText, 'Not plain text').default(''),
})

// ── feed ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Bounds of the form, in seconds and tries. */
export const reconnectIntervalBounds = { min: 5, max: 300 } as const
export const maxRetriesBounds = { min: 1, max: 20 } as const

const feedForm = {
  externalEndpoint: z.string().trim().max(2000),
  /** Absent or empty: the stored one stays. Null: there is none any more. */
  apiKey: z
    .string()
    .max(1000)
    .regex(/^[\x21-\x7e]*$/, 'Only letters, digits and signs without spaces')
    .nullish(),
  reconnectInterval: z.number().int().min(reconnectIntervalBounds.min).max(reconnectIntervalBounds.max),
  maxRetries: z.number().int().min(maxRetriesBounds.min).max(maxRetriesBounds.max),
  isEnabled: z.boolean(),
}
export const saveFeedRequest = z.strictObject(feedForm)
/** Nothing tests what is saved; a form tests what it holds. */
export const testFeedRequest = z.strictObject(feedForm).partial().nullish()
export const testFeedResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  /** How long the handshake took. */
  connectedAfterMs: z.number().int().optional(),
  firstSignal: signal.optional(),
})
export const feedConfig = z.object({
  externalEndpoint: z.string(),
  /** "…3f9a", or null without a key. The key itself is never sent back. */
  apiKeyHint: z.string().nullable(),
  /** Seconds. */
  reconnectInterval: z.number().int(),
  maxRetries: z.number().int(),
  isEnabled: z.boolean(),
  /** Whether an admin has saved it; if not, it is what the environment says. */
  isSaved: z.boolean(),
  state: z.enum(feedStates),
  lastError: z.string().nullable(),
})
export type FeedConfig = z.infer<typeof feedConfig>

export const pageQuery = z.strictObject(paged)
export const refusedSignal = z.object({ id: z.string(), at: isoTime, raw: z.string(), reason: z.string() })
export type RefusedSignal = z.infer<typeof refusedSignal>
export const refusedSignalPage = page(refusedSignal)

// ── alerts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const pageAlertsQuery = z.strictObject({ search, priority: priority.optional(), ...paged })
/** An alert with what is known of the signal that it came from; null for one that an admin wrote. */
export const pagedAlert = adminAlert.extend({
  signal: z
    .object({
      observedAt: isoTime,
      receivedAt: isoTime,
      /** It came so late that it was not sent out by itself. */
      isLate: z.boolean(),
      /** Signals of the same asset and anomaly that came in the cool-down and were counted here. */
      repeats: z.number().int(),
      lastRepeatAt: isoTime.nullable(),
    })
    .nullable(),
  /** How often it was sent out; `broadcastAt` is the first time. */
  broadcasts: z.object({ count: z.number().int(), lastAt: isoTime.nullable() }),
})
export type PagedAlert = z.infer<typeof pagedAlert>
/** `matching` is how many there are in all; of a search at most a thousand are counted. */
export const alertPage = page(pagedAlert).extend({ matching: z.number().int() })

/** `entitled`: accounts that may read a fresh alert. `connected`: live connections that hear alerts, at all instances. */
export const recipients = z.object({ connected: z.number().int(), entitled: z.number().int() })

// ── audit ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const auditActions = [
  'subscription_extended',
  'subscription_cancelled',
  'user_suspended',
  'user_unsuspended',
  'sessions_ended',
  'role_changed',
  'users_exported',
  'payment_credited',
  'payment_refund_noted',
  'payment_ignored',
  'order_refund_noted',
  'order_ignored',
  'reconciliation_started',
  'chain_changed',
  'feed_saved',
  'feed_tested',
  'alert_created',
  'alert_broadcast',
  'alert_corrected',
  'alert_retracted',
  'admin_created',
  'password_reset',
  'audit_exported',
] as const
export const auditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof auditAction>

const auditSelection = { actor: id.optional(), action: auditAction.optional() }
export const auditQuery = z.strictObject({ ...auditSelection, ...paged })
export const auditSelectionQuery = z.strictObject(auditSelection)
export const auditEntry = z.object({
  id: z.string(),
  at: isoTime,
  /** Null: the operator's command line. A name of null: an account that is gone. */
  actor: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  action: auditAction,
  /** The id of an account, an alert, a payment or a purchase, or the name of a setting. */
  subject: z.string().nullable(),
  /** Of the subject, where it is an account that is still there. */
  subjectName: z.string().nullable(),
  /** The subject, where it is an alert. */
  alert: z.object({ logIndex: z.number().int(), asset: z.string(), priority }).nullable(),
  /** Who got the plan of a payment that was credited. A name of null: an account that is gone. */
  receiver: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  reason: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  requestId: z.string(),
})
export type AuditEntry = z.infer<typeof auditEntry>
export const auditPage = page(auditEntry)

// ── system ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** All measured; null where there is nothing to measure yet or the chain could not be asked in time. */
export const adminSystem = z.object({
  startedAt: isoTime,
  now: isoTime,
  version: z.string(),
  feed: z.object({
    /** Where `state` is about, as it is saved or in the environment. */
    endpoint: z.string(),
    state: z.enum(feedStates),
    lastError: z.string().nullable(),
    /** Connected and answering pings, but without a signal for five minutes: a quiet market, not a dead line. */
    isQuiet: z.boolean(),
    connectedSince: isoTime.nullable(),
    lastPongAt: isoTime.nullable(),
    pingMs: z.number().nullable(),
    signalsReceived: z.number().int(),
    signalsRefused: z.number().int(),
    /** Counted under a running alert instead of making one. */
    signalsMerged: z.number().int(),
    lastSignalAt: isoTime.nullable(),
    lastSignalAgeMs: z.number().nullable(),
    /** The last time that nothing could be received, from losing the connection to having it again. */
    lastGap: z.object({ from: isoTime, to: isoTime.nullable() }).nullable(),
  }),
  stream: z.object({ connected: z.number().int() }),
  anchor: z.object({
    state: z.string(),
    reason: z.string().nullable(),
    lastAnchoredAt: isoTime.nullable(),
    medianToAnchorMs: z.number().nullable(),
    wallet: z.string(),
    balanceWei: amountWei.nullable(),
    /** How many anchors the balance pays for at the present price of gas. */
    anchorsLeft: z.number().int().nullable(),
    /** Fewer than twenty anchors are left. */
    isLow: z.boolean(),
    chainName: z.string(),
  }),
  payments: z.object({
    chainName: z.string(),
    readAt: isoTime.nullable(),
    behindSeconds: z.number().nullable(),
    behindBlocks: z.number().int().nullable(),
    trouble: z.string().nullable(),
    unmatchedOpen: z.number().int(),
  }),
  signer: z.string(),
  log: z.object({ size: z.number().int() }),
  database: z.object({ latencyMs: z.number(), sizeBytes: z.number().int(), version: z.string() }),
})
export type AdminSystem = z.infer<typeof adminSystem>
