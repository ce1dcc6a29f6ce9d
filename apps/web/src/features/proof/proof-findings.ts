import type { Alert } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { Observable } from '../../browser/observable.ts'

/** Serialises all fields of an alert except `supersededBy`, which later entries change. */
export function createFingerprint({ supersededBy: _later, ...alert }: Alert): string {
  return JSON.stringify(alert)
}

/** Alerts that failed their check, with the reason. */
class FailedProofs extends Observable {
  readonly #reasons = new Map<string, { fingerprint: string; reason: string }>()

  add(alert: Alert, reason: string): void {
    this.#reasons.set(alert.id, { fingerprint: createFingerprint(alert), reason })
    this.notify()
  }

  /** Returns why the check of the alert failed. Null if this version of the alert did not fail. */
  reasonOf(alert: Alert): string | null {
    const failedProof = this.#reasons.get(alert.id)
    return failedProof && failedProof.fingerprint === createFingerprint(alert) ? failedProof.reason : null
  }
}

export const failedProofs = new FailedProofs()

/** Why the alert failed its check in this browser, or null. */
export function useFailedProof(alert: Alert): string | null {
  const readReason = () => failedProofs.reasonOf(alert)
  return useSyncExternalStore(failedProofs.subscribe, readReason, readReason)
}
