import type { endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Input } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import type { FindEntitlement } from './reader.ts'
import { readersOf } from './service.ts'
import { findSignalMessage } from './store.ts'

/** GET /api/alerts/:id/signal: for whoever may read the alert itself. */
export async function alertSignal(
  ctx: Context,
  { params, actor }: Input<(typeof endpoints)['alertSignal']>,
  findEntitlement: FindEntitlement,
) {
  const found = isUuid(params.id) ? await findSignalMessage(ctx.db, params.id) : null
  if (!found) throw new Refusal('not_found', 'There is no such alert')
  const { message, createdAt, broadcastAt } = found
  const isPublic = createdAt <= readersOf(ctx, false).publicAt
  if (isPublic || actor?.isAdmin) return { message }
  const isEntitled = actor !== null && (await findEntitlement(ctx, actor.accountId)) !== null
  if (!isEntitled || broadcastAt === null)
    throw new Refusal('not_public_yet', 'Whoever has no plan can read this alert later')
  return { message }
}
