import type { SQL } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { computePublicCutoff } from '../../public-delay.ts'
import { findEntitlementNow } from '../subscriptions/service.ts'
import { createReadableCondition, type ReadAccess, type Visibility } from './readable.ts'

type Caller = Pick<Actor, 'accountId' | 'permissions'>

const readsAll = (actor: Caller | null) => actor?.permissions.includes('alerts.read') ?? false

/** @param isSubscribed true if broadcast alerts that are not public yet are readable too */
export function readAccessOf({ clock, config }: Context, isSubscribed: boolean): ReadAccess {
  return { publicCutoff: computePublicCutoff(clock.now(), config.publicDelayHours), subscribed: isSubscribed }
}

/** Returns what a caller may read now. Anonymous callers may read what is public. */
export async function findVisibility(ctx: Context, actor: Caller | null): Promise<Visibility> {
  return readsAll(actor) ? 'all' : findReadAccess(ctx, actor)
}

/**
 * Like `findVisibility`, but without drafts: callers with the permission `alerts.read` have the
 * access of subscribers.
 */
export async function findReadAccess(ctx: Context, actor: Caller | null): Promise<ReadAccess> {
  const isEntitled = actor !== null && (readsAll(actor) || (await findEntitlementNow(ctx, actor.accountId)) !== null)
  return readAccessOf(ctx, isEntitled)
}

/**
 * Returns the condition on the rows of `alerts` that the caller may read in full now. Undefined
 * means that the caller may read all rows.
 */
export async function findReadable(ctx: Context, actor: Caller | null): Promise<SQL | undefined> {
  return createReadableCondition(await findVisibility(ctx, actor))
}
