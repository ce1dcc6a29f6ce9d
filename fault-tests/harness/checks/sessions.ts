import type { Evidence } from '../evidence.ts'
import type { FaultRecord, Journal, SessionRecord } from '../journal.ts'
import { type FaultName, faultKinds } from '../kinds.ts'

/**
 * Time within which an instance must close the sockets of a session that ended on another one. It
 * learns of the end by notification or by querying the database.
 */
const SOCKET_CLOSE_LIMIT_MS = 5_000

/**
 * Kinds of faults during which an instance cannot learn that a session has ended. All other kinds
 * allow no delay.
 */
const unresponsiveKinds = new Set<FaultName>([
  // A frozen process does nothing.
  'SIGSTOP of an instance',
  'SIGSTOP of the leader',
  // No instance can learn of the end without a database. A full disk stops PostgreSQL too.
  'kill -9 of the database',
  'fast shutdown of the database',
  'failover of the database',
  'SIGSTOP of the database',
  'no free database connections',
  'full disk of the database',
  // The network loses the notification. The instance notices when the connection stays silent.
  'black-holed database connections',
  'instance cut off from the database',
])

/**
 * Checks that no session is accepted after its end, and that its sockets are closed within
 * SOCKET_CLOSE_LIMIT_MS (later only if a fault kept the instance from learning of the end).
 */
export function checkSessions({ journal }: Pick<Evidence, 'journal'>): string[] {
  const socketClosures = checkSocketClosures(journal)
  const lateClosures = socketClosures.filter(({ isLate }) => isLate)
  return [
    ...journal.sessions.flatMap(({ name, endedAtMs, laterUses }) => {
      const acceptedUse = laterUses.find(({ isAccepted }) => isAccepted)
      return acceptedUse ? [`The session of ${name} was accepted ${acceptedUse.atMs - endedAtMs} ms after its end`] : []
    }),
    ...lateClosures.map(({ name, way, limitMs }) => `A socket of ${name} was open ${limitMs} ms after the ${way}`),
    ...(socketClosures.length === 0 ? ['No socket of an ended session was judged'] : []),
  ]
}

export interface SocketClosure {
  name: string
  way: SessionRecord['way']
  /** Time after the end of the session within which the socket had to be closed. */
  limitMs: number
  isLate: boolean
}

/**
 * Compares the time at which each socket was closed with its limit. Leaves out open sockets that
 * the harness did not watch until their limit.
 */
export function checkSocketClosures({ sessions, faults }: Pick<Journal, 'sessions' | 'faults'>): SocketClosure[] {
  return sessions.flatMap(({ name, way, endedAtMs, socket }) => {
    if (socket === null) return []
    const limitAtMs = findLimit(endedAtMs, faults)
    const { closedAtMs, watchedUntilMs } = socket
    if (closedAtMs === null && watchedUntilMs < limitAtMs) return []
    const isLate = (closedAtMs ?? Number.POSITIVE_INFINITY) > limitAtMs
    return [{ name, way, limitMs: limitAtMs - endedAtMs, isLate }]
  })
}

/**
 * Returns the time until which the socket must be closed: SOCKET_CLOSE_LIMIT_MS after the end of
 * the session. If a fault of `unresponsiveKinds` overlaps this period, the time is
 * SOCKET_CLOSE_LIMIT_MS after the end of the fault's effects.
 * @param faults ordered by time
 */
function findLimit(endedAtMs: number, faults: readonly FaultRecord[]): number {
  let limitAtMs = endedAtMs + SOCKET_CLOSE_LIMIT_MS
  for (const fault of faults) {
    const isOverlapping = fault.injectedAtMs < limitAtMs && endedAtMs < computeEffectsEndMs(fault)
    if (isOverlapping && unresponsiveKinds.has(fault.name))
      limitAtMs = Math.max(limitAtMs, computeEffectsEndMs(fault) + SOCKET_CLOSE_LIMIT_MS)
  }
  return limitAtMs
}

/**
 * Returns the time at which the effects of a fault are over. If the time to recover counts from the
 * injection, the effects may last for this whole time, even if the failed part works again earlier.
 */
function computeEffectsEndMs({ name, injectedAtMs, healedAtMs }: FaultRecord): number {
  const { from, goalMs } = faultKinds[name]
  return from === 'heal' ? healedAtMs : Math.max(healedAtMs, injectedAtMs + goalMs)
}
