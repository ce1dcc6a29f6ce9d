import type { Context } from '@tocsin/server/context.ts'
import { enqueueDeliveriesWithAnchors } from '@tocsin/server/features/channels/enqueue-deliveries-with-anchors.ts'
import { createDueWork } from '@tocsin/server/features/channels/run-channels.ts'
import { createSender } from '@tocsin/server/features/channels/sender.ts'
import { createPooledDelivery } from '@tocsin/server/mail/transport.ts'
import { sql } from 'drizzle-orm'

/**
 * Creates a table that records the emails to owners. The job inserts a row in the transaction that
 * would queue the email.
 */
export const createOwnerMails = (ctx: Context) =>
  ctx.db.execute(sql`create table owner_mails (recipient text not null)`)

export async function countOwnerMails(ctx: Context): Promise<Map<string, number>> {
  const { rows } = await ctx.db.execute<{ recipient: string; mails: number }>(
    sql`select recipient, count(*)::int as mails from owner_mails group by recipient`,
  )
  return new Map(rows.map(({ recipient, mails }) => [recipient, mails]))
}

export interface Job {
  /**
   * Does all work of the job that is due at the time of the clock: ledger, digests, notices, probes
   * and deliveries. Repeats until nothing more is due.
   */
  settle(): Promise<void>
  close(): void
}

/**
 * Creates the background job of the channels, which is run step by step instead of by timers.
 * Emails to destinations go to the mail server of the test.
 * @param onSent called after the response to a delivery, before the attempt is recorded
 */
export function createJob(ctx: Context, signal: AbortSignal, onSent: () => void): Job {
  const pool = createPooledDelivery(ctx.config, ctx.clock)
  let sentCount = 0
  const observedContext: Context = {
    ...ctx,
    deliverMail: pool.deliver,
    sendMail: async (tx, { to }) => void (await tx.execute(sql`insert into owner_mails values (${to})`)),
    failpoint(at) {
      if (at !== 'channel: after send') return
      sentCount += 1
      onSent()
    },
  }
  const sender = createSender(observedContext, () => {}, signal)
  const runDueWork = createDueWork(observedContext, sender)
  return {
    async settle() {
      for (let sentBefore = -1; sentBefore !== sentCount; ) {
        sentBefore = sentCount
        while (await enqueueDeliveriesWithAnchors(observedContext)) {}
        const now = ctx.clock.now()
        await runDueWork(now)
        await sender.startDue(now)
        await sender.ended()
      }
    },
    close: pool.close,
  }
}
