import type { Address, Hex } from '@tocsin/proof'
import type { PaymentState, PlanId } from '@tocsin/protocol'
import { type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem'
import type { Queryable } from '../../db/database.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'
import { isUuid } from '../../uuid.ts'
import type { PageCursor } from './order-store.ts'
import { isCredited } from './store.ts'

export interface PaymentSelection {
  search?: string | undefined
  state?: PaymentState | undefined
  plan?: PlanId | undefined
  chainId?: number | undefined
}

export interface PaymentListRow extends Record<string, unknown> {
  id: string
  state: PaymentState
  chain_id: number
  tx_hash: Hex
  payer: Address
  amount_wei: string
  /** ISO 8601, because the driver loses the milliseconds of a timestamp in a computed column. */
  at: string
  plan_id: PlanId | null
  order_id: string | null
  account_id: string | null
  account_name: string | null
  account_email: string | null
  refunds: { transactionHash: Hex; amountWei: string }[]
}

const TX_HASH = /^0x[0-9a-f]{64}$/i

/**
 * Returns a page of payments, newest first. The limit applies to each source before they are
 * merged, so that a page of a large table reads only as many rows as it shows.
 */
export async function listPayments(
  tx: Queryable,
  selection: PaymentSelection,
  before: PageCursor | undefined,
  limit: number,
): Promise<PaymentListRow[]> {
  const sourceQueries = listSources(selection).map(
    ({ columns, from, at, id, where }) => sql`(
      select ${columns}, ${at} as moment from ${from}
      where ${sql.join(
        [...where, ...(before ? [sql`(${at}, ${id}) < (${toTimestamp(before.at)}, ${before.id}::uuid)`] : [])],
        sql` and `,
      )}
      order by ${at} desc, ${id} desc limit ${limit})`,
  )
  const { rows } = await tx.execute<PaymentListRow>(sql`
    select listed.*, to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      a.name as account_name, a.email as account_email,
      (select coalesce(json_agg(json_build_object('transactionHash', r.tx_hash, 'amountWei', r.amount_wei::text)
        order by r.recorded_at, r.log_index), '[]') from refunds r where r.payment_id = listed.id) as refunds
    from (${sql.join(sourceQueries, sql` union all `)}) listed left join accounts a on a.id = listed.account_id
    order by moment desc, listed.id desc limit ${limit}`)
  return rows
}

interface Source {
  columns: SQL
  from: SQL
  at: SQL
  id: SQL
  where: SQL[]
}

/**
 * Returns the sources that can have payments of the selected state. Each rare state has an index of
 * its own.
 */
function listSources(selection: PaymentSelection): Source[] {
  const overpaidSources = [
    selectCreditedPayments(selection, sql`p.order_id is null and p.amount_wei > p.price_wei`),
    selectCreditedPayments(selection, sql`o.flags @> array['over']`),
  ]
  switch (selection.state) {
    case undefined:
      return [selectCreditedPayments(selection), selectUnmatchedTransfers(selection), selectPendingOrders(selection)]
    case 'pending':
      return [selectPendingOrders(selection)]
    case 'credited':
      return [selectCreditedPayments(selection)]
    case 'overpaid':
      return overpaidSources
    case 'refunded':
      return [...overpaidSources, selectUnmatchedTransfers(selection)]
    case 'reverted':
      return [selectCreditedPayments(selection, sql`p.reverted_at is not null`), selectUnmatchedTransfers(selection)]
    default:
      return [selectUnmatchedTransfers(selection)]
  }
}

/**
 * Selects credited payments.
 * @param subset a condition that an index covers. It is evaluated first. If few payments match, the
 *   planner would otherwise read all payments in the order of the page to find them.
 */
function selectCreditedPayments(selection: PaymentSelection, subset?: SQL): Source {
  const isOverpaid = sql`(case when p.order_id is null then p.amount_wei > p.price_wei else 'over' = any(o.flags) end)`
  const resolution = sql`(case when p.order_id is null then p.resolution else o.resolution end)`
  const state = sql`case when p.reverted_at is not null then 'reverted' when not ${isOverpaid} then 'credited'
    when ${resolution} is null then 'overpaid' when ${resolution} = 'refund_noted' then 'refunded' else 'credited' end`
  return {
    columns: sql`p.id, ${state} as state, p.chain_id, p.tx_hash, p.payer, p.amount_wei::text as amount_wei, p.plan_id,
      p.order_id, p.account_id`,
    from: subset
      ? sql`(select p.* from payments p left join orders o on o.id = p.order_id where ${subset} offset 0) p
          left join orders o on o.id = p.order_id`
      : sql`payments p left join orders o on o.id = p.order_id`,
    at: sql`p.block_at`,
    id: sql`p.id`,
    where: listConditions(selection, state, 'p'),
  }
}

/**
 * Selects transfers that were not credited. A transfer that was credited later is listed as its
 * payment, unless a reorganisation has replaced that payment by the transfer.
 */
function selectUnmatchedTransfers(selection: PaymentSelection): Source {
  const state = sql`case when t.reverted_at is not null then 'reverted' when t.resolved_at is null then 'unmatched'
    when t.resolution = 'refund_noted' then 'refunded' else 'ignored' end`
  return {
    columns: sql`t.id, ${state} as state, t.chain_id, t.tx_hash, t.payer, t.amount_wei::text as amount_wei, t.plan_id,
      t.order_id, t.account_id`,
    // A partial payment has the account and plan of its order.
    from: sql`(select unmatched_transfers.*, o.plan_id, o.account_id
      from unmatched_transfers left join orders o on o.id = unmatched_transfers.order_id where not ${isCredited}) t`,
    at: sql`t.block_at`,
    id: sql`t.id`,
    where: listConditions(selection, state, 't'),
  }
}

function selectPendingOrders(selection: PaymentSelection): Source {
  const state = sql`'pending'`
  return {
    columns: sql`o.id, ${state} as state, o.chain_id, o.tx_hash, o.payer, o.price_wei::text as amount_wei, o.plan_id,
      o.id as order_id, o.account_id`,
    from: sql`(select *, id as order_id from orders) o`,
    at: sql`o.created_at`,
    id: sql`o.id`,
    where: [
      sql`o.paid_at is null and o.tx_hash is not null and o.tx_state in ('seen', 'confirming', 'reorganised')`,
      ...listConditions(selection, state, 'o'),
    ],
  }
}

function listConditions({ search, state, plan, chainId }: PaymentSelection, stateOf: SQL, name: string): SQL[] {
  const column = (columnName: string) => sql.raw(`${name}.${columnName}`)
  return [
    sql`true`,
    ...(state ? [sql`${stateOf} = ${state}`] : []),
    ...(plan ? [sql`${column('plan_id')} = ${plan}`] : []),
    ...(chainId ? [sql`${column('chain_id')} = ${chainId}`] : []),
    ...(search ? [createSearchCondition(search, column)] : []),
  ]
}

function createSearchCondition(search: string, column: (of: string) => SQL): SQL {
  if (TX_HASH.test(search)) return sql`${column('tx_hash')} = ${search.toLowerCase()}`
  if (isUuid(search)) return sql`(${column('order_id')} = ${search} or ${column('account_id')} = ${search})`
  if (isAddress(search, { strict: false })) return sql`${column('payer')} = ${getAddress(search)}`
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  return sql`${column('account_id')} in (select id from accounts where search_text like lower(${pattern}))`
}
