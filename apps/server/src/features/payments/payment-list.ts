import type { endpoints, ListedPayment } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import { type CsvField, formatCsv } from '../../http/csv.ts'
import type { Handler } from '../../http/route.ts'
import { isUuid } from '../../uuid.ts'
import { listPayments as list, type PaymentListRow, type PaymentPosition } from './payment-list-store.ts'

type Endpoints = typeof endpoints

export const listPayments: Handler<Endpoints['listPayments']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const rows = await list(ctx.db, selection, parseCursor(cursor), limit + 1)
  const items = rows.slice(0, limit).map(presentPayment)
  const last = rows.length > limit ? items.at(-1) : undefined
  return { items, nextCursor: last ? `${last.at}_${last.id}` : null }
}

/** An invalid cursor means the first page. */
function parseCursor(cursor: string | undefined): PaymentPosition | null {
  const [time = '', id = ''] = cursor?.split('_') ?? []
  const at = new Date(time)
  return Number.isNaN(at.getTime()) || !isUuid(id) ? null : { at, id }
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
const EXPORT_PAGE = 1_000

/** Reads the payments page by page, which limits the size of each query. */
export const exportPayments: Handler<Endpoints['exportPayments']> = async (ctx, input) => {
  const rows: CsvField[][] = []
  for (let position: PaymentPosition | null = null, isMore = true; isMore; ) {
    const page: PaymentListRow[] = await list(ctx.db, input.query, position, EXPORT_PAGE)
    for (const row of page) {
      rows.push([
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
      ])
    }
    const lastRow = page.at(-1)
    position = lastRow ? { at: new Date(lastRow.at), id: lastRow.id } : null
    isMore = page.length === EXPORT_PAGE
  }
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
