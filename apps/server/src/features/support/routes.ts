import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import * as store from './store.ts'
import { supportMail } from './support-mail.ts'

const HOUR_MS = 3_600_000
const PER_ADDRESS_AND_HOUR = 5
const PER_HOUR = 100

/** Keeps the message and mails it to the operator, who finds it in the table even if no mail can be sent. */
export const contactSupport: Handler<(typeof endpoints)['contactSupport']> = async (ctx, { body, actor }) => {
  const written = { ...body, category: body.category ?? null, accountId: actor?.accountId ?? null }
  const at = ctx.clock.now()
  const since = new Date(at.getTime() - HOUR_MS)
  const { supportEmail } = ctx.config.mail
  await ctx.db.transaction(async (tx) => {
    await store.lockMessages(tx)
    const ofAddress = await store.countMessagesOf(tx, body.email, since)
    if (ofAddress >= PER_ADDRESS_AND_HOUR || (await store.countMessages(tx, since)) >= PER_HOUR) {
      throw new Refusal('too_many_requests', 'Too many messages in an hour. Please try again later.', {
        retryAfterSeconds: HOUR_MS / 1000,
      })
    }
    await store.insertMessage(tx, { ...written, at })
    if (supportEmail) await ctx.sendMail(tx, supportMail(supportEmail, written))
  })
  return { success: true, message: 'We have received your message and will answer by email.' }
}
