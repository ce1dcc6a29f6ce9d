import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { findRecipients } from './recipients.ts'
import { send } from './send.ts'
import * as store from './store.ts'

const RETRY_MS = 60_000

/**
 * Tells the owner of a failing destination through another one, besides mail and page. The row
 * keeps the notice until it is sent.
 */
export async function leaveNotice(tx: Tx, about: store.Destination, text: string): Promise<void> {
  const others = await store.lockInStates(tx, about.accountId, ['on'])
  const healthy = others.find(({ id, failingSince }) => id !== about.id && failingSince === null)
  if (healthy) await store.updateDestination(tx, healthy.id, { notice: text })
}

/** Sends the notice that a destination keeps. A failed one is tried again without an end. */
export async function sendNotice(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId, notice } = destination
  if (notice === null || !(await findRecipients(ctx, [accountId])).has(accountId)) return dropNotice(ctx, id, notice)
  const link = `${ctx.config.http.publicUrl}/settings/channels`
  const outgoing = {
    id: `msg_${id}_notice_${ctx.clock.now().getTime()}`,
    type: 'channel.notice',
    data: { text: notice },
    message: { text: notice, link },
  }
  const { reading } = await send(ctx, destination, outgoing, { signal })
  if (reading.result !== 'retry') return dropNotice(ctx, id, notice)
  const waitMs = Math.max(RETRY_MS, reading.retryAfterMs ?? 0)
  await store.updateDestination(ctx.db, id, { notBefore: new Date(ctx.clock.now().getTime() + waitMs) })
}

/** A notice that was left in between is kept. */
async function dropNotice(ctx: Context, id: string, sent: string | null): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, id)
    if (destination?.notice === sent) await store.updateDestination(tx, id, { notice: null })
  })
}
