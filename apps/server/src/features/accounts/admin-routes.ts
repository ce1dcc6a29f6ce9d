import type { endpoints } from '@tocsin/protocol'
import { auditorOf, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { type CsvField, formatCsv } from '../../http/csv.ts'
import { type Handler, type Input, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findResetDueAt } from '../factors/reset.ts'
import { listFactorMethods } from '../sessions/second-factor.ts'
import { presentExtension, presentPayment, presentPeriod, presentSession, presentUser } from './admin-present.ts'
import * as service from './admin-service.ts'
import * as store from './admin-store.ts'

type Endpoints = typeof endpoints

export const listUsers: Handler<Endpoints['listUsers']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const page = { afterId: cursor && isUuid(cursor) ? cursor : undefined, limit }
  return loadUsers(ctx, selection, page)
}

async function loadUsers(
  ctx: Context,
  selection: store.UserSelection,
  page: { afterId: string | undefined; limit: number },
) {
  const now = ctx.clock.now()
  const rows = await store.listUsers(ctx.db, selection, page, now)
  const ids = rows.map(({ id }) => id)
  const periods = await store.listOpenPeriods(ctx.db, ids, now)
  return rows.map((row) => presentUser(row, periods, now))
}

export const countUsers: Handler<Endpoints['countUsers']> = (ctx, { query }) =>
  store.countUsers(ctx.db, query, ctx.clock.now())

export const findUser: Handler<Endpoints['findUser']> = async (ctx, input) => {
  const { id } = input.params
  const user = isUuid(id) ? await store.findUser(ctx.db, id) : null
  if (!user) throw new Refusal('not_found', 'There is no such user.')
  const now = ctx.clock.now()
  const [open, methods, resetDueAt, sessions, subscriptions, extensions, payments] = await Promise.all([
    store.listOpenPeriods(ctx.db, [id], now),
    listFactorMethods(ctx.db, id),
    findResetDueAt(ctx.db, id),
    store.listSessions(ctx.db, id),
    store.listSubscriptions(ctx.db, id),
    store.listExtensions(ctx.db, id),
    signedIn(input).permissions.includes('payments.read') ? store.listPayments(ctx.db, id) : [],
  ])
  return {
    user: presentUser(user, open, now),
    suspensionReason: user.suspensionReason,
    secondFactors: { methods, resetDueAt: resetDueAt?.toISOString() ?? null },
    sessions: sessions.map(presentSession),
    subscriptions: subscriptions.map((row) => presentPeriod(row, now)),
    extensions: extensions.map(presentExtension),
    payments: payments.map(presentPayment),
  }
}

export const suspendUser: Handler<Endpoints['suspendUser']> = async (ctx, input) => {
  await service.suspendUser(ctx, actionOf(input))
  return done('The account is suspended and signed out everywhere.')
}

export const unsuspendUser: Handler<Endpoints['unsuspendUser']> = async (ctx, input) => {
  await service.unsuspendUser(ctx, actionOf(input))
  return done('The account can sign in again.')
}

export const changeRole: Handler<Endpoints['changeRole']> = async (ctx, input) => {
  const { role } = input.body
  const enrolmentCode = await service.changeRole(ctx, { ...actionOf(input), role })
  return { ...done(`The account has the role ${role} now, and was signed out everywhere.`), enrolmentCode }
}

export const endUserSessions: Handler<Endpoints['endUserSessions']> = async (ctx, input) => {
  const { permissions } = signedIn(input)
  const action = { by: auditorOf(input), permissions, accountId: input.params.id }
  const count = await service.endUserSessions(ctx, action)
  return done(count === 1 ? 'One session was ended.' : `${count} sessions were ended.`)
}

export const endUserSession: Handler<Endpoints['endUserSession']> = async (ctx, input) => {
  const { id, sessionId } = input.params
  const { permissions } = signedIn(input)
  await service.endUserSession(ctx, { by: auditorOf(input), permissions, accountId: id, sessionId })
  return done('The session was ended.')
}

const COLUMNS = [
  'id',
  'name',
  'email',
  'email_verified',
  'wallets',
  'role',
  'created_at',
  'suspended_at',
  'last_seen_at',
  'plan',
  'token_amount_wei',
  'starts_at',
  'ends_at',
  'transaction_hash',
]
const EXPORT_PAGE = 1_000

/** Streams all matching users page by page, so that no query grows with the list. */
export const exportUsers: Handler<Endpoints['exportUsers']> = async (ctx, input) => {
  const rows: CsvField[][] = []
  for (let afterId: string | undefined, isMore = true; isMore; ) {
    const users = await loadUsers(ctx, input.query, { afterId, limit: EXPORT_PAGE })
    for (const user of users) {
      const { activeSubscription: active } = user
      rows.push([
        user.id,
        user.name,
        user.email,
        user.emailVerified,
        user.wallets.join(' '),
        user.role,
        user.createdAt,
        user.suspendedAt,
        user.lastSeenAt,
        active?.planType ?? null,
        active?.tokenAmount ?? null,
        active?.startTime ?? null,
        active?.endTime ?? null,
        active?.transactionHash ?? null,
      ])
    }
    afterId = users.at(-1)?.id
    isMore = users.length === EXPORT_PAGE
  }
  const detail = { filter: input.query.filter, rows: rows.length }
  await recordAudit(ctx.db, {
    ...auditorOf(input),
    action: 'users_exported',
    subject: null,
    detail,
    at: ctx.clock.now(),
  })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-users.csv"')
  return formatCsv(COLUMNS, rows)
}

function actionOf(input: Input<Endpoints['suspendUser' | 'unsuspendUser' | 'changeRole']>): service.UserAction {
  const { permissions } = signedIn(input)
  return { by: auditorOf(input), permissions, accountId: input.params.id, reason: input.body.reason }
}

function done(message: string) {
  return { success: true, message }
}
