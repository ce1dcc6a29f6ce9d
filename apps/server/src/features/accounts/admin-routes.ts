import type { Readable } from 'node:stream'
import { type AdminUser, endpoints, type Permission, userCursor } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { CsvField } from '../../http/csv.ts'
import { streamCsv } from '../../http/csv-stream.ts'
import { parseCursor } from '../../http/cursor.ts'
import { readPages } from '../../http/read-pages.ts'
import { type Handler, type Input, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findResetDueAt } from '../factors/reset.ts'
import { listFactorMethods } from '../sessions/second-factor.ts'
import { listActiveSessions } from '../sessions/service.ts'
import { createStaffAction } from '../sessions/staff-action.ts'
import { presentExtension, presentPayment, presentPeriod, presentSession, presentUser } from './admin-present.ts'
import * as service from './admin-service.ts'
import * as store from './admin-store.ts'

type Endpoints = typeof endpoints

export const listUsers: Handler<Endpoints['listUsers']> = async (ctx, input) => {
  const { cursor, limit, sort, ...selection } = input.query
  const { permissions } = requireActor(input)
  if (sort === 'paid' && !permissions.includes('payments.read')) {
    throw new Refusal('permission_required', 'Your role cannot view payments.')
  }
  const now = ctx.clock.now()
  const offset = parseCursor(cursor) ?? 0
  // Read one account more than fits on the page, to know whether there is a next page.
  const most = limit + 1
  const rows =
    sort === 'newest'
      ? await store.listUsers(ctx.db, selection, { after: parseUserCursor(cursor), limit: most }, now)
      : await store.listSortedUsers(ctx.db, selection, { sort, offset, limit: most }, now)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length > limit && last) {
    const next = sort === 'newest' ? userCursor(last) : String(offset + limit)
    input.reply.header('link', `<${formatPageUrl({ ...input.query, cursor: next })}>; rel="next"`)
  }
  return presentUsers(ctx, page, permissions, now)
}

function formatPageUrl(query: Input<Endpoints['listUsers']>['query']): string {
  const parameters = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return `${endpoints.listUsers.path}?${new URLSearchParams(parameters)}`
}

/** Parses a `userCursor`. An invalid cursor means the first page. */
function parseUserCursor(cursor: string | undefined): store.UserCursor | undefined {
  const [, createdAt, id = ''] = /^(\d{1,14})\.(.+)$/.exec(cursor ?? '') ?? []
  return isUuid(id) ? { createdAt: new Date(Number(createdAt)), id } : undefined
}

async function presentUsers(
  ctx: Context,
  rows: store.UserRow[],
  permissions: readonly Permission[],
  now: Date,
): Promise<AdminUser[]> {
  const ids = rows.map(({ id }) => id)
  const [periods, paidSums] = await Promise.all([
    store.listOpenPeriods(ctx.db, ids, now),
    permissions.includes('payments.read') ? store.sumPaid(ctx.db, ids) : null,
  ])
  return rows.map((row) => presentUser(row, periods, paidSums, now))
}

export const countUsers: Handler<Endpoints['countUsers']> = (ctx, { query }) =>
  store.countUsers(ctx.db, query, ctx.clock.now())

export const findUser: Handler<Endpoints['findUser']> = async (ctx, input) => {
  const { id } = input.params
  const user = isUuid(id) ? await store.findUser(ctx.db, id) : null
  if (!user) throw new Refusal('not_found', 'User not found.')
  const now = ctx.clock.now()
  const { permissions } = requireActor(input)
  const showsPayments = permissions.includes('payments.read')
  const [[presented], methods, resetDueAt, sessions, subscriptions, extensions, payments] = await Promise.all([
    presentUsers(ctx, [user], permissions, now),
    listFactorMethods(ctx.db, id),
    findResetDueAt(ctx.db, id),
    listActiveSessions(ctx.db, user, now),
    store.listSubscriptions(ctx.db, id),
    permissions.includes('audit.read') ? store.listExtensions(ctx.db, id) : [],
    showsPayments ? store.listPayments(ctx.db, id) : [],
  ])
  if (!presented) throw new Error('The user was not presented')
  return {
    user: presented,
    suspensionReason: user.suspensionReason,
    secondFactors: { methods, resetDueAt: resetDueAt?.toISOString() ?? null },
    sessions: sessions.map(presentSession),
    subscriptions: subscriptions.map((row) => presentPeriod(row, now, showsPayments)),
    extensions: extensions.map(presentExtension),
    payments: payments.map(presentPayment),
  }
}

export const suspendUser: Handler<Endpoints['suspendUser']> = async (ctx, input) => {
  await service.suspendUser(ctx, createUserAction(input))
  return createSuccessResponse('The account is suspended and signed out everywhere.')
}

export const unsuspendUser: Handler<Endpoints['unsuspendUser']> = async (ctx, input) => {
  await service.unsuspendUser(ctx, createUserAction(input))
  return createSuccessResponse('The account can sign in again.')
}

export const changeRole: Handler<Endpoints['changeRole']> = async (ctx, input) => {
  const { role } = input.body
  const { enrolmentCode, kept } = await service.changeRole(ctx, { ...createUserAction(input), role })
  const otherMethodsText =
    kept.length === 0
      ? ''
      : ` It can also sign in with ${kept.join(', ')}. Check that these belong to the owner of the account.`
  return {
    ...createSuccessResponse(`The account now has the role ${role} and was signed out everywhere.${otherMethodsText}`),
    enrolmentCode,
  }
}

export const endUserSessions: Handler<Endpoints['endUserSessions']> = async (ctx, input) => {
  const count = await service.endUserSessions(ctx, createStaffAction(input))
  return createSuccessResponse(count === 1 ? 'One session was ended.' : `${count} sessions were ended.`)
}

export const endUserSession: Handler<Endpoints['endUserSession']> = async (ctx, input) => {
  await service.endUserSession(ctx, { ...createStaffAction(input), sessionId: input.params.sessionId })
  return createSuccessResponse('The session was ended.')
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
  'paid_wei',
  'plan',
  'token_amount_wei',
  'starts_at',
  'ends_at',
  'transaction_hash',
]

/**
 * Streams all matching users. Writes the audit entry before the first row, because a client may
 * disconnect before the last one.
 */
export async function exportUsers(ctx: Context, input: Input<Endpoints['exportUsers']>): Promise<Readable> {
  const detail = { filter: input.query.filter }
  await recordAudit(ctx.db, {
    ...getAuditActor(input),
    action: 'users_exported',
    subject: null,
    detail,
    at: ctx.clock.now(),
  })
  input.reply.header('content-disposition', 'attachment; filename="tocsin-users.csv"')
  return streamCsv(COLUMNS, listPages(ctx, input.query, requireActor(input).permissions))
}

async function* listPages(
  ctx: Context,
  selection: store.UserSelection,
  permissions: readonly Permission[],
): AsyncGenerator<CsvField[][]> {
  const now = ctx.clock.now()
  const pages = readPages<store.UserRow>((after, limit) => store.listUsers(ctx.db, selection, { after, limit }, now))
  for await (const page of pages) yield (await presentUsers(ctx, page, permissions, now)).map(toLine)
}

function toLine({ activeSubscription: active, ...user }: AdminUser): CsvField[] {
  return [
    user.id,
    user.name,
    user.email,
    user.emailVerified,
    user.wallets.join(' '),
    user.role,
    user.createdAt,
    user.suspendedAt,
    user.lastSeenAt,
    user.paidWei,
    active?.planType ?? null,
    active?.tokenAmount ?? null,
    active?.startTime ?? null,
    active?.endTime ?? null,
    active?.transactionHash ?? null,
  ]
}

function createUserAction(input: Input<Endpoints['suspendUser' | 'unsuspendUser' | 'changeRole']>): service.UserAction {
  return { ...createStaffAction(input), reason: input.body.reason }
}

function createSuccessResponse(message: string) {
  return { success: true, message }
}
