import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { readAccessOf } from '../access/read-access.ts'
import { presentAlert } from './present.ts'
import { listPublicAlerts } from './store.ts'

/** GET /api/alerts/public: alerts past the public delay, newest first. */
export const publicAlerts: Handler<(typeof endpoints)['publicAlerts']> = async (ctx, { query }) =>
  (await listPublicAlerts(ctx.db, readAccessOf(ctx, false), query.limit, query.minPriority)).map(presentAlert)
