import type { Alert, RequestBody, VerifyAlertResponse } from '@tocsin/protocol'
import type { SealState } from '../../ui/identity/seal.tsx'
import { formatAnchorSentence } from '../alert/alert-texts.ts'

/**
 * Returns whether the alert is an original that is anchored and neither corrected nor retracted.
 */
export function isAnchoredOriginal({ kind, avalancheTx, supersededBy }: Alert): boolean {
  return kind === 'alert' && avalancheTx !== null && supersededBy === null
}

/**
 * Chooses the alert to show: the newest anchored original (see `isAnchoredOriginal`) with critical
 * or high priority, else the newest anchored original, else the newest entry.
 */
export function chooseAlert(alerts: readonly Alert[]): Alert | null {
  const originals = alerts.filter(isAnchoredOriginal)
  const urgentAlert = originals.find(({ priority }) => priority === 'critical' || priority === 'high')
  return urgentAlert ?? originals[0] ?? alerts[0] ?? null
}

/**
 * Returns a copy of the alert with one changed character in the summary: the first digit from 1 to
 * 9, else the first character. `at` is the index of the character.
 */
export function changeOneCharacter(alert: Alert): { alert: Alert; at: number } {
  const { summary } = alert
  const at = Math.max(0, summary.search(/[1-9]/))
  const oldCharacter = summary.charAt(at)
  const newCharacter = /[1-9]/.test(oldCharacter)
    ? String((Number(oldCharacter) % 9) + 1)
    : oldCharacter === 'X'
      ? 'Y'
      : 'X'
  return { alert: { ...alert, summary: summary.slice(0, at) + newCharacter + summary.slice(at + 1) }, at }
}

/**
 * Creates a verification request with the full content of the alert, so that the server verifies
 * this copy and not its own.
 */
export function toCheckRequest(alert: Alert): RequestBody<'verifyAlert'> {
  const { avalancheTx, signature, merklePath, anchoredAt: _at, supersededBy: _by, ...content } = alert
  return { alertId: alert.id, signature, merklePath, avalancheTx: avalancheTx ?? '', alert: content }
}

export interface PublicVerdict {
  word: string
  sentence: string
  seal: SealState
  tone: string
}

/** Describes an alert before and after its check: text, seal and colour. */
export function describeCheck(alert: Alert, response: VerifyAlertResponse | null): PublicVerdict {
  switch (response?.verdict) {
    case undefined:
      return {
        word: 'Not checked yet',
        sentence: 'Six checks show whether the alert is valid.',
        seal: 'unsigned',
        tone: 'text-1',
      }
    case 'verified': {
      const sentence = `${formatAnchorSentence(alert.createdAt, response.chainTime)}.`
      return { word: 'Verified', sentence, seal: 'anchored', tone: 'text-seal' }
    }
    case 'time-not-proven':
      return { word: 'Time of issue not proven', sentence: response.reason ?? '', seal: 'anchored', tone: 'text-1' }
    case 'not-anchored':
      return {
        word: 'Not yet anchored',
        sentence: 'All checks that could be made succeeded.',
        seal: 'signed',
        tone: 'text-1',
      }
    case 'unavailable':
      return { word: 'Cannot check now', sentence: 'The chain did not respond.', seal: 'signed', tone: 'text-1' }
    case 'failed':
      return {
        word: `Failed at step ${response.failedStep ?? 1}`,
        sentence: response.reason ?? 'The alert could not be verified.',
        seal: 'failed',
        tone: 'text-critical',
      }
  }
}
