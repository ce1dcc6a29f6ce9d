import type { endpoints, ListedPayment } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import { type CsvField, formatCsv } from '../../http/csv.ts'
import { createPage } from '../../http/cursor.ts'
import { readPages } from '../../http/read-pages.ts'
import type { Handler } from '../../http/route.ts'
import { formatCursor, parseCursor } from './order-service.ts'
import { listPayments as list, type PaymentListRow } from './payment-list-store.ts'

type Endpoints = typeof endpoints

export const listPayments: Handler<Endpoints['listPayments']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const rows = await list(ctx.db, selection, parseCursor(cursor), limit + 1)
  const { items, nextCursor } = createPage(rows, limit, ({ at, id }) => formatCursor({ createdAt: at, id }))
  return { items: items.map(presentPayment), nextCursor }
}

function presentPayment(row: PaymentListRow): ListedPayment {
  return {
    id: row.id,
    state: row.state,
    chainId: row.chain_id,
    transactionHash: row.tx_hash,
    payer: row.payer,
    tokenAmount: row.amount_wei,
    at: row.at,
    planType: row.plan_id,
    orderId: row.order_id,
    account:
      row.account_id === null || row.account_name === null
        ? null
        : { id: row.account_id, name: row.account_name, email: row.account_email },
    refunds: row.refunds,
  }
}

const COLUMNS = [
  'id',
  'state',
  'at',
  'chain_id',
  'transaction_hash',
  'payer',
  'amount_wei',
  'plan',
  'order_id',
  'account_id',
  'account_name',
  'account_email',
  'refunds',
]

export const exportPayments: Handler<Endpoints['exportPayments']> = async (ctx, input) => {
  const pages = readPages<PaymentListRow>((last, limit) =>
    list(ctx.db, input.query, last && { at: new Date(last.at), id: last.id }, limit),
  )
  const rows: CsvField[][] = []
  for await (const page of pages) rows.push(...page.map(toLine))
  await recordAudit(ctx.db, {
    ...getAuditActor(input),
    action: 'payments_exported',
    subject: null,
    detail: { state: input.query.state ?? 'all', rows: rows.length },
    at: ctx.clock.now(),
  })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-payments.csv"')
  return formatCsv(COLUMNS, rows)
}

function toLine(row: PaymentListRow): CsvField[] {
  return [
    row.id,
    row.state,
    row.at,
    row.chain_id,
    row.tx_hash,
    row.payer,
    row.amount_wei,
    row.plan_id,
    row.order_id,
    row.account_id,
    row.account_name,
    row.account_email,
    row.refunds.map(({ transactionHash }) => transactionHash).join(' '),
  ]
}
