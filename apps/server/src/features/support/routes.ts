import type { endpoints } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { getNetwork } from '../../http/network.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { NetworkQuota } from './network-quota.ts'
import * as store from './store.ts'
import { supportMail } from './support-mail.ts'
import { formatMailMessageId } from './support-message-mail.ts'

const MAX_PER_ACCOUNT_AND_HOUR = 5
/**
 * Maximum number of messages without a session from all networks in an hour. Limits the emails to
 * the operator's mailbox.
 */
const ANONYMOUS_PER_HOUR = 1_000
/**
 * Once this many messages without a session have arrived within an hour, each network may send only
 * one.
 */
const BUSY_FROM_PER_HOUR = 100
const MAX_PER_NETWORK = { normal: 5, whenBusy: 1 }

/**
 * Stores a message and then emails it to the operator, so that it is not lost if mail delivery
 * fails. Each account has its own limit, and a few networks cannot use up the quota of the
 * others. Messages are not limited by email address, because a stranger can enter the address of
 * another person.
 */
export function createContactSupport(): Handler<(typeof endpoints)['contactSupport']> {
  const quota = new NetworkQuota(HOUR_MS)
  return async (ctx, { body, actor, request }) => {
    const accountId = actor?.accountId ?? null
    const newMessage = { ...body, category: body.category ?? null, accountId }
    const at = ctx.clock.now()
    const since = new Date(at.getTime() - HOUR_MS)
    const { supportEmail } = ctx.config.mail
    const network = getNetwork(request.ip)
    let isCounted = false
    const storing = ctx.db.transaction(async (tx) => {
      await store.lockMessages(tx)
      if (accountId !== null) {
        assertBelow(await store.countMessagesOfAccount(tx, accountId, since), MAX_PER_ACCOUNT_AND_HOUR)
      } else {
        const anonymousCount = await store.countAnonymousMessages(tx, since)
        assertBelow(anonymousCount, ANONYMOUS_PER_HOUR)
        const maxFromNetwork = anonymousCount < BUSY_FROM_PER_HOUR ? MAX_PER_NETWORK.normal : MAX_PER_NETWORK.whenBusy
        isCounted = quota.consume(network, maxFromNetwork, at)
        if (!isCounted) throw tooMany()
      }
      const id = await store.insertMessage(tx, { ...newMessage, at })
      if (!supportEmail) return
      const headers = { 'Message-ID': formatMailMessageId(ctx, id) }
      await ctx.sendMail(tx, { ...supportMail(supportEmail, newMessage), headers })
    })
    await storing.catch((error: unknown) => {
      if (isCounted) quota.refund(network)
      throw error
    })
    return { success: true, message: 'We have received your message and will reply by email.' }
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
