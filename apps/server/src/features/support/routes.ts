import type { endpoints } from '@tocsin/protocol'
import { networkOf } from '../../http/network.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { NetworkShare } from './network-share.ts'
import * as store from './store.ts'
import { supportMail } from './support-mail.ts'

const HOUR_MS = 3_600_000
/** Of one email address, and of one account. */
const PER_SENDER_AND_HOUR = 5
/** Without a session. Bounds the mailbox, however many networks write. */
const ANONYMOUS_PER_HOUR = 1_000
/** From here on, networks that have not written in this hour go first. */
const BUSY_PER_HOUR = 100
const PER_NETWORK = { usual: 5, whenBusy: 1 }

/**
 * Keeps the message and mails it to the operator, who finds it in the table even if no mail can be sent. Accounts have their
 * own limit, and no few networks can use up the places of all others.
 */
export function createContactSupport(): Handler<(typeof endpoints)['contactSupport']> {
  const share = new NetworkShare(HOUR_MS)
  return async (ctx, { body, actor, request }) => {
    const accountId = actor?.accountId ?? null
    const written = { ...body, category: body.category ?? null, accountId }
    const at = ctx.clock.now()
    const since = new Date(at.getTime() - HOUR_MS)
    const { supportEmail } = ctx.config.mail
    await ctx.db.transaction(async (tx) => {
      await store.lockMessages(tx)
      if (accountId !== null) {
        assertBelow(await store.countMessagesOfAccount(tx, accountId, since), PER_SENDER_AND_HOUR)
      } else {
        assertBelow(await store.countMessagesOf(tx, body.email, since), PER_SENDER_AND_HOUR)
        const all = await store.countAnonymousMessages(tx, since)
        assertBelow(all, ANONYMOUS_PER_HOUR)
        const allowed = all < BUSY_PER_HOUR ? PER_NETWORK.usual : PER_NETWORK.whenBusy
        if (!share.take(networkOf(request.ip), allowed, at)) throw tooMany()
      }
      await store.insertMessage(tx, { ...written, at })
      if (supportEmail) await ctx.sendMail(tx, supportMail(supportEmail, written))
    })
    return { success: true, message: 'We have received your message and will answer by email.' }
  }
}

function assertBelow(count: number, limit: number): void {
  if (count >= limit) throw tooMany()
}

function tooMany(): Refusal {
  return new Refusal('too_many_requests', 'Too many messages in an hour. Please try again later.', {
    retryAfterSeconds: HOUR_MS / 1000,
  })
}
