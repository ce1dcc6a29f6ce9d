import { type AdminArea, adminArea, adminAreas, type Permission } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Connections } from './connections.ts'

/** Delay during which the changes of one action are coalesced into one message. */
const COLLECT_MS = 200
/** Minimum interval between messages, so that pages do not reload continuously. */
const PAUSE_MS = 3_000

const readPermission: Record<AdminArea, Permission> = {
  alerts: 'alerts.read',
  users: 'users.read',
  payments: 'payments.read',
  feed: 'settings.read',
  chain: 'settings.read',
  instances: 'settings.read',
  audit: 'audit.read',
}

/**
 * Notifies the sockets of staff of changes that their role may see, so that their pages reload the
 * data. Returns a function that stops the notifications.
 */
export function notifyAdmins(ctx: Context, connections: Connections, scheduler: Scheduler): () => void {
  const changedAreas = new Set<AdminArea>()
  let stopTimer: (() => void) | null = null
  let isPausing = false

  const notify = () => {
    stopTimer = null
    isPausing = changedAreas.size > 0
    if (!isPausing) return
    for (const connection of connections.all()) {
      const areas = [...changedAreas].filter((area) => connection.permissions.includes(readPermission[area]))
      if (areas.length > 0) connection.send({ type: 'admin_changed', areas })
    }
    changedAreas.clear()
    stopTimer = scheduler.after(PAUSE_MS, notify)
  }
  const collect = (areas: readonly AdminArea[]) => {
    for (const area of areas) changedAreas.add(area)
    if (!isPausing) stopTimer ??= scheduler.after(COLLECT_MS, notify)
  }
  const stops = [
    ctx.notifications.on('admin', (key) => {
      const area = adminArea.safeParse(key).data
      collect(area ? [area] : adminAreas)
    }),
    ctx.notifications.on('anchors', () => collect(['alerts'])),
  ]
  return () => {
    stopTimer?.()
    for (const stop of stops) stop()
  }
}
