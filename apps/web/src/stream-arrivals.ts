import type { Alert, ReadableAlert, ResponseOf, ServerMessage } from '@tocsin/protocol'

type UserAlert = ResponseOf<'userAlerts'>[number]

/** Where a connection stands: before `live` the server sends what was missed, after it what is new. */
export type Arrivals = { isLive: boolean; isReconnect: boolean; missed: number; seen: ReadonlySet<string> }

export const firstConnection: Arrivals = { isLive: false, isReconnect: false, missed: 0, seen: new Set() }

/** What a message means for the page beyond the lists. */
export type Effect = { kind: 'announce'; alert: Alert } | { kind: 'caught_up'; count: number } | { kind: 'read_again' }

/**
 * The next state and what to do about a message. An id is announced once: the same alert comes again when its anchor is known. `isListed`
 * says whether the page has an alert already, from an earlier read.
 */
export function arrive(
  state: Arrivals,
  message: ServerMessage,
  isListed: (id: string) => boolean,
): { state: Arrivals; effects: Effect[] } {
  switch (message.type) {
    case 'authenticated':
      return { state: { ...state, isLive: false, missed: 0 }, effects: [] }
    case 'new_alert': {
      if (state.seen.has(message.alert.id) || isListed(message.alert.id)) return { state, effects: [] }
      const seen = new Set(state.seen).add(message.alert.id)
      if (!state.isLive) return { state: { ...state, seen, missed: state.missed + 1 }, effects: [] }
      return { state: { ...state, seen }, effects: [{ kind: 'announce', alert: message.alert }] }
    }
    case 'live': {
      const effects: Effect[] = []
      if (!message.recovered || state.isReconnect) effects.push({ kind: 'read_again' })
      if (state.missed > 0) effects.push({ kind: 'caught_up', count: state.missed })
      return { state: { ...state, isLive: true, isReconnect: true, missed: 0 }, effects }
    }
    default:
      return { state, effects: [] }
  }
}

/** The list with this alert in it: in its old place when the id is known, else where its time puts it (newest first). */
export function mergeRecent(list: readonly ReadableAlert[], alert: Alert): ReadableAlert[] {
  if (list.some(({ id }) => id === alert.id)) return list.map((each) => (each.id === alert.id ? alert : each))
  const marked = list.map((each) => ('locked' in each ? each : supersede(each, alert)))
  return insertByTime(marked, alert, (each) => each.createdAt)
}

export function mergeUserAlerts(list: readonly UserAlert[], alert: Alert): UserAlert[] {
  if (list.some((each) => each.alert.id === alert.id)) {
    return list.map((each) => (each.alert.id === alert.id ? { ...each, alert } : each))
  }
  const marked = list.map((each) => {
    const superseded = supersede(each.alert, alert)
    return superseded === each.alert ? each : { ...each, alert: superseded }
  })
  return insertByTime(marked, { id: alert.id, alert, isRead: false }, (each) => each.alert.createdAt)
}

/** An alert as it stands once another has arrived: the newest entry that points at it counts. */
function supersede(alert: Alert, { kind, targetIndex, logIndex, id }: Alert): Alert {
  if (kind === 'alert' || targetIndex !== alert.logIndex || logIndex <= (alert.supersededBy?.logIndex ?? -1))
    return alert
  return { ...alert, supersededBy: { logIndex, id, kind } }
}

function insertByTime<Item>(list: readonly Item[], item: Item, timeOf: (item: Item) => string): Item[] {
  const index = list.findIndex((each) => timeOf(each) <= timeOf(item))
  const place = index === -1 ? list.length : index
  return [...list.slice(0, place), item, ...list.slice(place)]
}

/** The highest log index in a list, or null. */
export function highestIndex(list: readonly ReadableAlert[]): number | null {
  return list.reduce<number | null>(
    (highest, each) => ('locked' in each ? highest : Math.max(highest ?? 0, each.logIndex)),
    null,
  )
}
