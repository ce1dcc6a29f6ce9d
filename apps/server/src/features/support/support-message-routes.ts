import type { endpoints, SupportMessage, SupportMessageDetail } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { createPage } from '../../http/cursor.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { findAccounts, isStillPermitted } from '../settings/admin-accounts.ts'
import { answerMail } from './support-message-mail.ts'
import * as store from './support-message-store.ts'

type Endpoints = typeof endpoints

export const listSupportMessages: Handler<Endpoints['listLetters']> = async (ctx, input) => {
  const { state, mine, account, search, cursor, limit } = input.query
  const assigneeId = mine === 'true' ? requireActor(input).accountId : undefined
  const [rows, openMessages] = await Promise.all([
    store.listSupportMessages(ctx.db, { state, assigneeId, accountId: account, search }, cursor, limit + 1),
    store.countOpen(ctx.db),
  ])
  const { items, nextCursor } = createPage(rows, limit, (row) => row.supportMessage.id)
  return {
    items: items.map(presentSupportMessage),
    nextCursor,
    openCount: openMessages.count,
    oldestOpenAt: openMessages.oldestAt?.toISOString() ?? null,
  }
}

export const findSupportMessage: Handler<Endpoints['findLetter']> = (ctx, { params }) =>
  loadSupportMessage(ctx, params.id)

export const replyToSupportMessage: Handler<Endpoints['answerLetter']> = async (ctx, input) => {
  const { text, state } = input.body
  const { accountId: authorId } = requireActor(input)
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const supportMessage = await lock(tx, id)
    const earlierAnswers = (await store.listReplies(tx, id)).filter(({ reply }) => reply.kind === 'answer')
    const answerId = await store.insertReply(tx, { letterId: id, kind: 'answer', text, at, authorId })
    await store.updateSupportMessage(tx, id, {
      state,
      ...(supportMessage.assigneeId === null ? { assigneeId: authorId } : {}),
    })
    const earlierIds = earlierAnswers.map(({ reply }) => reply.id)
    await ctx.sendMail(tx, answerMail(ctx, { supportMessage, answerId, earlierIds, text }))
    await recordMessageAudit(tx, input, 'letter_answered', { state }, at)
  })
  return loadSupportMessage(ctx, id)
}

export const noteSupportMessage: Handler<Endpoints['noteLetter']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lock(tx, id)
    const { text } = input.body
    await store.insertReply(tx, { letterId: id, kind: 'note', text, at, authorId: requireActor(input).accountId })
    await recordMessageAudit(tx, input, 'letter_noted', {}, at)
  })
  return loadSupportMessage(ctx, id)
}

export const changeSupportMessage: Handler<Endpoints['changeLetter']> = async (ctx, input) => {
  const { state, assigneeId } = input.body
  const { id } = input.params
  await ctx.db.transaction(async (tx) => {
    const supportMessage = await lock(tx, id)
    if (assigneeId) {
      const [assignee] = (await findAccounts(tx, [assigneeId])).values()
      if (!isStillPermitted(assignee, 'letters.answer')) {
        throw new Refusal('not_found', 'Support messages can be assigned only to staff who may reply to them.')
      }
    }
    const change = {
      ...(state === undefined || state === supportMessage.state ? {} : { state }),
      ...(assigneeId === undefined || assigneeId === supportMessage.assigneeId ? {} : { assigneeId }),
    }
    if (Object.keys(change).length === 0) return
    await store.updateSupportMessage(tx, id, change)
    await recordMessageAudit(tx, input, 'letter_changed', change, ctx.clock.now())
  })
  return loadSupportMessage(ctx, id)
}

async function lock(tx: Tx, id: number) {
  const supportMessage = await store.lockSupportMessage(tx, id)
  if (!supportMessage) throw createNotFoundRefusal()
  return supportMessage
}

const createNotFoundRefusal = () => new Refusal('not_found', 'Support message not found.')

function recordMessageAudit(
  tx: Tx,
  input: Parameters<typeof getAuditActor>[0] & { params: { id: number } },
  action: 'letter_answered' | 'letter_noted' | 'letter_changed',
  detail: Record<string, string | null>,
  at: Date,
): Promise<void> {
  return recordAudit(tx, { ...getAuditActor(input), action, subject: String(input.params.id), detail, at })
}

async function loadSupportMessage(ctx: Context, id: number): Promise<SupportMessageDetail> {
  const row = await store.findSupportMessage(ctx.db, id)
  if (!row) throw createNotFoundRefusal()
  const replies = await store.listReplies(ctx.db, id)
  return {
    ...presentSupportMessage(row),
    message: row.supportMessage.message,
    replies: replies.map(({ reply, authorName }) => ({
      id: reply.id,
      kind: reply.kind,
      text: reply.text,
      at: reply.at.toISOString(),
      author: authorName,
    })),
  }
}

function presentSupportMessage({
  supportMessage,
  account,
  assignee,
  answers,
  notes,
  repliedAt,
}: store.SupportMessageRow): SupportMessage {
  const { id, at, name, email, subject, category, state } = supportMessage
  return {
    id,
    at: at.toISOString(),
    name,
    email,
    subject,
    category,
    state,
    assignee,
    account,
    answers,
    notes,
    lastAt: (repliedAt ?? at).toISOString(),
  }
}
