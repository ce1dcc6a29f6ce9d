import type { AlertStatement } from '../alert.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import { hashSignal } from '../signal.ts'
import { decideAlerts } from './decide-alerts.ts'
import { readSignal } from './evaluate-entry.ts'
import { evaluateOutcome, type OutcomeResult, type OutcomeTask } from './outcome-task.ts'
import type { Forecast } from './prediction.ts'
import type { RecordAlert, RecordOptions } from './record-alert.ts'
import type { RecordAnchor, RecordEntry } from './record-entry.ts'
import { type AlertFact, type Fact, findAnchorTime, getLastAnchor, isTarget } from './record-facts.ts'

/**
 * Reads the entries of a log in ascending index order, and decides the status of each alert. Does
 * not store messages. A reader can continue to a newer anchor: each entry is read only once, and
 * `finish` decides everything that depends on the anchor.
 */
export function createRecordReader(options: RecordOptions) {
  const { origin, hashMessage = hashSignal } = options
  const facts: Fact[] = []
  const alertByIndex = new Map<number, AlertFact>()
  let anchors = options.anchors
  let size = getLastAnchor(anchors).size

  function addAlert({ index, leafHash, message }: RecordEntry, statement: AlertStatement): void {
    const isOfRecord = statement.origin === origin || statement.origin === 'admin'
    const fact: AlertFact = {
      kind: 'alert',
      index,
      leafHash,
      statement,
      createdMs: Date.parse(statement.createdAt),
      signal: isOfRecord ? readSignal(statement, message, origin, hashMessage) : null,
      hasOutcome: false,
      result: null,
    }
    facts.push(fact)
    alertByIndex.set(index, fact)
  }

  function addOutcome({ index, leafHash, message }: RecordEntry, statement: OutcomeStatement): OutcomeTask | null {
    const { targetIndex, targetLeafHash, createdAt, verdict, measured, messageHash } = statement
    const createdMs = Date.parse(createdAt)
    const targetReference = { targetIndex, targetLeafHash, origin: statement.origin }
    facts.push({ kind: 'outcome', index, leafHash, createdMs, verdict, measured, ...targetReference })
    const target = alertByIndex.get(targetIndex)
    if (!target || target.hasOutcome || !isTarget(target, targetReference)) return null
    target.hasOutcome = true
    const { signal } = target
    if (!signal?.forecast) return null
    const { prediction } = signal.forecast
    return {
      targetIndex,
      statement: { verdict, measured, messageHash, createdAt },
      message,
      signal: { id: signal.signalId, hash: target.statement.signalHash ?? '0x', prediction },
      anchoredMs: findAnchorTime(anchors, targetIndex),
    }
  }

  return {
    /**
     * Continues to a newer anchor of the same log. Callers then add the entries that the newer
     * anchor covers.
     * @param newAnchors all anchors in ascending order of size
     */
    extend(newAnchors: readonly RecordAnchor[]): void {
      anchors = newAnchors
      size = getLastAnchor(newAnchors).size
    },

    /**
     * Adds the next entry. Ignores entries that the last anchor does not cover. If a task is
     * returned, callers must evaluate the outcome and pass the result to `settle` before they call
     * `finish`.
     */
    add(entry: RecordEntry): OutcomeTask | null {
      const { index, leafHash, statement } = entry
      if (index >= size) return null
      switch (statement?.kind) {
        case undefined:
          facts.push({ kind: 'unknown', index, leafHash })
          return null
        case 'alert':
          addAlert(entry, statement)
          return null
        case 'outcome':
          return addOutcome(entry, statement)
        case 'correction':
        case 'retraction':
          facts.push({ kind: 'change', index, leafHash, createdMs: Date.parse(statement.createdAt) })
          return null
        default:
          // Entries about the log itself have no status.
          return null
      }
    },

    settle({ targetIndex }: OutcomeTask, result: OutcomeResult): void {
      const target = alertByIndex.get(targetIndex)
      if (target) target.result = result
    },

    /** Returns the forecast of the alert at an index, or null. */
    getForecast: (index: number): Forecast | null => alertByIndex.get(index)?.signal?.forecast ?? null,

    /** Returns all alerts in ascending index order, as of the last anchor. */
    finish: () => decideAlerts(facts, { ...options, anchors }),
  }
}

/** Reads all entries and evaluates all outcomes in this thread. */
export function readRecord(entries: Iterable<RecordEntry>, options: RecordOptions): RecordAlert[] {
  const { hashMessage = hashSignal, candles } = options
  const reader = createRecordReader(options)
  for (const entry of entries) {
    const task = reader.add(entry)
    if (task) reader.settle(task, evaluateOutcome(task, hashMessage, candles))
  }
  return reader.finish()
}
