import type { AlertStatement } from '../alert.ts'
import type { Hex } from '../hex.ts'
import { findUnprovenReason } from '../log-times.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import type { KnownSignal } from './evaluate-entry.ts'
import type { Verdict } from './metrics.ts'
import { findFirstIndex } from './ordered.ts'
import type { OutcomeResult } from './outcome-task.ts'
import type { RecordAnchor } from './record-entry.ts'

/**
 * The part of an entry that the record uses. Facts do not depend on the anchor for which the record
 * is computed. `change` is a correction or a retraction.
 */
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
  /** Null for alerts of the other origin (feed or demo). */
  signal: KnownSignal | null
  /** True once the outcome that counts has been read. */
  hasOutcome: boolean
  /** Null until the outcome has been checked, and if there is no outcome to check. */
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
  return parseAnchorTime(anchors[findCoveringAnchorIndex(anchors, index)])
}

/** True if the anchors on both sides of an entry prove its stated time. */
export function isTimeProven(anchors: readonly RecordAnchor[], { index, createdMs }: OutcomeFact): boolean {
  const firstAnchorIndex = findCoveringAnchorIndex(anchors, index)
  const [previousMs, anchoredMs] = [
    parseAnchorTime(anchors[firstAnchorIndex - 1]),
    parseAnchorTime(anchors[firstAnchorIndex]),
  ]
  return findUnprovenReason(createdMs, { previousMs, anchoredMs }) === null
}

function findCoveringAnchorIndex(anchors: readonly RecordAnchor[], index: number): number {
  return findFirstIndex(anchors.length, (position) => (anchors[position]?.size ?? 0) > index)
}

function parseAnchorTime(anchor: RecordAnchor | undefined): number | null {
  return anchor ? Date.parse(anchor.blockAt) : null
}

export function getLastAnchor(anchors: readonly RecordAnchor[]): RecordAnchor {
  const lastAnchor = anchors.at(-1)
  if (!lastAnchor) throw new Error('The record needs at least one anchor')
  return lastAnchor
}
