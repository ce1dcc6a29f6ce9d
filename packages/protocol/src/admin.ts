import { z } from 'zod'
import { adminAlert } from './alerts.ts'
import { enrolmentCode, factorMethods } from './factors.ts'
import { signal } from './feed.ts'
import { planIds } from './names.ts'
import { orderResolutions, resolver } from './orders.ts'
import { isPlainText } from './plain-text.ts'
import { amountWei, done, hash32, isoTime, maxChainId, planId, priority } from './primitives.ts'
import { role } from './roles.ts'
import { accountReference, createPageSchema, pageSize, person, searchText } from './shared-schemas.ts'
import { feedStates } from './system.ts'

/** Request and response schemas of the admin area. */

const id = z.string().max(100)
/** `cursor` is `nextCursor` of the previous page. */
const pageParameters = { cursor: id.optional(), limit: pageSize }
export const reason = z.string().trim().min(1).max(500).refine(isPlainText, 'Not plain text')

// Users

/**
 * `ending`: accounts whose access ends within 24 hours; `left`: accounts whose access ended within
 * the last 7 days.
 */
export const userFilters = ['all', 'active', 'ending', 'left', 'expired', 'none', 'admin', 'suspended'] as const
export type UserFilter = (typeof userFilters)[number]

/** `search` matches substrings of names, email addresses, wallets and ids. */
const userSelection = { search: searchText, filter: z.enum(userFilters).default('all') }
/**
 * `expires`: accounts with a plan first, sorted by the end of the plan. `paid` needs payments.read.
 */
export const userSorts = ['newest', 'oldest', 'name', 'email', 'seen', 'expires', 'paid'] as const
export type UserSort = (typeof userSorts)[number]
export const listUsersQuery = z.strictObject({
  ...userSelection,
  sort: z.enum(userSorts).default('newest'),
  ...pageParameters,
})
export const userSelectionQuery = z.strictObject(userSelection)

export const adminUser = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  /** The first wallet that the account proved. */
  walletAddress: z.string().nullable(),
  wallets: z.array(z.string()),
  /** True if the user has any staff role. */
  isAdmin: z.boolean(),
  role,
  createdAt: isoTime,
  suspendedAt: isoTime.nullable(),
  lastSeenAt: isoTime.nullable(),
  /** Total that the account has paid, on all chains. Null for roles without payments.read. */
  paidWei: amountWei.nullable(),
  /**
   * The subscription that is active now. `endTime` is the end of access, so it includes queued
   * subscriptions.
   */
  activeSubscription: z
    .object({
      planType: planId,
      /** Amount that the treasury received, in base units. Null for roles without payments.read. */
      tokenAmount: amountWei.nullable(),
      startTime: isoTime,
      endTime: isoTime,
      /**
       * Null for a plan that was granted without a payment, and for roles without payments.read.
       */
      transactionHash: z.string().nullable(),
      /** Total hours added by admins. */
      extendedHours: z.number().int(),
    })
    .nullable(),
})
export type AdminUser = z.infer<typeof adminUser>

/**
 * `total` and `active` (with an active subscription) count all accounts; `matching` counts the
 * accounts that match the query. With a search term, `matching` is at most 1,000.
 */
export const userCounts = z.object({
  total: z.number().int(),
  active: z.number().int(),
  matching: z.number().int(),
})

export const adminSession = z.object({
  id: z.string(),
  /** Browser and operating system, for example "Chromium on Linux". */
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
  secondFactors: z.object({
    methods: z.array(z.enum(factorMethods)),
    /** Earliest time at which all factors will be removed, if their removal was requested. */
    resetDueAt: isoTime.nullable(),
  }),
  sessions: z.array(adminSession),
  /**
   * Sorted from newest to oldest. `revoked`: a reorg removed the payment; the subscription is
   * restored if the payment is mined again. Amounts and transactions are null for roles without
   * payments.read.
   */
  subscriptions: z.array(
    z.object({
      id: z.uuid(),
      state: z.enum(subscriptionStates),
      planType: planId,
      tokenAmount: amountWei.nullable(),
      startTime: isoTime,
      endTime: isoTime,
      transactionHash: z.string().nullable(),
      extendedHours: z.number().int(),
    }),
  ),
  /**
   * Extensions by admins, newest first. `by` is null for an extension on the operator's command
   * line; `by.name` is null if the admin's account was deleted. Empty for roles without audit.read.
   */
  extensions: z.array(
    z.object({
      id: z.string(),
      at: isoTime,
      hours: z.number().int(),
      by: person.nullable(),
      reason: z.string().nullable(),
    }),
  ),
  /** Sorted from newest to oldest. Empty for roles without payments.read. */
  payments: z.array(
    z.object({
      id: z.uuid(),
      chainId: z.number().int(),
      transactionHash: z.string(),
      payer: z.string(),
      tokenAmount: amountWei,
      planType: planId,
      /** Time of the block. */
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
export const changeRoleRequest = z.strictObject({ role, reason })
/** `enrolmentCode` is set if the new member of staff has to enrol a second factor with it. */
export const changeRoleResponse = done.extend({ enrolmentCode: enrolmentCode.nullable() })
export const enrolmentCodeResponse = done.extend({ enrolmentCode })

// Payments

export const unmatchedReasons = ['unknown_wallet', 'other_amount', 'too_old', 'partial', 'late'] as const
export const resolutions = ['credit', 'refund_noted', 'ignore'] as const

export const unmatchedQuery = z.strictObject({ state: z.enum(['open', 'resolved']).default('open'), ...pageParameters })
export const unmatchedPayment = z.object({
  id: z.uuid(),
  chainId: z.number().int(),
  transactionHash: z.string(),
  payer: z.string(),
  /** The account to which the payer's wallet is linked now. */
  owner: accountReference.nullable(),
  tokenAmount: amountWei,
  /** Time of the block. */
  at: isoTime,
  reason: z.enum(unmatchedReasons),
  /** The most expensive plan that the amount covers. Null if it covers none. */
  suggestedPlan: planId.nullable(),
  resolvedAt: isoTime.nullable(),
  /**
   * The decision of an admin, or `matched` if the server matched the payment automatically. Null
   * while unresolved.
   */
  resolution: z.enum([...resolutions, 'matched']).nullable(),
  resolvedBy: resolver,
  resolutionReason: z.string().nullable(),
  /**
   * The credit for this payment, by an admin or by an automatic match. Null if it was not credited.
   */
  credit: z
    .object({
      /** Null if the account was deleted. */
      account: accountReference.nullable(),
      planType: planId,
      /** Overpayment: all transfers credited for the same order minus its price. */
      excessWei: amountWei,
      /** How an admin resolved the overpayment. */
      excessResolution: z.enum(orderResolutions).nullable(),
    })
    .nullable(),
})
export type UnmatchedPayment = z.infer<typeof unmatchedPayment>
export const unmatchedPage = createPageSchema(unmatchedPayment).extend({ openCount: z.number().int() })

export const resolveUnmatchedRequest = z
  .strictObject({ action: z.enum(resolutions), accountId: id.optional(), planId: planId.optional(), reason })
  .refine(
    ({ action, accountId, planId: plan }) => action !== 'credit' || (accountId !== undefined && plan !== undefined),
    {
      message: `To credit, name the account (accountId) and the plan (planId: ${planIds.join(', ')})`,
    },
  )

/**
 * - `pending`: a transaction of an order is known, but not confirmed yet
 * - `credited`: started a subscription
 * - `overpaid`: credited, and the excess is not resolved
 * - `unmatched`: matches no plan or order, and is not resolved
 * - `refunded`, `ignored`: an admin noted a refund of the excess or of the whole payment, or
 *   ignored it
 * - `reverted`: a reorg removed its block
 */
export const paymentStates = [
  'pending',
  'credited',
  'overpaid',
  'unmatched',
  'refunded',
  'ignored',
  'reverted',
] as const
export type PaymentState = (typeof paymentStates)[number]

/**
 * `search` is a transaction hash, an address, the id of an order or an account, or part of the name
 * or email address of an account.
 */
const paymentSelection = {
  search: searchText,
  state: z.enum(paymentStates).optional(),
  plan: planId.optional(),
  chainId: z.coerce.number().int().positive().max(maxChainId).optional(),
}
export const listPaymentsQuery = z.strictObject({ ...paymentSelection, ...pageParameters })
export const paymentSelectionQuery = z.strictObject(paymentSelection)

/** A transfer to the treasury, or the transaction of an order that waits for confirmations. */
export const listedPayment = z.object({
  id: z.uuid(),
  state: z.enum(paymentStates),
  chainId: z.number().int(),
  transactionHash: z.string(),
  payer: z.string(),
  /** Amount of the transfer. For a pending payment: the price of its order. */
  tokenAmount: amountWei,
  /** Time of the block. For a pending payment: the time at which the order was created. */
  at: isoTime,
  planType: planId.nullable(),
  orderId: z.uuid().nullable(),
  /** Null if the payment belongs to no account, or if the account was deleted. */
  account: accountReference.nullable(),
  /** Recorded transfers from the treasury back to the payer, in order. */
  refunds: z.array(z.object({ transactionHash: z.string(), amountWei })),
})
export type ListedPayment = z.infer<typeof listedPayment>
export const paymentPage = createPageSchema(listedPayment)

/** The server reads the transaction from the chain and uses only the hash of the request. */
export const recordRefundRequest = z.strictObject({ transactionHash: hash32 })

/**
 * Records how staff handled an order with an overpayment, a late payment or several transfers. The
 * server sends no transaction.
 */
export const resolveOrderRequest = z.strictObject({ action: z.enum(orderResolutions), reason })

const sum = z.object({ count: z.number().int(), sumWei: amountWei })
/**
 * Compares the ledger (stored payments and unmatched transfers) with the Transfer events to the
 * treasury on the chain, over the same range of blocks. `differences` is empty if they agree.
 */
export const reconciliation = z.object({
  state: z.enum(['never', 'running', 'done', 'failed']),
  chainId: z.number().int(),
  chainName: z.string(),
  /** First block of the range, inclusive. Null before the first check. */
  fromBlock: z.number().int().nullable(),
  toBlock: z.number().int().nullable(),
  /** Progress from 0 to 1 while the check is running. */
  progress: z.number(),
  checkedAt: isoTime.nullable(),
  failure: z.string().nullable(),
  ledger: sum,
  chain: sum,
  /** At most 100 items. `differenceCount` is the total. */
  differences: z.array(
    z.object({
      kind: z.enum(['not_in_ledger', 'not_on_chain', 'other_amount']),
      transactionHash: z.string(),
      /** Log index within the transaction. Null if only the total of the transaction is known. */
      logIndex: z.number().int().nullable(),
      ledgerWei: amountWei.nullable(),
      chainWei: amountWei.nullable(),
    }),
  ),
  differenceCount: z.number().int(),
})
export type Reconciliation = z.infer<typeof reconciliation>

// Chain

export const chainSetting = z.object({
  /** The chain id as a decimal string. */
  value: z.string(),
  chainName: z.string(),
  description: z.string(),
  /** `isReadable`: the server has a node of this chain, so it can verify payments on it. */
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

// Feed

/** Bounds of two fields of the feed form: seconds between connection attempts, and retry count. */
export const reconnectIntervalBounds = { min: 5, max: 300 } as const
export const maxRetriesBounds = { min: 1, max: 20 } as const

const feedForm = {
  externalEndpoint: z.string().trim().max(2000),
  /** An absent or empty key leaves the stored key unchanged; null removes it. */
  apiKey: z
    .string()
    .max(1000)
    .regex(/^[\x21-\x7e]*$/, 'Expected printable ASCII characters without spaces')
    .nullish(),
  reconnectInterval: z.number().int().min(reconnectIntervalBounds.min).max(reconnectIntervalBounds.max),
  maxRetries: z.number().int().min(maxRetriesBounds.min).max(maxRetriesBounds.max),
  isEnabled: z.boolean(),
}
export const saveFeedRequest = z.strictObject(feedForm)
/** An empty body tests the saved configuration; otherwise the given fields override it. */
export const testFeedRequest = z.strictObject(feedForm).partial().nullish()
export const testFeedResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  /** Duration of the handshake in milliseconds. */
  connectedAfterMs: z.number().int().optional(),
  firstSignal: signal.optional(),
})
export const feedConfig = z.object({
  externalEndpoint: z.string(),
  /**
   * The last characters of the API key, for example "…3f9a", or null if no key is stored. The key
   * itself is never returned.
   */
  apiKeyHint: z.string().nullable(),
  /** Time between connection attempts in seconds. */
  reconnectInterval: z.number().int(),
  maxRetries: z.number().int(),
  isEnabled: z.boolean(),
  /** True if an admin saved the configuration; false if it comes from environment variables. */
  isSaved: z.boolean(),
  state: z.enum(feedStates),
  lastError: z.string().nullable(),
})
export type FeedConfig = z.infer<typeof feedConfig>

export const pageQuery = z.strictObject(pageParameters)
export const refusedSignal = z.object({ id: z.string(), at: isoTime, raw: z.string(), reason: z.string() })
export type RefusedSignal = z.infer<typeof refusedSignal>
export const refusedSignalPage = createPageSchema(refusedSignal)

// Alerts

export const pageAlertsQuery = z.strictObject({ search: searchText, priority: priority.optional(), ...pageParameters })
/**
 * An alert with the signal from which it was created. The signal is null if an admin created the
 * alert.
 */
export const pagedAlert = adminAlert.extend({
  signal: z
    .object({
      observedAt: isoTime,
      receivedAt: isoTime,
      /** True if the signal arrived too late, so that the alert was not broadcast automatically. */
      isLate: z.boolean(),
      /**
       * Signals with the same asset and anomaly that arrived during the cool-down and were merged
       * into this alert.
       */
      repeats: z.number().int(),
      lastRepeatAt: isoTime.nullable(),
    })
    .nullable(),
  /** Number of broadcasts of the alert. `broadcastAt` is the time of the first one. */
  broadcasts: z.object({ count: z.number().int(), lastAt: isoTime.nullable() }),
})
export type PagedAlert = z.infer<typeof pagedAlert>
/** `matching` is the total number of matches. With a search term, it is at most 1,000. */
export const alertPage = createPageSchema(pagedAlert).extend({ matching: z.number().int() })

/**
 * `entitled`: accounts with access to fresh alerts. `connected`: live connections that receive
 * alerts, on all instances.
 */
export const recipients = z.object({ connected: z.number().int(), entitled: z.number().int() })

// Audit

export const auditActions = [
  'subscription_extended',
  'subscription_cancelled',
  'user_suspended',
  'user_unsuspended',
  'sessions_ended',
  'role_changed',
  'users_exported',
  'payments_exported',
  'payment_credited',
  'payment_refund_noted',
  'refund_recorded',
  'payment_ignored',
  'order_refund_noted',
  'order_ignored',
  'reconciliation_started',
  'chain_changed',
  'change_proposed',
  'change_approved',
  'change_applied',
  'change_cancelled',
  'change_expired',
  'change_void',
  'change_forced',
  'two_admins_enabled',
  'two_admins_disabled',
  'rate_changed',
  'coupon_created',
  'coupon_ended',
  'plan_granted',
  'announcement_created',
  'announcement_ended',
  'message_sent',
  'message_cancelled',
  'letter_answered',
  'letter_noted',
  'letter_changed',
  'alert_scheduled',
  'scheduled_alert_changed',
  'scheduled_alert_cancelled',
  'feed_saved',
  'feed_tested',
  'alert_created',
  'alert_broadcast',
  'alert_corrected',
  'alert_retracted',
  'admin_created',
  'password_reset',
  'audit_exported',
  'security_log_exported',
  'log_resumed',
  'log_adopted',
  'log_succeeded',
  'signer_rotated',
  'backup_restored',
  'api_key_created',
  'api_key_revoked',
  'channel_added',
  'channel_changed',
  'channel_deleted',
  'enrolment_code_issued',
  'factor_removed',
  'factor_reset_requested',
  'factor_reset_cancelled',
  'factor_reset_applied',
  'takeover_suspected',
] as const
export const auditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof auditAction>

const auditSelection = { actor: id.optional(), action: auditAction.optional() }
export const auditQuery = z.strictObject({ ...auditSelection, ...pageParameters })
export const auditSelectionQuery = z.strictObject(auditSelection)
export const auditEntry = z.object({
  id: z.string(),
  at: isoTime,
  /**
   * Null for operator commands, scheduled changes, the takeover alarm and mailed links. `name` is
   * null if the account was deleted.
   */
  actor: person.nullable(),
  action: auditAction,
  /** The id of an account, alert, payment or order, or the name of a setting. */
  subject: z.string().nullable(),
  /** The account's name, if the subject is an account that still exists. */
  subjectName: z.string().nullable(),
  /** Set if the subject is an alert. */
  alert: z.object({ logIndex: z.number().int(), asset: z.string(), priority }).nullable(),
  /** The account that a payment was credited to. `name` is null if the account was deleted. */
  receiver: person.nullable(),
  reason: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  requestId: z.string(),
})
export type AuditEntry = z.infer<typeof auditEntry>
export const auditPage = createPageSchema(auditEntry)

// System

/**
 * Measured values. A value is null if nothing has been measured yet or the chain did not respond in
 * time.
 */
export const adminSystemStatus = z.object({
  startedAt: isoTime,
  now: isoTime,
  version: z.string(),
  feed: z.object({
    /** The endpoint in use, from the saved configuration or the environment. */
    endpoint: z.string(),
    state: z.enum(feedStates),
    lastError: z.string().nullable(),
    /**
     * True if the feed is connected and answers pings, but has sent no signal for five minutes.
     * That indicates a quiet market, not a dead connection.
     */
    isQuiet: z.boolean(),
    connectedSince: isoTime.nullable(),
    lastPongAt: isoTime.nullable(),
    pingMs: z.number().nullable(),
    signalsReceived: z.number().int(),
    signalsRefused: z.number().int(),
    /** Repeated signals that were merged into an existing alert. */
    signalsMerged: z.number().int(),
    lastSignalAt: isoTime.nullable(),
    lastSignalAgeMs: z.number().nullable(),
    /**
     * The last outage, from the loss of the connection to the next connection. `to` is null while
     * the outage lasts.
     */
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
    /** Number of anchor transactions that the balance covers at the current gas price. */
    anchorsLeft: z.number().int().nullable(),
    /** True if fewer than 20 anchors are left. */
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
  /**
   * Accounts whose second factor was removed and whose email address was changed within one hour,
   * which may be a takeover. Covers the last day. Suspended accounts are left out.
   */
  takeovers: z.array(z.object({ accountId: z.uuid(), at: isoTime })),
  staff: z.object({
    /** False if the installation allows staff to sign in with the password alone. */
    needsFactor: z.boolean(),
    /** Staff who still have factors, API keys or a private feed from before their promotion. */
    earlierAccess: z.array(z.object({ accountId: z.uuid(), ways: z.array(z.string()) })),
  }),
})
export type AdminSystem = z.infer<typeof adminSystemStatus>

// Instances

export const instanceStates = ['ready', 'degraded', 'unavailable', 'stopped'] as const

/** A background job, which runs on one instance at a time. */
export type BackgroundJob =
  | 'anchoring'
  | 'channels'
  | 'feed'
  | 'messages'
  | 'payments'
  | 'protectedChanges'
  | 'schedule'
  | 'securityLog'
  | 'subscriberMails'
  | 'wallets'

/**
 * Time steps of equal length, oldest first. Each number is the worst value reported in its step, or
 * null if none was reported.
 */
const steps = z.array(z.number().nullable())

export const adminInstances = z.object({
  now: isoTime,
  /** Start of the first step. */
  from: isoTime,
  stepSeconds: z.number().int(),
  /** Instances that have reported within a day, sorted by name. */
  instances: z.array(
    z.object({
      /** Host name and port. */
      name: z.string(),
      version: z.string(),
      startedAt: isoTime,
      seenAt: isoTime,
      /** The last reported state. */
      state: z.enum(instanceStates),
      /**
       * True if the instance has sent no report for two and a half report intervals, although it
       * has not reported that it stopped.
       */
      isSilent: z.boolean(),
      failing: z.array(z.object({ check: z.string(), reason: z.string() })),
      /** Background jobs that this instance runs. Other releases may have other jobs. */
      jobs: z.array(z.string()),
      /** Number of live sockets. */
      connected: z.number().int(),
      /** 99th percentile of the event loop's delay, in milliseconds. */
      loopDelayMs: z.number(),
      day: z.object({
        states: z.array(z.enum(instanceStates).nullable()),
        connected: steps,
        loopDelayMs: steps,
      }),
    }),
  ),
  /**
   * Delays in seconds, which every instance measures. `seconds` is from the newest report, and
   * `day` has the worst values of all instances.
   */
  lags: z.array(
    z.object({
      name: z.enum(['anchoring', 'payments', 'queues', 'feed', 'engine']),
      seconds: z.number().nullable(),
      day: steps,
    }),
  ),
})
export type AdminInstances = z.infer<typeof adminInstances>
export type AdminInstance = AdminInstances['instances'][number]
