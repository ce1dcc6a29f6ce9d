import type { AlertStatement } from '../alert.ts'
import type { Hex } from '../hex.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import type { KnownSignal } from './judge-entry.ts'
import type { Verdict } from './metrics.ts'
import { findFirst } from './ordered.ts'
import type { OutcomeResult } from './outcome-task.ts'
import type { RecordAnchor } from './record-entry.ts'

/** What an entry says. It does not depend on the time. */
export type Fact =
  | { kind: 'unknown'; index: number; leafHash: Hex }
  | AlertFact
  | OutcomeFact
  | { kind: 'change'; index: number; leafHash: Hex; createdMs: number }

export interface AlertFact {
  kind: 'alert'
  index: number
  leafHash: Hex
  statement: AlertStatement
  createdMs: number
  /** Null for alerts of another origin. */
  signal: KnownSignal | null
  /** True after the outcome that counts. */
  hasOutcome: boolean
  /** Null without an outcome to judge, and until it is judged. */
  result: OutcomeResult | null
}

export interface OutcomeFact extends Pick<OutcomeStatement, 'targetIndex' | 'targetLeafHash' | 'origin'> {
  kind: 'outcome'
  index: number
  leafHash: Hex
  createdMs: number
  verdict: Verdict
  measured: string | null
}

type Target = Pick<OutcomeFact, 'targetIndex' | 'targetLeafHash' | 'origin'>

/** True if an outcome is about this alert. */
export function isTarget({ leafHash, statement }: AlertFact, { targetLeafHash, origin }: Target): boolean {
  return leafHash === targetLeafHash && statement.origin === origin
}

/** Block time of the first anchor that covers an entry, in milliseconds, or null. */
export function findAnchorTime(anchors: readonly RecordAnchor[], index: number): number | null {
  const first = anchors[findFirst(anchors.length, (position) => (anchors[position]?.size ?? 0) > index)]
  return first ? Date.parse(first.blockAt) : null
}

export function lastAnchorOf(anchors: readonly RecordAnchor[]): RecordAnchor {
  const last = anchors.at(-1)
  if (!last) throw new Error('A record is computed as of an anchor')
  return last
}
