import { priorities, type Signal } from '@tocsin/protocol'

/** The newest alert of an asset and anomaly that was sent out and is in its cool-down. */
export interface Running {
  signalId: string
  priority: Signal['priority']
}

export interface Known {
  /** Ids of signals that were taken in before. */
  taken: ReadonlySet<string>
  /** By `keyOf`. */
  running: ReadonlyMap<string, Running>
}

/** `repeated`: the same id came before. `merge`: counted under a running alert. `alert`: becomes one; a late one is not sent out by itself. */
export type Decision = { kind: 'repeated' } | { kind: 'merge'; into: string } | { kind: 'alert'; isLate: boolean }

/** Later than this it is history: nobody should act on it as if it were now. */
const LATE_MS = 15 * 60_000

/** What of a signal is one thing that goes on. */
export function keyOf({ asset, anomalyType }: Pick<Signal, 'asset' | 'anomalyType'>): string {
  return JSON.stringify([asset, anomalyType])
}

/** What becomes of each signal, where an earlier one of the list counts as done. A higher priority than the running alert's is news. */
export function decideSignals(
  signals: readonly Signal[],
  known: Known,
  now: Date,
  cooldownSeconds: number,
): Decision[] {
  const taken = new Set(known.taken)
  const running = new Map(known.running)
  return signals.map((signal) => {
    if (taken.has(signal.id)) return { kind: 'repeated' }
    taken.add(signal.id)
    if (now.getTime() - Date.parse(signal.observedAt) > LATE_MS) return { kind: 'alert', isLate: true }
    const before = running.get(keyOf(signal))
    if (before && rank(signal.priority) <= rank(before.priority)) return { kind: 'merge', into: before.signalId }
    if (cooldownSeconds > 0) running.set(keyOf(signal), { signalId: signal.id, priority: signal.priority })
    return { kind: 'alert', isLate: false }
  })
}

function rank(priority: Signal['priority']): number {
  return priorities.indexOf(priority)
}
