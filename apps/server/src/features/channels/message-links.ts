import type { Context } from '../../context.ts'
import { hashEmail, insertSuppression, suppressCodes, suppressNews } from '../../mail/suppressions.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findAccount } from '../sessions/account-store.ts'
import { acknowledgeByMessage } from './acknowledge.ts'
import { toMailbox } from './outbound-quota.ts'
import { recordChange } from './record-change.ts'
import { createLinkToken, readLinkToken } from './signed-link.ts'
import * as store from './store.ts'

const createUnknownLinkRefusal = () => new Refusal('not_found', 'This link is not valid.')

/**
 * Creates the token of a link that unsubscribes an address from news. It contains the hash of the
 * address, so that it does not affect another address that the account has later.
 * @param email normalized address
 */
export function createNewsToken(config: Context['config'], email: string): string {
  // In hexadecimal digits, the token would exceed the 100 characters of a path parameter.
  return createLinkToken(config, 'messages', Buffer.from(hashEmail(email), 'hex').toString('base64url'))
}

/**
 * Stops the emails to an address, from a link in one of them (RFC 8058). A link in an email to a
 * destination stops all emails to it until it is confirmed again. A link in a news email stops such
 * news to its address for good. If the last code sent to the address was not used, the account that
 * requested it can send no further codes to the address. Idempotent.
 * @throws Refusal not_found
 */
export async function unsubscribe(ctx: Context, token: string): Promise<void> {
  const link = readLinkToken(ctx.config, 'unsubscribe', token)
  const newsLink = readLinkToken(ctx.config, 'messages', token)
  if (newsLink) return unsubscribeFromNews(ctx, newsLink.id)
  if (!link) throw createUnknownLinkRefusal()
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, link.id)
    if (destination?.kind !== 'email') return
    const { id, accountId, name, host, state, codeHash } = destination
    if (codeHash !== null) await suppressCodes(tx, { accountId, mailbox: toMailbox(host) }, ctx.clock.now())
    if (state === 'unconfirmed') return
    await store.updateDestination(tx, id, { state: 'unconfirmed', failingSince: null, notBefore: null, notice: null })
    await store.endQueuedDeliveries(tx, id, 'The reader has unsubscribed')
    const detail = `${name} unsubscribed by a link in a mail`
    const recordedChange = { destinationId: id, what: 'unsubscribed', detail, at: ctx.clock.now() }
    await recordChange(tx, { accountId, requestId: 'link of a mail' }, recordedChange)
  })
}

/**
 * Acknowledges the alert of a message.
 * @throws Refusal not_found
 */
export async function acknowledgeByLink(ctx: Context, token: string): Promise<void> {
  const link = readLinkToken(ctx.config, 'acknowledge', token)
  const destination = link ? (await store.readDestinations(ctx.db, [link.id])).get(link.id) : undefined
  if (!link || !destination || destination.state === 'gone') throw createUnknownLinkRefusal()
  if (!(await acknowledgeByMessage(ctx, destination.accountId, link.number))) throw createUnknownLinkRefusal()
}

/**
 * @param id the hash of the address (see `createNewsToken`), or the id of the account in emails of
 *   earlier versions
 */
async function unsubscribeFromNews(ctx: Context, id: string): Promise<void> {
  const at = ctx.clock.now()
  if (!isUuid(id)) return insertSuppression(ctx.db, Buffer.from(id, 'base64url').toString('hex'), at)
  await ctx.db.transaction(async (tx) => {
    const account = await findAccount(tx, id)
    if (account?.email) await suppressNews(tx, account.email, at)
  })
}
