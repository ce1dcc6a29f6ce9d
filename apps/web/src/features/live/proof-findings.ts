import type { Alert } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'

/** Everything that is stated and proved; not what later entries say of it, which is no part of it. */
export function fingerprintOf({ supersededBy: _later, ...alert }: Alert): string {
  return JSON.stringify(alert)
}

/** Which alerts, as this page holds them, have failed their check, and why. */
class FailedProofs {
  readonly #reasons = new Map<string, { fingerprint: string; reason: string }>()
  readonly #listeners = new Set<() => void>()

  add(alert: Alert, reason: string): void {
    this.#reasons.set(alert.id, { fingerprint: fingerprintOf(alert), reason })
    for (const listener of this.#listeners) listener()
  }

  /** Null also for another version of an alert that has failed: what is shown now is what counts. */
  reasonOf(alert: Alert): string | null {
    const failed = this.#reasons.get(alert.id)
    return failed && failed.fingerprint === fingerprintOf(alert) ? failed.reason : null
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

export const failedProofs = new FailedProofs()

/** Why the alert failed its check in this browser; null where it did not. */
export function useFailedProof(alert: Alert): string | null {
  const read = () => failedProofs.reasonOf(alert)
  return useSyncExternalStore(failedProofs.subscribe, read, read)
}
