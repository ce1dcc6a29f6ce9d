import { bytesToHex, decodeAlert } from '@tocsin/proof'
import { Refusal } from '../../refusal.ts'
import { type AlertContent, type AlsoWrite, type NewAlert, noTarget, type Target } from './alert.ts'

/** Replaces the content of an earlier alert in full. */
interface Correction {
  kind: 'correction'
  targetId: string
  content: AlertContent
  broadcast: boolean
  alsoWrite?: AlsoWrite
}

/** Withdraws an alert. */
interface Retraction {
  kind: 'retraction'
  targetId: string
  reason: string
  broadcast: boolean
  alsoWrite?: AlsoWrite
}

export type Issue = NewAlert | Correction | Retraction

/** The stored row of an alert that is to be corrected or retracted. */
export interface TargetRow {
  id: string
  logIndex: number
  kind: Target['kind']
  bytes: Uint8Array
  leafHash: Uint8Array
  isRetracted: boolean
}

/** Stored data that decides what is issued, read under the log's lock. */
export interface StoredIssueData<Stored> {
  /** By signal id. */
  signals: ReadonlyMap<string, Stored>
  /** By alert id. */
  targets: ReadonlyMap<string, TargetRow>
}

/**
 * `newAlert`: the alert must be logged. `stored`: the alert exists already. `sameAs`: the item
 * duplicates the item at that position of the list.
 */
export type Decision<Stored> =
  | { newAlert: NewAlert; target: Target }
  | { stored: Stored }
  | { sameAs: number }
  | { refusal: Refusal }

/** Decides in order how to issue each item. Treats earlier items as already issued. */
export function decideIssues<Stored>(
  issues: readonly Issue[],
  storedData: StoredIssueData<Stored>,
): Decision<Stored>[] {
  const firstIndexBySignal = new Map<string, number>()
  const retractedIds = new Set([...storedData.targets.values()].filter((row) => row.isRetracted).map(({ id }) => id))
  return issues.map((issue, index) => {
    if ('kind' in issue) return decideTarget(issue, storedData.targets.get(issue.targetId), retractedIds)
    const { signalId } = issue
    if (signalId !== undefined) {
      const storedAlert = storedData.signals.get(signalId)
      if (storedAlert) return { stored: storedAlert }
      const sameAs = firstIndexBySignal.get(signalId)
      if (sameAs !== undefined) return { sameAs }
      firstIndexBySignal.set(signalId, index)
    }
    return { newAlert: issue, target: noTarget }
  })
}

/** @param retractedIds ids of retracted alerts; a retraction adds its target to them */
function decideTarget(
  issue: Correction | Retraction,
  row: TargetRow | undefined,
  retractedIds: Set<string>,
): { newAlert: NewAlert; target: Target } | { refusal: Refusal } {
  if (!row) return { refusal: new Refusal('not_found', 'Alert not found') }
  const { kind, targetId } = issue
  if (row.kind === 'retraction') {
    return { refusal: new Refusal('alert_retracted', `This is a retraction: it cannot be ${toPastTense(kind)}`) }
  }
  if (retractedIds.has(targetId)) {
    return {
      refusal: new Refusal(
        'alert_retracted',
        `This alert has been retracted and can no longer be ${toPastTense(kind)}`,
      ),
    }
  }
  if (kind === 'retraction') retractedIds.add(targetId)
  const content = kind === 'correction' ? issue.content : copyContent(row, issue.reason)
  return {
    newAlert: {
      content,
      origin: 'admin',
      broadcast: issue.broadcast,
      ...(issue.alsoWrite ? { alsoWrite: issue.alsoWrite } : {}),
    },
    target: { kind, targetIndex: row.logIndex, targetLeafHash: bytesToHex(row.leafHash) },
  }
}

function toPastTense(kind: 'correction' | 'retraction'): string {
  return kind === 'correction' ? 'corrected' : 'retracted'
}

/** Returns the content of a retraction: that of its target, with the reason as the summary. */
function copyContent({ bytes }: TargetRow, reason: string): AlertContent {
  const { asset, priority, anomalyType, regime, confidence } = decodeAlert(bytes)
  return { asset, priority, anomalyType, regime, confidence, summary: reason }
}
