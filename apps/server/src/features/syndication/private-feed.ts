import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { readAccessOf } from '../access/read-access.ts'
import type { ReadAccess } from '../access/readable.ts'
import { findRecipients } from '../channels/recipients.ts'
import { type Owner, recordChange } from '../channels/record-change.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import * as store from './store.ts'

/** Minimum time between two writes of `lastReadAt`. */
const READ_EVERY_MS = MINUTE_MS

/**
 * Pattern of a feed's secret. The prefix lets `redactKeys` remove the secret from logged text, and
 * secret scanners find it.
 */
export const feedSecretPattern = /^feed_[A-Za-z0-9_-]{43}$/

/**
 * Creates the private feed of the account. Its previous address, if there is one, becomes invalid.
 */
export async function createPrivateFeed(ctx: Context, owner: Owner) {
  const { accountId } = owner
  const secret = `feed_${createSecret()}`
  const at = ctx.clock.now()
  const feed = await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const formerFeed = await store.findPrivateFeed(tx, accountId)
    const row = await store.upsertPrivateFeed(tx, { accountId, secretHash: hashSecret(secret), createdAt: at })
    const detail = formerFeed ? 'New address of the private feed' : 'Private feed created'
    await recordChange(tx, owner, { what: 'address of the private feed', detail, at })
    return row
  })
  return { feed, secret }
}

/** @throws Refusal not_found */
export async function revokePrivateFeed(ctx: Context, owner: Owner): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    if (!(await store.deletePrivateFeed(tx, owner.accountId)))
      throw new Refusal('not_found', 'You have no private feed')
    await recordChange(tx, owner, { what: 'private feed revoked', detail: 'Private feed revoked', at })
  })
}

/**
 * Returns the account of the secret and what its holder may read now. Without a plan, these are
 * only public alerts.
 * @throws Refusal not_found, including when the account is suspended
 */
export async function findFeedAccess(ctx: Context, secret: string): Promise<{ accountId: string; access: ReadAccess }> {
  const foundFeed = feedSecretPattern.test(secret) ? await store.findBySecret(ctx.db, hashSecret(secret)) : undefined
  if (!foundFeed || foundFeed.suspendedAt) throw new Refusal('not_found', 'There is no feed at this address')
  const { accountId, lastReadAt } = foundFeed
  const now = ctx.clock.now()
  if (lastReadAt === null || now.getTime() - lastReadAt.getTime() >= READ_EVERY_MS) {
    await store.updateLastRead(ctx.db, accountId, now)
  }
  const recipients = await findRecipients(ctx, [accountId])
  return { accountId, access: readAccessOf(ctx, recipients.has(accountId)) }
}

/** Exports the private feed for the account export, but never its address. */
export async function exportPrivateFeed({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const feed = await store.findPrivateFeed(db, accountId)
  return feed ? [{ name: 'Private feed', createdAt: feed.createdAt, lastReadAt: feed.lastReadAt }] : []
}
