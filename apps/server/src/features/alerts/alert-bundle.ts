import { getBundleVersion } from '@tocsin/proof'
import type { Alert, endpoints } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { findVisibility } from '../access/read-access.ts'
import { readLogSource } from '../tlog/log-source.ts'
import { listOutcomes } from '../tlog/service.ts'
import { presentAlert } from './present.ts'
import { getReadableAlert } from './service.ts'

type AlertBundle = Awaited<ReturnType<Handler<(typeof endpoints)['alertBundle']>>>

/** Maximum number of outcomes in a bundle (docs/log-format.md, chapter 8). */
const MAX_OUTCOMES = 100

/**
 * GET /api/alerts/:id/bundle: everything that a verifier needs except access to a blockchain node.
 * The response is the same for an alert that the caller may not read as for an unknown alert.
 */
export const alertBundle: Handler<(typeof endpoints)['alertBundle']> = async (ctx, { params, actor }) => {
  const visibility = await findVisibility(ctx, actor)
  return makeAlertBundle(ctx, presentAlert(await getReadableAlert(ctx.db, visibility, params.id)))
}

/** Creates the proof bundle of an alert. Callers must have checked that it may be read. */
export async function makeAlertBundle(ctx: Context, alert: Alert): Promise<AlertBundle> {
  const [source, outcomes] = await Promise.all([readLogSource(ctx), listOutcomes(ctx, alert.logIndex, MAX_OUTCOMES)])
  const version = getBundleVersion(alert)
  return { format: 'tocsin-proof', version, ...source, alert, ...(outcomes.length > 0 ? { outcomes } : {}) }
}
