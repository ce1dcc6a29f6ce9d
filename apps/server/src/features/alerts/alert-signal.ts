import type { endpoints } from '@tocsin/protocol'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findVisibility } from '../access/read-access.ts'
import { findSignalMessage, listSignalMessages } from './store.ts'

/**
 * GET /api/alerts/:id/signal: the raw feed message of an alert that the caller may read. The
 * response is the same for an alert that the caller may not read as for an unknown alert.
 */
export const alertSignal: Handler<(typeof endpoints)['alertSignal']> = async (ctx, { params, actor }) => {
  const visibility = await findVisibility(ctx, actor)
  const signalMessage = isUuid(params.id) ? await findSignalMessage(ctx.db, visibility, params.id) : null
  if (!signalMessage) throw new Refusal('not_found', 'Alert not found, or you do not have access to it')
  return signalMessage
}

/** Maximum number of characters of all messages in one response. */
const MAX_CHARACTERS = 2 * 2 ** 20

/**
 * GET /api/alerts/signals: the raw feed messages of many alerts. Leaves out unknown ids, alerts
 * that the caller may not read, and all messages after MAX_CHARACTERS is exceeded.
 */
export const alertSignals: Handler<(typeof endpoints)['alertSignals']> = async (ctx, { query, actor }) => {
  const ids = [...new Set(query.ids.split(','))].filter(isUuid)
  const signalMessages = ids.length > 0 ? await listSignalMessages(ctx.db, await findVisibility(ctx, actor), ids) : []
  let total = 0
  const messages = signalMessages.filter(({ message }) => {
    total += message?.length ?? 0
    return total <= MAX_CHARACTERS
  })
  return { messages }
}
