import { type AdminArea, adminArea, adminAreas } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Connections } from './connections.ts'
import { encodeMessage } from './frame.ts'

/** Collects the changes of one action into one message. */
const COLLECT_MS = 200
/** Minimum interval between messages, so that pages do not reload continuously. */
const PAUSE_MS = 3_000

/**
 * Notifies the sockets of admins of changes, so that their pages reload the data. Returns a
 * function that stops it.
 */
export function notifyAdmins(ctx: Context, connections: Connections, scheduler: Scheduler): () => void {
  const changed = new Set<AdminArea>()
  let stopTimer: (() => void) | null = null
  let isPausing = false

  const notify = () => {
    stopTimer = null
    isPausing = changed.size > 0
    if (!isPausing) return
    const bytes = encodeMessage({ type: 'admin_changed', areas: [...changed] })
    changed.clear()
    for (const connection of connections.all()) if (connection.isAdmin) connection.write(bytes)
    stopTimer = scheduler.after(PAUSE_MS, notify)
  }
  const collect = (areas: readonly AdminArea[]) => {
    for (const area of areas) changed.add(area)
    if (!isPausing) stopTimer ??= scheduler.after(COLLECT_MS, notify)
  }
  const stops = [
    ctx.wake.on('admin', (key) => {
      const area = adminArea.safeParse(key).data
      collect(area ? [area] : adminAreas)
    }),
    ctx.wake.on('anchors', () => collect(['alerts'])),
  ]
  return () => {
    stopTimer?.()
    for (const stop of stops) stop()
  }
}
