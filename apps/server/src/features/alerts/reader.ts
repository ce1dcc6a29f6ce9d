import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { publicCutoffAt } from '../../public-delay.ts'
import { findReadAccess } from '../access/read-access.ts'
import { type AlertReader, findReading } from './read-store.ts'

/** Returns what this account may read now, and which alerts count as read. */
export async function findReader(ctx: Context, actor: Pick<Actor, 'accountId' | 'permissions'>): Promise<AlertReader> {
  const { accountId } = actor
  const [access, { joinedIndex, marks }] = await Promise.all([
    findReadAccess(ctx, actor),
    findReading(ctx.db, accountId),
  ])
  const { publicDelayHours } = ctx.config
  return {
    ...access,
    accountId,
    joinedIndex,
    marks: marks.map((mark) => ({ ...mark, publicCutoff: publicCutoffAt(mark.at, publicDelayHours) })),
  }
}
