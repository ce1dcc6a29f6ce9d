import { type endpoints, getChain, saveRateRequest } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { parseAbi } from 'viem'
import { auditorOf, recordAudit } from '../../audit-log.ts'
import { configuredContexts } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import type { Handler } from '../../http/route.ts'
import { listRefunded } from '../payments/refund-store.ts'
import * as customers from './customer-store.ts'
import { cohortsOf, dayStart, daysOf, weekStart, weeksOf } from './periods.ts'
import * as reach from './reach-store.ts'
import * as revenue from './revenue-store.ts'

type Endpoints = typeof endpoints

const RATE_SETTING = 'business.ito_rate'
const CHART_DAYS = 30
const FUNNEL_WEEKS = 6
const LISTED_ENDING = 20
const BALANCE_TIMEOUT_MS = 3_000

export const businessRevenue: Handler<Endpoints['businessRevenue']> = async (ctx) => {
  const now = ctx.clock.now()
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const today = dayStart(now)
  const firstDay = new Date(today.getTime() - (CHART_DAYS - 1) * DAY_MS)
  const periods = {
    yesterday: { from: new Date(today.getTime() - DAY_MS), to: today },
    today: { from: today, to: now },
    last7: { from: before(7), to: now },
    before7: { from: before(14), to: before(7) },
    last30: { from: before(30), to: now },
    before30: { from: before(60), to: before(30) },
  }
  const [{ counts, sums }, allTime, since, parts, saved] = await Promise.all([
    revenue.sumPayments(ctx.db, Object.values(periods)),
    revenue.sumAllPayments(ctx.db, now),
    revenue.findFirstPaymentAt(ctx.db),
    revenue.listDayParts(ctx.db, firstDay),
    findSetting(ctx.db, RATE_SETTING),
  ])
  const sumOf = (name: keyof typeof periods) => {
    const at = Object.keys(periods).indexOf(name)
    return { count: counts[at] ?? 0, sumWei: sums[at] ?? '0' }
  }
  const { rate } = saveRateRequest.parse(saved?.value ?? { rate: null })
  return {
    asOf: now.toISOString(),
    yesterday: sumOf('yesterday'),
    today: sumOf('today'),
    last7: sumOf('last7'),
    before7: sumOf('before7'),
    last30: sumOf('last30'),
    before30: sumOf('before30'),
    allTime,
    since: since?.toISOString() ?? null,
    days: daysOf(firstDay, CHART_DAYS).map((day) => ({
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
    rate: rate && saved ? { ...rate, setAt: saved.updatedAt.toISOString() } : null,
  }
}

export const businessCustomers: Handler<Endpoints['businessCustomers']> = async (ctx) => {
  const now = ctx.clock.now()
  const first = new Date(weekStart(now).getTime() - (FUNNEL_WEEKS - 1) * 7 * DAY_MS)
  const in24h = new Date(now.getTime() + DAY_MS)
  const [steps, paying, totals, ending] = await Promise.all([
    customers.countFunnel(ctx.db, first),
    customers.listPaying(ctx.db, first),
    customers.countTotals(ctx.db, now, new Date(now.getTime() - 30 * DAY_MS), new Date(now.getTime() - 7 * DAY_MS)),
    customers.listEnding(ctx.db, now, in24h, LISTED_ENDING),
  ])
  return {
    asOf: now.toISOString(),
    weeks: weeksOf(first, FUNNEL_WEEKS, steps, paying),
    cohorts: cohortsOf(first, FUNNEL_WEEKS, paying),
    churn: { hadPlan: totals.had_plan, lost: totals.lost },
    paying30: { accounts: totals.paying, sumWei: totals.paying_wei },
    renewals7: totals.renewals,
    activePlans: totals.active,
    ending: {
      count: ending[0]?.total ?? 0,
      accounts: ending.map((row) => ({
        id: row.id,
        name: row.name,
        email: row.email,
        planType: row.plan_id,
        endsAt: isoOf(row.ends_ms),
        payments: row.payments,
        lastSeenAt: row.seen_ms === null ? null : isoOf(row.seen_ms),
      })),
    },
  }
}

const isoOf = (ms: string) => new Date(Number(ms)).toISOString()

export const businessReach: Handler<Endpoints['businessReach']> = async (ctx, { query }) => {
  const alert = await reach.findReachedAlert(ctx.db, query.index)
  if (!alert) return { alert: null, entitled: 0, opened: 0, channels: [] }
  const [readers, channels] = await Promise.all([
    reach.countReaders(ctx.db, alert),
    reach.listChannelReach(ctx.db, alert.log_index),
  ])
  const { id, asset, priority } = alert
  return {
    alert: { id, logIndex: Number(alert.log_index), asset, priority, createdAt: isoOf(alert.created_ms) },
    ...readers,
    channels: channels.map(({ p50, p99, ...row }) => ({ ...row, p50Seconds: p50, p99Seconds: p99 })),
  }
}

export const businessTreasury: Handler<Endpoints['businessTreasury']> = async (ctx) => {
  const [received, refunds] = await Promise.all([revenue.listReceived(ctx.db), listRefunded(ctx.db)])
  const zero = { count: 0, sumWei: '0' }
  const refundedOn = (chainId: number) => {
    const row = refunds.find((one) => one.chain_id === chainId)
    return row ? { count: row.count, sumWei: row.sum_wei } : zero
  }
  return Promise.all(
    configuredContexts(ctx).map(async (chain) => {
      const { chainId, treasury } = chain.config.payment
      const of = (kind: revenue.TreasuryRow['kind']) => {
        const row = received.find((one) => one.chain_id === chainId && one.kind === kind)
        return row ? { count: row.count, sumWei: row.sum_wei } : zero
      }
      return {
        chainId,
        chainName: getChain(chainId).name,
        treasury,
        credited: of('credited'),
        unmatched: of('unmatched'),
        resolved: of('resolved'),
        refunded: refundedOn(chainId),
        balanceWei: (await readBalance(chain))?.toString() ?? null,
      }
    }),
  )
}

const tokenAbi = parseAbi(['function balanceOf(address owner) view returns (uint256)'])

/** Null if the chain cannot be read in time. */
async function readBalance({ config, paymentChain, logger }: Context): Promise<bigint | null> {
  const { token, treasury } = config.payment
  const read = paymentChain
    .readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [treasury] })
    .catch((error: unknown) => {
      logger.debug({ err: error }, 'the balance of the treasury cannot be read')
      return null
    })
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, BALANCE_TIMEOUT_MS, null).unref())
  return Promise.race([read, timeout])
}

export const saveRate: Handler<Endpoints['saveRate']> = async (ctx, input) => {
  const { rate } = input.body
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await saveSetting(tx, RATE_SETTING, { rate }, at)
    await recordAudit(tx, {
      ...auditorOf(input),
      action: 'rate_changed',
      subject: RATE_SETTING,
      detail: rate ?? { currency: null, perIto: null },
      at,
    })
  })
  return { success: true, message: rate === null ? 'The rate is removed.' : 'The rate is saved.' }
}
