import { bundleVersion } from '@tocsin/proof'
import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findSight } from '../access/sight.ts'
import { readLogSource } from '../tlog/log-source.ts'
import { listOutcomes } from '../tlog/service.ts'
import { presentAlert } from './present.ts'
import { findAlert } from './store.ts'

/** Limit of the format (docs/log-format.md, chapter 8). */
const MOST_OUTCOMES = 100

/**
 * GET /api/alerts/:id/bundle: everything that a verifier needs except a node. Answers the same for
 * an alert that the caller may not read as for one that does not exist.
 */
export const alertBundle: Handler<(typeof endpoints)['alertBundle']> = async (ctx, { params, actor }) => {
  const sight = await findSight(ctx, actor)
  const stored = isUuid(params.id) ? await findAlert(ctx.db, sight, params.id) : null
  if (!stored) throw new Refusal('not_found', 'There is no alert with this id that you may read')
  const [source, outcomes] = await Promise.all([readLogSource(ctx), listOutcomes(ctx, stored.logIndex, MOST_OUTCOMES)])
  const alert = presentAlert(stored)
  const version = bundleVersion(alert)
  return { format: 'tocsin-proof', version, ...source, alert, ...(outcomes.length > 0 ? { outcomes } : {}) }
}
