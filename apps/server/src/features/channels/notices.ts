import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { pauseUntil } from './destination.ts'
import { unlimited } from './http-message.ts'
import { cleanText } from './kinds/message.ts'
import { findRecipients } from './recipients.ts'
import { send } from './send.ts'
import * as store from './store.ts'

const RETRY_MS = 60_000
/** Separates the notices of a row. It is no line break, because a notice may have several lines. */
const SEPARATOR = '\u001e'

/** Returns a text of staff as one notice, which `destinations.notice` can store. */
export const toNotice = (text: string) => text.replaceAll(SEPARATOR, ' ')

/**
 * Notifies the owner of a failing destination through another destination, in addition to the mail
 * and the notice on the page. The row of the other destination stores the notices until they are
 * sent.
 */
export async function addNotice(tx: Tx, about: store.Destination, text: string, at: Date): Promise<void> {
  // The time makes the text differ from earlier notices.
  await forwardNotice(tx, about, `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${cleanText(text)}`)
}

/**
 * Moves the unsent notices of `from`, and the new one, `added`, to another destination that is on.
 * @returns false if no other destination is on
 */
async function forwardNotice(tx: Tx, from: store.Destination, added: string | null): Promise<boolean> {
  // Read again, because this transaction may have added a notice.
  const unsent = (await store.lockDestination(tx, from.id))?.notice ?? null
  const others = await store.lockInStates(tx, from.accountId, ['on'])
  // Prefers a destination that works. If all others are failing, the notice waits at one of them
  // until it can be sent.
  const [other] = others
    .filter(({ id }) => id !== from.id)
    .sort((a, b) => (b.failingSince?.getTime() ?? Infinity) - (a.failingSince?.getTime() ?? Infinity) || 0)
  if (!other) return false
  await store.updateDestination(tx, from.id, { notice: null })
  const notice = [other.notice, unsent, added].filter((each) => each !== null).join(SEPARATOR)
  await store.updateDestination(tx, other.id, { notice: notice || null })
  return true
}

/**
 * Sends the first notice that a destination stores. Failed requests are retried without a limit.
 */
export async function sendNotice(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId } = destination
  const [notice = ''] = destination.notice?.split(SEPARATOR) ?? []
  if (notice === '' || !(await findRecipients(ctx, [accountId])).has(accountId)) return dropNotice(ctx, id, notice)
  const link = `${ctx.config.http.publicUrl}/settings/channels`
  const outgoing = {
    // The id is the same for each attempt.
    id: `msg_${id}_notice_${createHash('sha256').update(notice).digest('hex').slice(0, 16)}`,
    type: 'channel.notice',
    data: { text: notice },
    message: { text: notice, link },
  }
  const { classification } = await send(ctx, destination, outgoing, { ...unlimited, signal })
  const isGone = classification.result === 'gone'
  if (isGone && (await ctx.db.transaction((tx) => forwardNotice(tx, destination, null)))) return
  if (classification.result !== 'retry') return dropNotice(ctx, id, notice)
  const notBefore = pauseUntil(Math.max(RETRY_MS, classification.retryAfterMs ?? 0), ctx.clock.now())
  await store.updateDestination(ctx.db, id, { notBefore })
}

/** Removes a notice that was sent or cannot be sent, and leaves later ones in the row. */
async function dropNotice(ctx: Context, id: string, sent: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, id)
    const [first, ...later] = destination?.notice?.split(SEPARATOR) ?? []
    if (first === sent) await store.updateDestination(tx, id, { notice: later.join(SEPARATOR) || null })
  })
}
