import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findSight } from '../access/sight.ts'
import { findSignalMessage } from './store.ts'

/**
 * GET /api/alerts/:id/signal: for callers who may read the alert itself. Answers the same for an
 * alert that they may not read as for one that does not exist.
 */
export const alertSignal: Handler<(typeof endpoints)['alertSignal']> = async (ctx, { params, actor }) => {
  const sight = await findSight(ctx, actor)
  const found = isUuid(params.id) ? await findSignalMessage(ctx.db, sight, params.id) : null
  if (!found) throw new Refusal('not_found', 'There is no alert with this id that you may read')
  return found
}
