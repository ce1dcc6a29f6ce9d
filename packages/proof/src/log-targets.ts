import type { AlertStatement } from './alert.ts'
import { textToBytes } from './canonical-json.ts'
import { bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { type LogEntry, readContent } from './log-entry.ts'
import { decodeStatement, isAlertStatement, type Statement } from './statement.ts'
import { hashLeaf } from './tree.ts'
import { verifyInclusion } from './tree-proof.ts'

/** A correction, retraction or outcome whose target has not been compared yet. */
export interface UncheckedReference {
  /** Index of the correction, retraction or outcome. */
  index: number
  kind: 'correction' | 'retraction' | 'outcome'
  targetIndex: number
  targetLeafHash: Hex
  /** The fields that the entry must copy from its target. */
  copiedFields: RepeatedFields
}

/**
 * The entry that a correction, retraction or outcome refers to. It is fetched from the log again,
 * with its inclusion proof in the current tree.
 */
export interface TargetProof {
  leafHash: Hex
  merklePath: readonly Hex[]
  /** Null while the log withholds the content. */
  bytes: string | null
}

type RepeatedFields = Partial<Pick<AlertStatement, (typeof repeatedFields)[number]>>
const repeatedFields = ['asset', 'priority', 'anomalyType', 'regime', 'confidence', 'origin'] as const

interface Target {
  leafHash: Hex
  statement: Statement | null
}

/** Number of recent entries kept in memory. Corrections usually follow soon after their target. */
export const maxRecentEntries = 4096

/**
 * Compares corrections, retractions and outcomes with the entries that they reference.
 * @param knownEntries earlier entries that were already checked
 */
export function createTargetCheck(knownEntries: readonly LogEntry[] = []) {
  const recentTargets = new Map<number, Target>(knownEntries.map((entry) => [entry.index, toTarget(entry)]))
  const openTargets: UncheckedReference[] = []

  /** Adds an entry that later entries may reference. Does not check its own target. */
  function remember(index: number, leafHash: Hex, statement: Statement | null): void {
    recentTargets.set(index, { leafHash, statement })
    recentTargets.delete(index - maxRecentEntries)
  }

  return {
    open: openTargets as readonly UncheckedReference[],
    remember,

    /** Adds an entry that passed all other checks. Returns a problem with its target, or null. */
    add(index: number, leafHash: Hex, statement: Statement | null): string | null {
      remember(index, leafHash, statement)
      const target = statement && findTarget(statement)
      if (!target) return null
      const foundTarget = recentTargets.get(target.targetIndex)
      if (!foundTarget) openTargets.push(target)
      return foundTarget ? compareTarget(target, foundTarget) : null
    },

    settle(target: UncheckedReference, proof: TargetProof, tree: { size: number; root: Uint8Array }): string | null {
      const { targetIndex } = target
      const { leafHash, merklePath, bytes } = proof
      const path = merklePath.map(hexToBytes)
      if (!verifyInclusion({ leafHash: hexToBytes(leafHash), index: targetIndex, path, ...tree })) {
        return `Entry ${targetIndex}, the target of entry ${target.index}, is not shown to be in the log`
      }
      const content = bytes === null ? null : textToBytes(bytes)
      if (content && bytesToHex(hashLeaf(content)) !== leafHash) {
        return `The leaf hash of entry ${targetIndex} is not that of its content`
      }
      const problem = compareTarget(target, { leafHash, statement: content && decodeStatement(content) })
      if (!problem) openTargets.splice(0, openTargets.length, ...openTargets.filter((other) => other !== target))
      return problem
    },
  }
}

const kindNouns = {
  alert: 'an alert',
  correction: 'a correction',
  retraction: 'a retraction',
  keys: 'a key list',
  heartbeat: 'a heartbeat',
  succession: 'a succession',
  outcome: 'an outcome',
} as const satisfies Record<Statement['kind'], string>

function toTarget(entry: LogEntry): Target {
  return { leafHash: entry.leafHash, statement: readContent(entry) }
}

function findTarget(statement: Statement): UncheckedReference | null {
  if (statement.kind === 'outcome') {
    const { kind, index, targetIndex, targetLeafHash, origin } = statement
    return { index, kind, targetIndex, targetLeafHash, copiedFields: { origin } }
  }
  if (!isAlertStatement(statement) || statement.kind === 'alert') return null
  const { kind, index, targetIndex, targetLeafHash } = statement
  if (targetIndex === null || targetLeafHash === null) return null
  const { asset, priority, anomalyType, regime, confidence } = statement
  const copiedFields = kind === 'retraction' ? { asset, priority, anomalyType, regime, confidence } : {}
  return { index, kind, targetIndex, targetLeafHash, copiedFields }
}

function compareTarget(target: UncheckedReference, { leafHash, statement }: Target): string | null {
  const { index, kind, targetIndex, targetLeafHash, copiedFields } = target
  const name = `Entry ${index} is ${kindNouns[kind]} of entry ${targetIndex}`
  if (leafHash !== targetLeafHash) return `${name} and names another leaf hash than that entry has`
  if (!statement) return null
  const isTarget = kind === 'outcome' ? statement.kind === 'alert' : isAlertStatement(statement)
  if (!isTarget || !isAlertStatement(statement)) return `${name}, which is ${kindNouns[statement.kind]}`
  const changedField = repeatedFields.find((field) => field in copiedFields && statement[field] !== copiedFields[field])
  return changedField ? `${name} and names another ${changedField}` : null
}
