import type { Alert } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { Observable } from '../../browser/observable.ts'

/** Serialises all fields of an alert except `supersededBy`, which later entries change. */
export function createFingerprint({ supersededBy: _later, ...alert }: Alert): string {
  return JSON.stringify(alert)
}

/** Results of the checks of alerts in this page. */
class ProofFindings extends Observable {
  readonly #findings = new Map<string, { fingerprint: string; failure: string | null }>()

  /** @param failure why the check failed, or null if the proof is verified */
  add(alert: Alert, failure: string | null): void {
    this.#findings.set(alert.id, { fingerprint: createFingerprint(alert), failure })
    this.notify()
  }

  /**
   * Returns why the check of the alert failed, or null if the proof is verified. Undefined if this
   * version of the alert was not checked.
   */
  find(alert: Alert): string | null | undefined {
    const finding = this.#findings.get(alert.id)
    return finding && finding.fingerprint === createFingerprint(alert) ? finding.failure : undefined
  }
}

export const proofFindings = new ProofFindings()

/** Same result as `ProofFindings.find`. */
export function useProofFinding(alert: Alert): string | null | undefined {
  const read = () => proofFindings.find(alert)
  return useSyncExternalStore(proofFindings.subscribe, read, read)
}

/** Why the alert failed its check in this page, or null. */
export const useProofFailure = (alert: Alert): string | null => useProofFinding(alert) ?? null
