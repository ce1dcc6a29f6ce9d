import { z } from 'zod'
import { destinationKinds } from './channels.ts'
import { amountWei, isoTime, planId, priority } from './primitives.ts'

/** Figures of the operator's business page. Days and weeks are UTC; weeks begin on Monday. */

const count = z.number().int().min(0)
const sum = z.object({ count, sumWei: amountWei })
/** A day as YYYY-MM-DD. */
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
/** A share of a total, from 0 to 1. Null if the total is 0. */
const share = z.number().min(0).max(1).nullable()

/** The value of one ITO in a currency, as entered by an operator. For display only. */
export const itoRate = z.object({
  /** Currency code (ISO 4217). */
  currency: z.string().regex(/^[A-Z]{3}$/, 'Expected three capital letters, for example EUR'),
  perIto: z.number().positive().max(1e9),
})
export type ItoRate = z.infer<typeof itoRate>
export const saveRateRequest = z.strictObject({ rate: z.strictObject(itoRate.shape).nullable() })

/**
 * Revenue is the sum of transfers that were credited to a plan, at the time of their block.
 * Reverted payments are excluded. A noted refund does not reduce revenue.
 */
export const businessRevenue = z.object({
  asOf: isoTime,
  yesterday: sum,
  /** Since 00:00 UTC. */
  today: sum,
  /** `last7`, `last30`: the last 7 and 30 days. `before7`, `before30`: the 7 and 30 days before. */
  last7: sum,
  before7: sum,
  last30: sum,
  before30: sum,
  allTime: sum,
  /** Time of the first payment. */
  since: isoTime.nullable(),
  /**
   * The last 30 days including today, oldest first. Only combinations of plan and chain with a
   * payment are listed.
   */
  days: z.array(
    z.object({
      day,
      parts: z.array(z.object({ planType: planId, chainId: z.number().int(), ...sum.shape })),
    }),
  ),
  rate: itoRate.extend({ setAt: isoTime }).nullable(),
})
export type BusinessRevenue = z.infer<typeof businessRevenue>

/** The steps of the sales funnel. `weeks` of `businessCustomers` counts each step per week. */
export const funnelSteps = ['visits', 'signUps', 'verified', 'walletProved', 'firstPurchase', 'boughtAgain'] as const
export type FunnelStep = (typeof funnelSteps)[number]

/**
 * Signs that an account will not renew.
 * - `neverRenewed`: it has made at most one purchase.
 * - `notSeen`: it was never seen, was last seen before its plan began, or was not seen in the last
 *   24 hours. If its access has ended, these are the 24 hours before the end.
 * - `nothingRead`: it has not opened or marked as read any alert since its plan began.
 *
 * Comparisons with the start of the plan are made only if it began at least one hour ago.
 */
export const leavingSigns = ['neverRenewed', 'notSeen', 'nothingRead'] as const
export type LeavingSign = (typeof leavingSigns)[number]

/**
 * An account whose access ends soon or has ended. `signs` may be empty. Lists are sorted by the end
 * of access and have at most 20 accounts.
 */
const leavingAccount = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  planType: planId,
  endsAt: isoTime,
  /** Number of purchases. An order that was paid in several transfers is one purchase. */
  payments: count,
  lastSeenAt: isoTime.nullable(),
  /** Number of alerts that the account has opened since its last plan began. */
  alertsRead: count,
  signs: z.array(z.enum(leavingSigns)),
})
export type LeavingAccount = z.infer<typeof leavingAccount>

export const businessCustomers = z.object({
  asOf: isoTime,
  /**
   * Six weeks, newest first; the first is the current one. `visits`: openings of the front page.
   * `signUps`: sign-ups by email. `verified`: new accounts, regardless of how they were created.
   * `walletProved`: accounts whose first wallet was linked. `firstPurchase`: accounts whose first
   * payment was credited. `boughtAgain`: accounts that paid and had paid before. `paying`: all
   * accounts that paid.
   */
  weeks: z.array(
    z.object({
      week: day,
      visits: count,
      signUps: count,
      verified: count,
      walletProved: count,
      firstPurchase: count,
      boughtAgain: count,
      paying: count,
    }),
  ),
  /**
   * Accounts by the week of their first payment, newest first, and the share that paid again in
   * each of the following weeks.
   */
  cohorts: z.array(z.object({ week: day, size: count, paidAgain: z.array(share) })),
  /** Number of accounts with a plan in the last 30 days, and how many of them have no plan now. */
  churn: z.object({ hadPlan: count, lost: count }),
  /** Number of accounts that paid in the last 30 days, and the sum of their payments. */
  paying30: z.object({ accounts: count, sumWei: amountWei }),
  /**
   * Number of purchases of the last 7 days by accounts that had paid before. An order counts once,
   * at the time of its first transfer.
   */
  renewals7: count,
  activePlans: count,
  /**
   * Accounts whose access ends within 24 hours. `atRisk` counts the accounts with a sign of
   * leaving.
   */
  ending: z.object({ count, atRisk: count, accounts: z.array(leavingAccount) }),
  /** Accounts whose access ended within the last 7 days and that have no plan now. */
  left: z.object({ count, accounts: z.array(leavingAccount) }),
})
export type BusinessCustomers = z.infer<typeof businessCustomers>

/** Time from the broadcast in seconds. Null if nothing was delivered. */
const seconds = z.number().nullable()
const latencies = { p50Seconds: seconds, p95Seconds: seconds, p99Seconds: seconds }

/** Delivery of an alert to accounts. `alert` is null if no alert was broadcast yet. */
export const businessReach = z.object({
  alert: z
    .object({ id: z.string(), logIndex: z.number().int(), asset: z.string(), priority, sentAt: isoTime })
    .nullable(),
  /** Number of accounts whose plan covered the time of the broadcast. */
  entitled: count,
  /**
   * Number of entitled accounts whose page, program or destination received the alert, or that
   * opened it.
   */
  reached: count,
  /** Percentiles of the time from the broadcast to the first delivery to an account. */
  firstWay: z.object(latencies),
  /** Number of accounts that have opened the alert or marked it as read. */
  opened: count,
  /** Number of accounts whose page has verified the proof after the alert was opened. */
  verified: count,
  /**
   * Entitled accounts whose open page or program received the alert, and percentiles of the delay.
   * Recorded for critical alerts of the last 30 days, otherwise null.
   */
  stream: z.object({ accounts: count, ...latencies }).nullable(),
  /**
   * For each kind of destination: number of deliveries by state, and percentiles of the time from
   * the broadcast to the delivery.
   */
  channels: z.array(
    z.object({
      kind: z.enum(destinationKinds),
      total: count,
      delivered: count,
      skipped: count,
      failed: count,
      waiting: count,
      ...latencies,
    }),
  ),
  /** Reasons of failed deliveries, the most frequent one first; at most 10. */
  failures: z.array(z.object({ kind: z.enum(destinationKinds), reason: z.string(), count })),
})
export type BusinessReach = z.infer<typeof businessReach>

/** The monitored sources: the feed, its engine, and the anchoring of the log. */
export const businessBands = ['feed', 'engine', 'anchors'] as const
export type BusinessBand = (typeof businessBands)[number]

/** Health of the sources, and counts of broadcast alerts. Hours are UTC. */
export const businessHealth = z.object({
  asOf: isoTime,
  /** 24 hours before `asOf`: the start of the period that `bands` and `steps` cover. */
  from: isoTime,
  bands: z.array(
    z.object({
      source: z.enum(businessBands),
      /** Null if the source is not configured, or if nothing is known yet. */
      state: z.enum(['ok', 'gap']).nullable(),
      /**
       * Outages within the 24 hours. Feed: no connection. Engine: no status for more than 35
       * seconds. Anchors: a log entry waited more than ten minutes for its anchor. `to` is null
       * while the outage lasts.
       */
      gaps: z.array(z.object({ from: isoTime, to: isoTime.nullable() })),
    }),
  ),
  /** Number of alerts in the 24 hours, in steps of half an hour from `from` on. */
  steps: z.array(z.object({ step: z.number().int().min(0).max(47), priority, count })),
  /** Number of alerts in the last 7 days, by hour of day and by type. */
  hours: z.array(z.object({ hour: z.number().int().min(0).max(23), priority, count })),
  types: z.array(z.object({ type: z.string(), priority, count })),
  medianToAnchorMs: z.number().nullable(),
})
export type BusinessHealth = z.infer<typeof businessHealth>

/**
 * Amounts that the treasury received, and its balance, by chain. The amount that has left the
 * treasury (`refunded`, and withdrawals by the operator) is `credited + unmatched + resolved` minus
 * the balance. All amounts except `former` are of the configured treasury and token only.
 */
export const businessTreasury = z.array(
  z.object({
    chainId: z.number().int(),
    chainName: z.string(),
    treasury: z.string(),
    credited: sum,
    /** Transfers that match no plan or order and are not resolved. */
    unmatched: sum,
    /** Unmatched transfers that an admin resolved as refunded or ignored. */
    resolved: sum,
    /** Recorded transfers from the treasury back to payers. */
    refunded: sum,
    /** Transfers to a former treasury of the chain, or of a former token. */
    former: sum,
    /** Null if the chain cannot be read. */
    balanceWei: amountWei.nullable(),
  }),
)
export type BusinessTreasury = z.infer<typeof businessTreasury>
