import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { findRecipients } from './recipients.ts'
import { send } from './send.ts'
import * as store from './store.ts'

const RETRY_MS = 60_000

/**
 * Tells the owner of a failing destination through another one, besides mail and page. The row
 * keeps its notices until they are sent, one a line.
 */
export async function leaveNotice(tx: Tx, about: store.Destination, text: string, at: Date): Promise<void> {
  const others = await store.lockInStates(tx, about.accountId, ['on'])
  const healthy = others.find(({ id, failingSince }) => id !== about.id && failingSince === null)
  if (!healthy) return
  // The time makes it differ from earlier notices.
  const line = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${text.replaceAll('\n', ' ')}`
  await store.updateDestination(tx, healthy.id, { notice: [healthy.notice, line].filter(Boolean).join('\n') })
}

/** Sends the first notice that a destination keeps. A failed one is tried again without an end. */
export async function sendNotice(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId } = destination
  const [notice = ''] = destination.notice?.split('\n') ?? []
  if (notice === '' || !(await findRecipients(ctx, [accountId])).has(accountId)) return dropNotice(ctx, id, notice)
  const link = `${ctx.config.http.publicUrl}/settings/channels`
  const outgoing = {
    // The same for each attempt.
    id: `msg_${id}_notice_${createHash('sha256').update(notice).digest('hex').slice(0, 16)}`,
    type: 'channel.notice',
    data: { text: notice },
    message: { text: notice, link },
  }
  const { reading } = await send(ctx, destination, outgoing, { signal })
  if (reading.result !== 'retry') return dropNotice(ctx, id, notice)
  const waitMs = Math.max(RETRY_MS, reading.retryAfterMs ?? 0)
  await store.updateDestination(ctx.db, id, { notBefore: new Date(ctx.clock.now().getTime() + waitMs) })
}

/** Later notices are kept. */
async function dropNotice(ctx: Context, id: string, sent: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, id)
    const [first, ...later] = destination?.notice?.split('\n') ?? []
    if (first === sent) await store.updateDestination(tx, id, { notice: later.join('\n') || null })
  })
}
