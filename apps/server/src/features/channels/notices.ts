import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { formatTime } from '../../mail/compose.ts'
import { findHold } from './decide-destination.ts'
import { computePauseEnd, decideRetry } from './destination.ts'
import { noLimits } from './http-message.ts'
import { cleanText } from './kinds/message.ts'
import { findRecipients } from './recipients.ts'
import { send } from './send.ts'
import * as store from './store.ts'

/** Separates the notices of a row. Not a line break, because a notice may have several lines. */
const SEPARATOR = '\u001e'

/**
 * Removes the separator from a message of staff, so that `destinations.notice` stores it as one
 * notice.
 */
export const toNotice = (text: string) => text.replaceAll(SEPARATOR, ' ')

/**
 * Notifies the owner of a failing destination through another destination, in addition to the email
 * and the notice on the page. The row of the other destination stores the notices until they are
 * sent.
 */
export async function addNotice(tx: Tx, failingDestination: store.Destination, text: string, at: Date): Promise<void> {
  // The id of a notice is a hash of its text. The time prevents a repeated notice from getting the
  // id of an earlier one.
  await forwardNotice(tx, failingDestination, `${formatTime(at)}: ${cleanText(text)}`, at)
}

/**
 * Moves the unsent notices of `from`, and the new one, `addedNotice`, to another destination that
 * is on.
 * @returns false if no other destination is on
 */
async function forwardNotice(tx: Tx, from: store.Destination, addedNotice: string | null, now: Date): Promise<boolean> {
  // Read again, because this transaction may have added a notice.
  const accountDestinations = await store.lockAccountDestinations(tx, from.accountId)
  const unsentNotices = accountDestinations.find(({ id }) => id === from.id)?.notice ?? null
  // Prefers a destination that works, then one that is not muted and not in quiet hours. If all
  // others are failing, the notice waits at one of them until it can be sent.
  const isHeld = (one: store.Destination) => findHold(one, null, now) !== null
  const [receiver] = accountDestinations
    .filter(({ id, state }) => id !== from.id && state === 'on')
    .sort(
      (a, b) =>
        (b.failingSince?.getTime() ?? Infinity) - (a.failingSince?.getTime() ?? Infinity) ||
        Number(isHeld(a)) - Number(isHeld(b)),
    )
  if (!receiver) return false
  await store.updateDestination(tx, from.id, { notice: null })
  const notice = [receiver.notice, unsentNotices, addedNotice].filter((each) => each !== null).join(SEPARATOR)
  await store.updateDestination(tx, receiver.id, { notice: notice || null })
  return true
}

/** Failed attempts of a notice, and the time of the next one. */
interface Retry {
  notice: string
  attempts: number
  nextAt: Date
}
/**
 * Retries by destination. They are kept in memory, because `destinations.notBefore` would delay the
 * alerts of an endpoint that refuses only notices.
 */
export type NoticeRetries = Map<string, Retry>

const parseFirstNotice = ({ notice }: Pick<store.Destination, 'notice'>) => notice?.split(SEPARATOR)[0] ?? ''

function findRetry(retries: NoticeRetries, destination: Pick<store.Destination, 'id' | 'notice'>): Retry | null {
  const retry = retries.get(destination.id)
  return retry?.notice === parseFirstNotice(destination) ? retry : null
}

/** False while the first notice that is stored for the destination waits for its next attempt. */
export function isNoticeDue(
  retries: NoticeRetries,
  destination: Pick<store.Destination, 'id' | 'notice'>,
  now: Date,
): boolean {
  const retry = findRetry(retries, destination)
  return retry === null || retry.nextAt <= now
}

/**
 * Sends the first notice that a destination stores. A notice is dropped after as many attempts as a
 * delivery to a webhook gets.
 */
export async function sendNotice(
  ctx: Context,
  destination: store.Destination,
  signal: AbortSignal,
  retries: NoticeRetries,
): Promise<void> {
  const { id, accountId } = destination
  const notice = parseFirstNotice(destination)
  if (notice === '' || !(await findRecipients(ctx, [accountId])).has(accountId)) return dropNotice(ctx, id, notice)
  const link = `${ctx.config.http.publicUrl}/settings/channels`
  const outgoing = {
    // The id is the same for each attempt.
    id: `msg_${id}_notice_${createHash('sha256').update(notice).digest('hex').slice(0, 16)}`,
    type: 'channel.notice',
    data: { text: notice },
    message: { text: notice, link },
  }
  const { classification } = await send(ctx, destination, outgoing, { ...noLimits, signal })
  const now = ctx.clock.now()
  const attempts = (findRetry(retries, destination)?.attempts ?? 0) + 1
  const verdict = decideRetry(classification, attempts, 'patient', now, Math.random())
  if (verdict.state === 'waiting') {
    retries.set(id, { notice, attempts, nextAt: verdict.nextAt })
    const until = computePauseEnd(classification.retryAfterMs, now)
    if (until) await store.extendPause(ctx.db, id, until)
    return
  }
  retries.delete(id)
  const isGone = verdict.state === 'dead' && verdict.isGone
  if (isGone && (await ctx.db.transaction((tx) => forwardNotice(tx, destination, null, now)))) return
  await dropNotice(ctx, id, notice)
}

/** Removes a notice that was sent or cannot be sent, and leaves later ones in the row. */
async function dropNotice(ctx: Context, id: string, sentNotice: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, id)
    const [first, ...laterNotices] = destination?.notice?.split(SEPARATOR) ?? []
    if (first === sentNotice) await store.updateDestination(tx, id, { notice: laterNotices.join(SEPARATOR) || null })
  })
}
