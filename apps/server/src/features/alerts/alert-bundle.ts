import { bundleVersion } from '@tocsin/proof'
import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findSight } from '../access/sight.ts'
import { readLogSource } from '../tlog/log-source.ts'
import { presentAlert } from './present.ts'
import { findAlert } from './store.ts'

/**
 * GET /api/alerts/:id/bundle: everything that a verifier needs except a node. Answers the same for
 * an alert that the caller may not read as for one that does not exist.
 */
export const alertBundle: Handler<(typeof endpoints)['alertBundle']> = async (ctx, { params, actor }) => {
  const sight = await findSight(ctx, actor)
  const stored = isUuid(params.id) ? await findAlert(ctx.db, sight, params.id) : null
  if (!stored) throw new Refusal('not_found', 'There is no alert with this id that you may read')
  const source = await readLogSource(ctx)
  const alert = presentAlert(stored)
  return { format: 'tocsin-proof', version: bundleVersion(alert), ...source, alert }
}
