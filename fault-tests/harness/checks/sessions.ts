import type { Evidence } from '../evidence.ts'

/** Other instances learn of the end of a session by notification, or by asking the database. */
const SOCKET_MS = 5_000

/** No session is accepted after its end, and its sockets are closed within seconds. */
export function checkSessions({ journal: { sessions, faults } }: Pick<Evidence, 'journal'>): string[] {
  return sessions.flatMap(({ name, endedAtMs, laterUses, socket }) => {
    const used = laterUses.find(({ isAccepted }) => isAccepted)
    const problems = used ? [`The session of ${name} was accepted ${used.atMs - endedAtMs} ms after its end`] : []
    // An instance that cannot learn anything, and a network that carries nothing, close nothing.
    const isDisturbed = faults.some(
      ({ injectedAtMs, endedAtMs: until }) => injectedAtMs < endedAtMs + SOCKET_MS && endedAtMs < until,
    )
    const closedAtMs = socket?.closedAtMs ?? Number.POSITIVE_INFINITY
    const isLate = socket !== null && !isDisturbed && closedAtMs > endedAtMs + SOCKET_MS
    return isLate ? [...problems, `A socket of ${name} was open ${SOCKET_MS} ms after the end`] : problems
  })
}
