import type { endpoints } from '@tocsin/protocol'
import { auditorOf, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Handler, Input } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { type CsvField, formatCsv } from './csv.ts'
import {
  type EntitlementAt,
  presentExtension,
  presentPayment,
  presentPeriod,
  presentSession,
  presentUser,
  type Shown,
} from './user-present.ts'
import * as service from './user-service.ts'
import * as store from './user-store.ts'

type Endpoints = typeof endpoints

export async function listUsers(ctx: Context, { query }: Input<Endpoints['listUsers']>, entitlementAt: EntitlementAt) {
  const { cursor, limit, ...selection } = query
  const page = { afterId: cursor && isUuid(cursor) ? cursor : undefined, limit }
  return loadUsers(ctx, selection, page, entitlementAt)
}

async function loadUsers(
  ctx: Context,
  selection: store.UserSelection,
  page: { afterId: string | undefined; limit: number },
  entitlementAt: EntitlementAt,
) {
  const shown: Shown = { now: ctx.clock.now(), entitlementAt }
  const rows = await store.listUsers(ctx.db, selection, page, shown.now)
  const ids = rows.map(({ id }) => id)
  const periods = await store.listOpenPeriods(ctx.db, ids, shown.now)
  return rows.map((row) => presentUser(row, periods, shown))
}

export const countUsers: Handler<Endpoints['countUsers']> = (ctx, { query }) =>
  store.countUsers(ctx.db, query, ctx.clock.now())

export async function findUser(
  ctx: Context,
  { params: { id } }: Input<Endpoints['findUser']>,
  deps: { entitlementAt: EntitlementAt; describeDevice(userAgent: string): string },
) {
  const user = isUuid(id) ? await store.findUser(ctx.db, id) : null
  if (!user) throw new Refusal('not_found', 'There is no such user.')
  const now = ctx.clock.now()
  const [open, sessions, subscriptions, extensions, payments] = await Promise.all([
    store.listOpenPeriods(ctx.db, [id], now),
    store.listSessions(ctx.db, id),
    store.listSubscriptions(ctx.db, id),
    store.listExtensions(ctx.db, id),
    store.listPayments(ctx.db, id),
  ])
  return {
    user: presentUser(user, open, { now, entitlementAt: deps.entitlementAt }),
    suspensionReason: user.suspensionReason,
    sessions: sessions.map((row) => presentSession(row, deps.describeDevice)),
    subscriptions: subscriptions.map((row) => presentPeriod(row, now)),
    extensions: extensions.map(presentExtension),
    payments: payments.map(presentPayment),
  }
}

export async function suspendUser(
  ctx: Context,
  input: Input<Endpoints['suspendUser']>,
  accounts: service.AccountLocks,
) {
  await service.suspendUser(ctx, accounts, actionOf(input))
  return done('The account is suspended and signed out everywhere.')
}

export const unsuspendUser: Handler<Endpoints['unsuspendUser']> = async (ctx, input) => {
  await service.unsuspendUser(ctx, actionOf(input))
  return done('The account can sign in again.')
}

export async function changeRole(ctx: Context, input: Input<Endpoints['changeRole']>, accounts: service.AccountLocks) {
  const { role } = input.body
  await service.changeRole(ctx, accounts, { ...actionOf(input), role })
  return done(role === 'admin' ? 'The account is an admin now.' : 'The account is a regular user now.')
}

export async function endUserSessions(
  ctx: Context,
  input: Input<Endpoints['endUserSessions']>,
  endSessions: service.AccountLocks['endSessions'],
) {
  const action = { by: auditorOf(input), accountId: input.params.id }
  const count = await service.endUserSessions(ctx, endSessions, action)
  return done(count === 1 ? 'One session was ended.' : `${count} sessions were ended.`)
}

export async function endUserSession(
  ctx: Context,
  input: Input<Endpoints['endUserSession']>,
  endSession: service.EndSession,
) {
  const { id, sessionId } = input.params
  await service.endUserSession(ctx, endSession, { by: auditorOf(input), accountId: id, sessionId })
  return done('The session was ended.')
}

const COLUMNS = [
  'id',
  'name',
  'email',
  'email_verified',
  'wallets',
  'admin',
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
export async function exportUsers(
  ctx: Context,
  input: Input<Endpoints['exportUsers']>,
  entitlementAt: EntitlementAt,
): Promise<string> {
  const rows: CsvField[][] = []
  for (let afterId: string | undefined, isMore = true; isMore; ) {
    const users = await loadUsers(ctx, input.query, { afterId, limit: EXPORT_PAGE }, entitlementAt)
    for (const user of users) {
      const { activeSubscription: active } = user
      rows.push([
        user.id,
        user.name,
        user.email,
        user.emailVerified,
        user.wallets.join(' '),
        user.isAdmin,
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
  return { by: auditorOf(input), accountId: input.params.id, reason: input.body.reason }
}

function done(message: string) {
  return { success: true, message }
}
