import { listPermissions } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { findReadAccess } from '../access/read-access.ts'
import type { ReadAccess } from '../access/readable.ts'
import { getReadableAlert } from '../alerts/service.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { mustEnrol } from '../sessions/second-factor.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { computeShareEndsAt, isOpen, MAX_SHARES_PER_DAY } from './share.ts'
import * as store from './store.ts'

interface CreatedShare {
  logIndex: number
  /** Null if the alert is public. */
  token: string | null
  until: Date | null
}

/**
 * Creates a token that discloses one alert. The token is returned once; only its hash is stored.
 * @throws Refusal sharing_off, not_found, too_many_shares
 */
export async function createShare(ctx: Context, actor: Actor, id: string): Promise<CreatedShare> {
  const { shareLinkHours } = ctx.config
  if (shareLinkHours === 0) throw new Refusal('sharing_off', 'The operator of this site has switched sharing off.')
  const access = await findReadAccess(ctx, actor)
  const { logIndex, createdAt } = await getReadableAlert(ctx.db, access, id)
  if (createdAt <= access.publicCutoff) return { logIndex, token: null, until: null }
  const { accountId } = actor
  const token = createSecret()
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    if ((await store.countSharesSince(tx, accountId, subtractMs(at, DAY_MS))) >= MAX_SHARES_PER_DAY) {
      const message = `You have created ${MAX_SHARES_PER_DAY} links in the last 24 hours. Try again tomorrow.`
      throw new Refusal('too_many_shares', message)
    }
    await store.deleteSharesUntil(tx, accountId, subtractMs(at, shareLinkHours * HOUR_MS))
    await store.insertShare(tx, { tokenHash: hashSecret(token), accountId, logIndex, createdAt: at })
    await recordActivity(tx, { accountId, kind: 'alert_shared', detail: formatIndex(logIndex), reference: id, at })
  })
  return { logIndex, token, until: computeShareEndsAt(at, shareLinkHours) }
}

/**
 * Deletes the account's tokens of an alert, even if the account may no longer read the alert.
 * @throws Refusal not_found if the account has no such token and may not read the alert
 */
export async function endShares(ctx: Context, actor: Actor, id: string): Promise<number> {
  const { logIndex } = await getReadableAlert(ctx.db, 'all', id)
  const { accountId } = actor
  const deletedCount = await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const endedCount = await store.deleteSharesOf(tx, accountId, logIndex)
    const entry = { accountId, kind: 'alert_unshared', detail: formatIndex(logIndex), reference: id } as const
    if (endedCount > 0) await recordActivity(tx, { ...entry, at: ctx.clock.now() })
    return endedCount
  })
  if (deletedCount === 0) await getReadableAlert(ctx.db, await findReadAccess(ctx, actor), id)
  return deletedCount
}

/**
 * Returns the access that a token grants at `index`: the current access of the token's creator.
 * Null if the token discloses nothing.
 */
export async function findDisclosedAccess(ctx: Context, index: number, token: string): Promise<ReadAccess | null> {
  const share = await store.findShare(ctx.db, hashSecret(token))
  if (!share || !isOpen(share, index, ctx.config.shareLinkHours, ctx.clock.now())) return null
  const permissions = mustEnrol(ctx.config, share, share.hasFactor) ? [] : listPermissions(share.role)
  const access = await findReadAccess(ctx, { accountId: share.accountId, permissions })
  return access.subscribed ? access : null
}

/** Returns the account's tokens for its data export. */
export function exportShares(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return store.listShares(ctx.db, accountId)
}

function subtractMs(at: Date, ms: number): Date {
  return new Date(at.getTime() - ms)
}

function formatIndex(logIndex: number): string {
  return `#${logIndex.toLocaleString('en-US')}`
}
