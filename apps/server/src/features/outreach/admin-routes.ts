import type { AdminAnnouncement, AdminMessage, endpoints } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import { createPage } from '../../http/cursor.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { createNewsToken } from '../channels/message-links.ts'
import { announcementStateAt } from './announcement.ts'
import { createMessageMail, formatText } from './message-mail.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

export const listAnnouncements: Handler<Endpoints['listAnnouncements']> = async (ctx, { query }) => {
  const rows = await store.listAnnouncements(ctx.db, query.cursor, query.limit + 1)
  const { items, nextCursor } = createPage(rows, query.limit, (row) => row.announcement.id)
  return { items: items.map((row) => presentAnnouncement(row, ctx.clock.now())), nextCursor }
}

export const createAnnouncement: Handler<Endpoints['createAnnouncement']> = async (ctx, input) => {
  const { text, audience, onPublicPages, from, until } = input.body
  const at = ctx.clock.now()
  const startsAt = from === undefined ? at : new Date(from)
  const endsAt = new Date(until)
  if (endsAt <= startsAt || endsAt <= at) {
    throw new Refusal('malformed', 'The announcement must end after it begins, and in the future.')
  }
  const by = getAuditActor(input)
  return ctx.db.transaction(async (tx) => {
    const row = { text, audience, onPublicPages, startsAt, endsAt, createdAt: at, createdBy: by.actorId }
    const announcement = await store.insertAnnouncement(tx, row)
    const detail = { text, audience, from: startsAt.toISOString(), until }
    await recordAudit(tx, { ...by, action: 'announcement_created', subject: announcement.id, detail, at })
    return presentAnnouncement({ announcement, creatorName: input.actor?.name ?? null }, at)
  })
}

export const endAnnouncement: Handler<Endpoints['endAnnouncement']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const endedAnnouncement = isUuid(id) ? await store.endAnnouncement(tx, id, at) : null
    if (!endedAnnouncement) throw new Refusal('not_found', 'Announcement not found, or it has ended.')
    const detail = { text: endedAnnouncement.text }
    await recordAudit(tx, { ...getAuditActor(input), action: 'announcement_ended', subject: id, detail, at })
  })
  return { success: true, message: 'The announcement is no longer shown.' }
}

export const previewMessage: Handler<Endpoints['previewMessage']> = async (ctx, { body, actor }) => {
  const to = actor?.email ?? ''
  const preview = body.via === 'mail' ? createMessageMail(ctx, to, body).text : formatText(body)
  return {
    count: await store.countRecipients(ctx.db, body, ctx.clock.now()),
    // The preview must not contain a working token that could be copied.
    preview: preview.replaceAll(createNewsToken(ctx.config, to), '…'),
  }
}

export const listMessages: Handler<Endpoints['listMessages']> = async (ctx, { query }) => {
  const [rows, unsubscribedCount] = await Promise.all([
    store.listMessages(ctx.db, query.cursor, query.limit + 1),
    store.countSuppressed(ctx.db),
  ])
  const { items, nextCursor } = createPage(rows, query.limit, (row) => row.message.id)
  return { items: items.map(presentMessage), nextCursor, unsubscribed: unsubscribedCount }
}

export const createMessage: Handler<Endpoints['createMessage']> = async (ctx, input) => {
  const { count, ...content } = input.body
  const at = ctx.clock.now()
  const by = getAuditActor(input)
  return ctx.db.transaction(async (tx) => {
    const { id, total } = await store.insertMessage(tx, { ...content, createdAt: at, createdBy: by.actorId })
    if (total !== count) {
      throw new Refusal('segment_changed', `The segment now has ${total} accounts, not ${count}. Preview it again.`, {
        count: total,
      })
    }
    const { kind, ...condition } = content.segment
    const detail = { via: content.via, kind: content.kind, segment: kind, ...condition, accounts: total }
    await recordAudit(tx, { ...by, action: 'message_sent', subject: id, detail, at })
    const createdMessage = await store.findMessage(tx, id)
    if (!createdMessage) throw new Error('The message was not stored')
    return presentMessage(createdMessage)
  })
}

export const cancelMessage: Handler<Endpoints['cancelMessage']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    if (!isUuid(id) || !(await store.findMessage(tx, id))) throw new Refusal('not_found', 'Message not found.')
    if (!(await store.cancelMessage(tx, id, at))) throw new Refusal('already_resolved', 'The message has ended.')
    await recordAudit(tx, { ...getAuditActor(input), action: 'message_cancelled', subject: id, at })
  })
  return { success: true, message: 'No further accounts get the message.' }
}

function presentAnnouncement({ announcement, creatorName }: store.ListedAnnouncement, now: Date): AdminAnnouncement {
  const { id, text, audience, onPublicPages, startsAt, endsAt, createdAt } = announcement
  return {
    id,
    text,
    audience,
    onPublicPages,
    state: announcementStateAt(announcement, now),
    from: startsAt.toISOString(),
    until: endsAt.toISOString(),
    createdAt: createdAt.toISOString(),
    createdBy: creatorName,
  }
}

function presentMessage({ message, creatorName, sent, skipped }: store.ListedMessage): AdminMessage {
  const { id, via, kind, segment, subject, text, total, createdAt, endedAt, isCancelled } = message
  return {
    id,
    via,
    kind,
    segment,
    subject,
    text,
    state: isCancelled ? 'cancelled' : endedAt ? 'done' : 'running',
    total,
    sent,
    skipped,
    createdAt: createdAt.toISOString(),
    createdBy: creatorName,
    endedAt: endedAt?.toISOString() ?? null,
  }
}
