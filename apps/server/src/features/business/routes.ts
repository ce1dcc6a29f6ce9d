import type { Address } from '@tocsin/proof'
import {
  type endpoints,
  getChain,
  type LeavingAccount,
  type LeavingSign,
  leavingSigns,
  saveRateRequest,
} from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { erc20Abi } from 'viem'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import { listChainContexts } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import type { Handler } from '../../http/route.ts'
import { readMedianToAnchor } from '../alerts/store.ts'
import { listSourceGaps, type SourceGaps } from '../feed/service.ts'
import { STREAM_REACH_RETENTION_MS } from '../live/stream-reach.ts'
import type { PaymentTerms } from '../payments/payment.ts'
import { sumRefundsByTerms, type TermsSum } from '../payments/refund-store.ts'
import { callPaymentChain, withChainDeadline } from '../payments/transaction.ts'
import { getAnchorState } from '../tlog/service.ts'
import * as customers from './customer-store.ts'
import * as health from './health-store.ts'
import { computeDayStart, computeWeekStart, createCohorts, createWeeklyFunnel, listDays } from './periods.ts'
import * as reach from './reach-store.ts'
import * as revenue from './revenue-store.ts'

type Endpoints = typeof endpoints

const RATE_SETTING = 'business.ito_rate'
const CHART_DAYS = 30
const FUNNEL_WEEKS = 6
const MAX_LEAVING_ACCOUNTS = 20
const MAX_FAILURES = 10
const MAX_TYPES = 12
const HEALTH_STEP_MS = DAY_MS / 48
/**
 * Maximum time that an entry may wait for its anchor before it is overdue, the same as in the alert
 * rules for operators.
 */
const ANCHOR_OVERDUE_MS = 10 * MINUTE_MS
const BALANCE_TIMEOUT_MS = 3_000

export const businessRevenue: Handler<Endpoints['businessRevenue']> = async (ctx) => {
  const now = ctx.clock.now()
  const daysBefore = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const today = computeDayStart(now)
  const firstDay = new Date(today.getTime() - (CHART_DAYS - 1) * DAY_MS)
  const periods = {
    yesterday: { from: new Date(today.getTime() - DAY_MS), to: today },
    today: { from: today, to: now },
    last7: { from: daysBefore(7), to: now },
    before7: { from: daysBefore(14), to: daysBefore(7) },
    last30: { from: daysBefore(30), to: now },
    before30: { from: daysBefore(60), to: daysBefore(30) },
  }
  const [{ counts, sums }, allTime, since, parts, savedRate] = await Promise.all([
    revenue.sumPayments(ctx.db, Object.values(periods)),
    revenue.sumAllPayments(ctx.db),
    revenue.findFirstPaymentAt(ctx.db),
    revenue.listDayParts(ctx.db, firstDay),
    findSetting(ctx.db, RATE_SETTING),
  ])
  const getSum = (name: keyof typeof periods) => {
    const at = Object.keys(periods).indexOf(name)
    return { count: counts[at] ?? 0, sumWei: sums[at] ?? '0' }
  }
  const { rate } = saveRateRequest.parse(savedRate?.value ?? { rate: null })
  return {
    asOf: now.toISOString(),
    yesterday: getSum('yesterday'),
    today: getSum('today'),
    last7: getSum('last7'),
    before7: getSum('before7'),
    last30: getSum('last30'),
    before30: getSum('before30'),
    allTime,
    since: since?.toISOString() ?? null,
    days: listDays(firstDay, CHART_DAYS).map((day) => ({
      day,
      parts: parts
        .filter((part) => part.day === day)
        .map(({ plan_id, chain_id, count, sum_wei }) => ({
          planType: plan_id,
          chainId: chain_id,
          count,
          sumWei: sum_wei,
        })),
    })),
    rate: rate && savedRate ? { ...rate, setAt: savedRate.updatedAt.toISOString() } : null,
  }
}

export async function businessCustomers(ctx: Context): ReturnType<Handler<Endpoints['businessCustomers']>> {
  const now = ctx.clock.now()
  const firstWeek = new Date(computeWeekStart(now).getTime() - (FUNNEL_WEEKS - 1) * 7 * DAY_MS)
  const in24h = new Date(now.getTime() + DAY_MS)
  const daysBefore = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const [steps, payingWeeks, totals, endingPlans, endedPlans] = await Promise.all([
    customers.countFunnel(ctx.db, firstWeek, now),
    customers.listPaying(ctx.db, firstWeek),
    customers.countTotals(ctx.db, now, daysBefore(30), daysBefore(7)),
    customers.findChurningAccounts(ctx.db, { now, after: now, until: in24h, limit: MAX_LEAVING_ACCOUNTS }),
    customers.findChurningAccounts(ctx.db, { now, after: daysBefore(7), until: now, limit: MAX_LEAVING_ACCOUNTS }),
  ])
  return {
    asOf: now.toISOString(),
    weeks: createWeeklyFunnel(firstWeek, FUNNEL_WEEKS, steps, payingWeeks),
    cohorts: createCohorts(firstWeek, FUNNEL_WEEKS, payingWeeks),
    churn: { hadPlan: totals.had_plan, lost: totals.lost },
    paying30: { accounts: totals.paying, sumWei: totals.paying_wei },
    renewals7: totals.renewals,
    activePlans: totals.active,
    ending: {
      count: endingPlans.count,
      atRisk: endingPlans.at_risk,
      accounts: endingPlans.accounts.map(presentLeaving),
    },
    left: { count: endedPlans.count, accounts: endedPlans.accounts.map(presentLeaving) },
  }
}

function presentLeaving(row: customers.LeavingRow): LeavingAccount {
  const signs: Record<LeavingSign, boolean> = {
    neverRenewed: row.never_renewed,
    notSeen: row.not_seen,
    nothingRead: row.nothing_read,
  }
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    planType: row.plan_id,
    endsAt: toIso(row.ends_ms),
    payments: row.payments,
    lastSeenAt: row.seen_ms === null ? null : toIso(row.seen_ms),
    alertsRead: row.alerts_read,
    signs: leavingSigns.filter((sign) => signs[sign]),
  }
}

const toIso = (ms: string) => new Date(Number(ms)).toISOString()

const toSeconds = (latencies: readonly [number, number, number] | null) => {
  const [p50 = null, p95 = null, p99 = null] = latencies ?? []
  return { p50Seconds: p50, p95Seconds: p95, p99Seconds: p99 }
}

export const businessReach: Handler<Endpoints['businessReach']> = async (ctx, { query }) => {
  const alert = await reach.findReachedAlert(ctx.db, query.index)
  const foundRows =
    alert &&
    (await Promise.all([
      reach.countAccounts(ctx.db, alert),
      reach.listChannelReach(ctx.db, alert.log_index),
      reach.listFailures(ctx.db, alert.log_index, MAX_FAILURES),
    ]))
  const [accounts, channels, failures] = foundRows ?? [null, [], []]
  if (!alert || !accounts) {
    const none = { entitled: 0, reached: 0, firstWay: toSeconds(null), opened: 0, verified: 0 }
    return { alert: null, ...none, stream: null, channels: [], failures: [] }
  }
  const { id, asset, priority, sent_ms, log_index } = alert
  const isRecorded = priority === 'critical' && ctx.clock.now().getTime() - Number(sent_ms) < STREAM_REACH_RETENTION_MS
  return {
    alert: { id, logIndex: Number(log_index), asset, priority, sentAt: toIso(sent_ms) },
    entitled: accounts.entitled,
    reached: accounts.reached,
    firstWay: toSeconds(accounts.first_way),
    opened: accounts.opened,
    verified: accounts.verified,
    stream: isRecorded ? { accounts: accounts.stream, ...toSeconds(accounts.stream_way) } : null,
    channels: channels.map(({ latencies, ...row }) => ({ ...row, ...toSeconds(latencies) })),
    failures,
  }
}

export const businessHealth: Handler<Endpoints['businessHealth']> = async (ctx) => {
  const now = ctx.clock.now()
  const from = new Date(now.getTime() - DAY_MS)
  const weekAgo = new Date(now.getTime() - 7 * DAY_MS)
  const [sources, overdueAnchors, anchoring, steps, hours, types, medianToAnchorMs] = await Promise.all([
    listSourceGaps(ctx, from),
    health.listOverdueAnchors(ctx.db, from, ANCHOR_OVERDUE_MS / 1_000),
    getAnchorState(ctx),
    health.countBySteps(ctx.db, from, now, HEALTH_STEP_MS / 1_000),
    health.countByHour(ctx.db, weekAgo),
    health.countByType(ctx.db, weekAgo, MAX_TYPES),
    readMedianToAnchor(ctx.db, from),
  ])
  const { oldestWaitingAt, anchoredSize, state } = anchoring
  const overdueFrom = oldestWaitingAt && new Date(oldestWaitingAt.getTime() + ANCHOR_OVERDUE_MS)
  const isOverdue = overdueFrom !== null && overdueFrom < now
  const anchors: Pick<SourceGaps, 'state' | 'gaps'> = {
    state: isOverdue || state === 'stopped' ? 'gap' : anchoredSize > 0 ? 'ok' : null,
    gaps: [
      ...overdueAnchors.map(({ from_ms, to_ms }) => ({ from: new Date(Number(from_ms)), to: new Date(Number(to_ms)) })),
      ...(isOverdue ? [{ from: overdueFrom, to: null }] : []),
    ],
  }
  return {
    asOf: now.toISOString(),
    from: from.toISOString(),
    bands: [...sources, { ...anchors, source: 'anchors' as const }].map(({ gaps, ...band }) => ({
      ...band,
      gaps: gaps.map((gap) => ({
        from: (gap.from < from ? from : gap.from).toISOString(),
        to: gap.to?.toISOString() ?? null,
      })),
    })),
    steps,
    hours,
    types,
    medianToAnchorMs,
  }
}

export const businessTreasury: Handler<Endpoints['businessTreasury']> = async (ctx) => {
  const [receivedSums, refunds] = await Promise.all([revenue.listReceived(ctx.db), sumRefundsByTerms(ctx.db)])
  return Promise.all(
    listChainContexts(ctx).map(async (chain) => {
      const { chainId, treasury } = chain.config.payment
      const ownSums = receivedSums.filter((row) => hasTerms(row, chain.config.payment))
      const sumOfKind = (kind: revenue.TreasuryRow['kind']) => sumRows(ownSums.filter((row) => row.kind === kind))
      return {
        chainId,
        chainName: getChain(chainId).name,
        treasury,
        credited: sumOfKind('credited'),
        unmatched: sumOfKind('unmatched'),
        resolved: sumOfKind('resolved'),
        refunded: sumRows(refunds.filter((row) => hasTerms(row, chain.config.payment))),
        former: sumRows(receivedSums.filter((row) => row.chain_id === chainId && !ownSums.includes(row))),
        balanceWei: (await readBalance(chain))?.toString() ?? null,
      }
    }),
  )
}

/** True if the transfers were made with the configured token and treasury of the chain. */
function hasTerms(row: TermsSum, { chainId, token, treasury }: PaymentTerms): boolean {
  const isSame = (recorded: string, configured: Address) =>
    recorded === '' || recorded.toLowerCase() === configured.toLowerCase()
  return row.chain_id === chainId && isSame(row.token, token) && isSame(row.treasury, treasury)
}

function sumRows(rows: readonly TermsSum[]): { count: number; sumWei: string } {
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    sumWei: rows.reduce((sum, { sum_wei }) => sum + BigInt(sum_wei), 0n).toString(),
  }
}

/** Returns null if the chain cannot be read in time. */
function readBalance(ctx: Context): Promise<bigint | null> {
  const { token, treasury } = ctx.config.payment
  const call = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [treasury] } as const
  const balance = callPaymentChain(ctx, () => ctx.paymentChain.readContract(call))
  return withChainDeadline(balance, BALANCE_TIMEOUT_MS)
}

export const saveRate: Handler<Endpoints['saveRate']> = async (ctx, input) => {
  const { rate } = input.body
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await saveSetting(tx, RATE_SETTING, { rate }, at)
    await recordAudit(tx, {
      ...getAuditActor(input),
      action: 'rate_changed',
      subject: RATE_SETTING,
      detail: rate ?? { currency: null, perIto: null },
      at,
    })
  })
  return { success: true, message: rate === null ? 'The rate is removed.' : 'The rate is saved.' }
}
