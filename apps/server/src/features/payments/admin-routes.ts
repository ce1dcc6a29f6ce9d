import type { endpoints } from '@tocsin/protocol'
import { auditorOf, recordAudit } from '../../audit-log.ts'
import { listPaymentContexts } from '../../chain/payment-chains.ts'
import type { Handler } from '../../http/route.ts'
import { isUuid } from '../../uuid.ts'
import * as ledger from './ledger-store.ts'
import * as reconciliation from './reconciliation.ts'
import { presentUnmatched, resolveUnmatched } from './unmatched.ts'

type Endpoints = typeof endpoints

export const listUnmatchedPayments: Handler<Endpoints['listUnmatchedPayments']> = async (ctx, { query }) => {
  const { state, cursor, limit } = query
  const page = { afterId: cursor && isUuid(cursor) ? cursor : undefined, limit }
  const [rows, openCount] = await Promise.all([ledger.listUnmatched(ctx.db, state, page), ledger.countOpen(ctx.db)])
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { items: rows.map(presentUnmatched), nextCursor: last?.transfer.id ?? null, openCount }
}

const messages = {
  credit: 'The payment is credited.',
  refund_noted: 'The refund is noted: the payment can’t be credited any more.',
  ignore: 'The payment is marked as ignored.',
}

export const resolveUnmatchedPayment: Handler<Endpoints['resolveUnmatchedPayment']> = async (ctx, input) => {
  const { action, accountId, planId, reason } = input.body
  const resolve = { by: auditorOf(input), id: input.params.id, action, accountId, planId, reason }
  await resolveUnmatched(ctx, resolve)
  return { success: true, message: messages[action] }
}

export const findReconciliation: Handler<Endpoints['findReconciliation']> = async (ctx) => {
  const [chosen] = await listPaymentContexts(ctx)
  return reconciliation.findReconciliation(chosen)
}

/** The check can take long, so the response does not wait for it. */
export const startReconciliation: Handler<Endpoints['startReconciliation']> = async (ctx, input) => {
  const [chosen] = await listPaymentContexts(ctx)
  const { state } = await reconciliation.findReconciliation(chosen)
  if (state === 'running') return { success: true, message: 'A check is running already.' }
  const check = await reconciliation.startReconciliation(chosen)
  await recordAudit(ctx.db, {
    ...auditorOf(input),
    action: 'reconciliation_started',
    subject: null,
    at: ctx.clock.now(),
  })
  void check()
  return { success: true, message: 'The ledger is being checked against the chain.' }
}
