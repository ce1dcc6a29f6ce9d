import { priorities, type Signal } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/** The newest broadcast alert of an asset and anomaly whose cool-down is running. */
export interface AlertInCoolDown {
  signalId: string
  priority: Signal['priority']
}

export interface CoolDownState {
  /** Ids of signals that were processed before. */
  processedIds: ReadonlySet<string>
  /** Newest alerts whose cool-down has not ended, by `formatCoolDownKey`. */
  running: ReadonlyMap<string, AlertInCoolDown>
}

/**
 * `repeated`: the signal has a duplicate id. `merge`: it is counted under a running alert. `alert`:
 * it becomes an alert; a late alert is not broadcast automatically.
 */
export type Decision =
  | { kind: 'repeated' }
  | { kind: 'merge'; targetSignalId: string }
  | { kind: 'alert'; isLate: boolean }

/**
 * Maximum age of a signal whose alert is broadcast automatically. Older signals are history that
 * must not be acted on as current.
 */
export const MAX_BROADCAST_AGE_MS = 15 * MINUTE_MS

/** Returns a key. Signals with the same key describe the same ongoing event. */
export function formatCoolDownKey({ asset, anomalyType }: Pick<Signal, 'asset' | 'anomalyType'>): string {
  return JSON.stringify([asset, anomalyType])
}

/**
 * Decides what happens to each signal, in order. Earlier signals of the list count as processed. A
 * signal with a higher priority than the running alert becomes a new alert.
 */
export function decideSignals(
  signals: readonly Signal[],
  state: CoolDownState,
  now: Date,
  cooldownSeconds: number,
): Decision[] {
  const takenIds = new Set(state.processedIds)
  const runningAlerts = new Map(state.running)
  return signals.map((signal) => {
    if (takenIds.has(signal.id)) return { kind: 'repeated' }
    takenIds.add(signal.id)
    if (now.getTime() - Date.parse(signal.observedAt) > MAX_BROADCAST_AGE_MS) return { kind: 'alert', isLate: true }
    const runningAlert = runningAlerts.get(formatCoolDownKey(signal))
    if (runningAlert && getPriorityRank(signal.priority) <= getPriorityRank(runningAlert.priority))
      return { kind: 'merge', targetSignalId: runningAlert.signalId }
    if (cooldownSeconds > 0)
      runningAlerts.set(formatCoolDownKey(signal), { signalId: signal.id, priority: signal.priority })
    return { kind: 'alert', isLate: false }
  })
}

function getPriorityRank(priority: Signal['priority']): number {
  return priorities.indexOf(priority)
}
