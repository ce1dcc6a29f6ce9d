import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { computePublicCutoff } from '../../public-delay.ts'
import { findReadAccess } from '../access/read-access.ts'
import { type AlertReader, findReadState } from './read-store.ts'

/** Returns what this account may read now, and which alerts count as read. */
export async function findReader(ctx: Context, actor: Pick<Actor, 'accountId' | 'permissions'>): Promise<AlertReader> {
  const { accountId } = actor
  const [access, { joinedIndex, marks }] = await Promise.all([
    findReadAccess(ctx, actor),
    findReadState(ctx.db, accountId),
  ])
  const { publicDelayHours } = ctx.config
  return {
    ...access,
    accountId,
    joinedIndex,
    marks: marks.map((mark) => ({ ...mark, publicCutoff: computePublicCutoff(mark.at, publicDelayHours) })),
  }
}
