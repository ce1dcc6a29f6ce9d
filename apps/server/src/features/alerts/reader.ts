import type { SQL } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { publicUntil } from '../../public-delay.ts'
import { findReading, type Reader } from './read-store.ts'
import { isReadable, type Sight } from './readable.ts'
import { readersOf } from './service.ts'

/** Returns the running subscription of an account, or null. */
export type FindEntitlement = (ctx: Context, accountId: string) => Promise<object | null>

/** What a caller may read now. Anonymous callers read what is public. */
export async function findSight(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'isAdmin'> | null,
  findEntitlement: FindEntitlement,
): Promise<Sight> {
  if (actor?.isAdmin) return 'all'
  return readersOf(ctx, actor !== null && (await findEntitlement(ctx, actor.accountId)) !== null)
}

/** The condition on rows of `alerts` that the caller may read in full now; undefined if that is all of them. */
export async function findReadable(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'isAdmin'> | null,
  findEntitlement: FindEntitlement,
): Promise<SQL | undefined> {
  return isReadable(await findSight(ctx, actor, findEntitlement))
}

/** What this account may read now, and which of it counts as read. */
export async function findReader(
  ctx: Context,
  { accountId, isAdmin }: Pick<Actor, 'accountId' | 'isAdmin'>,
  findEntitlement: FindEntitlement,
): Promise<Reader> {
  const [isEntitled, { joinedAt, marks }] = await Promise.all([
    isAdmin || findEntitlement(ctx, accountId).then((found) => found !== null),
    findReading(ctx.db, accountId),
  ])
  const { publicDelayHours } = ctx.config
  return {
    ...readersOf(ctx, isEntitled),
    accountId,
    joinedAt,
    marks: marks.map((mark) => ({ ...mark, publicAt: publicUntil(mark.at, publicDelayHours) })),
  }
}
