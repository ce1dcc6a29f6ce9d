import { type Address, bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { assertNextKeyList } from './key-list.ts'
import type { SigningKey } from './keys.ts'
import type { LogAnchor, LogEntry, NewestTime } from './log-entry.ts'
import {
  assertAnchor,
  assertCreatedAt,
  assertPosition,
  assertSignature,
  assertSuccession,
  assertVersion,
  isSalted,
  readContent,
} from './log-entry.ts'
import { createTargetCheck, type TargetProof, type UncheckedReference } from './log-targets.ts'
import { createTimeCheck, type UnprovenTimes } from './log-times.ts'
import type { Primitives } from './primitives.ts'
import { recoverSigner } from './signature.ts'
import { isAlertStatement, type Statement } from './statement.ts'
import { appendLeaf, emptyFrontier, type Frontier, frontierRoot } from './tree.ts'
import { hashStatement, type ProofDomain } from './typed-data.ts'
import { getErrorMessage } from './words.ts'

export interface LogCounts {
  alerts: number
  corrections: number
  retractions: number
  keyLists: number
  heartbeats: number
  successions: number
  outcomes: number
  /** Entries without content. Only their position and leaf hash are checked. */
  withheld: number
}

/** Verifies a whole log entry by entry in constant memory. */
export interface LogCheck {
  /** Number of entries checked so far. */
  readonly size: number
  /** The first problem found. No further checks are made after it. */
  readonly failure: string | null
  /** The signing keys of the newest key list. Before the first list, only the trusted first key. */
  readonly keys: readonly SigningKey[]
  readonly counts: Readonly<LogCounts>
  /**
   * Corrections, retractions and outcomes whose targets are no longer in memory. Callers must pass
   * each of them to `settleTarget`.
   */
  readonly openTargets: readonly UncheckedReference[]
  /** Alerts, corrections and retractions whose time of issue is not proven. */
  readonly unprovenTimes: UnprovenTimes
  readonly unprovenOutcomes: UnprovenTimes
  /**
   * Key lists, heartbeats and successions whose stated time is not proven. No verdict and no figure
   * depends on these times.
   */
  readonly unprovenOthers: UnprovenTimes
  root(): Hex
  /**
   * Checks the next entry. Returns the first problem found so far, or null.
   * @param read the result of readEntry for this entry, if the caller has it
   */
  add(entry: LogEntry, read?: DecodedEntry | null): string | null
  /**
   * Adds the next entry, whose content and signature an earlier check has accepted. Later entries
   * are compared with its content, but its own signature, target and time are not checked. It is
   * counted as withheld.
   */
  skip(entry: LogEntry): string | null
  /**
   * Checks an anchor of the current size. Its root must be the log's root, and its block time must
   * not be before the latest stated time. A larger size means that entries are missing.
   */
  checkAnchor(anchor: LogAnchor): string | null
  /**
   * Compares an entry from `openTargets` with its target. `proof` contains the target, and must
   * prove that the target is included in the current tree.
   */
  settleTarget(target: UncheckedReference, proof: TargetProof): string | null
}

/** The state of a check at some size: everything needed to continue with the next entry. */
export interface LogState {
  frontier: Frontier
  /** The keys of the newest key list. Null before the first one. */
  keys: readonly SigningKey[] | null
  /** The entry with the latest createdAt so far. */
  newest: NewestTime | null
  /** Index of the first entry of version 2, or null. After it, version 1 is rejected. */
  firstSaltedIndex: number | null
  /**
   * Earlier entries that later entries can reference. A reference to any other entry is added to
   * `openTargets`.
   */
  targets: readonly LogEntry[]
}

const emptyLog: LogState = { frontier: emptyFrontier, keys: null, newest: null, firstSaltedIndex: null, targets: [] }

export interface LogCheckInput {
  domain: ProofDomain
  firstSigner: Address
  /**
   * The state to start from, by default that of the empty log. It is not checked, so it must come
   * from a trusted source.
   */
  initialState?: LogState
  primitives?: Primitives | undefined
}

/** Creates a check of a log whose first key is trusted. */
export function createLogCheck({ domain, firstSigner, initialState = emptyLog, primitives }: LogCheckInput): LogCheck {
  const targets = createTargetCheck(initialState.targets)
  const timeChecks = { issue: createTimeCheck(), outcome: createTimeCheck(), other: createTimeCheck() }
  const counts: LogCounts = {
    alerts: 0,
    corrections: 0,
    retractions: 0,
    keyLists: 0,
    heartbeats: 0,
    successions: 0,
    outcomes: 0,
    withheld: 0,
  }
  let { frontier, keys: currentKeys, newest: newestTime, firstSaltedIndex } = initialState
  let failure: string | null = null

  const getCurrentKeys = (): readonly SigningKey[] =>
    currentKeys ?? [{ address: firstSigner, checkpointKey: noCheckpointKey, fromIndex: 0, untilIndex: null }]

  function addEntry(entry: LogEntry, readResult?: DecodedEntry | null): void {
    const { index, leafHash } = entry
    assertPosition(entry, frontier.size)
    const statement = readResult ? readResult.statement : readContent(entry)
    if (statement) {
      const recoverAddress = (signature: string) =>
        readResult?.signer ?? recoverEntrySigner(statement, signature, domain, primitives)
      assertSignature(entry.signature, statement, getCurrentKeys(), recoverAddress)
      assertVersion(statement, firstSaltedIndex)
      assertSuccession(statement, currentKeys, domain)
      assertCreatedAt(statement, newestTime)
      if (statement.kind === 'keys') {
        assertNextKeyList(currentKeys, statement)
        currentKeys = statement.keys
      }
      remember(statement)
    }
    assertNoProblem(targets.add(index, leafHash, statement))
    countEntry(counts, statement)
    if (statement) timeChecks[getTimeGroup(statement)].add(index, statement.createdAt)
    frontier = appendLeaf(frontier, hexToBytes(leafHash)).frontier
  }

  function skipEntry(entry: LogEntry): void {
    const { index, leafHash } = entry
    assertPosition(entry, frontier.size)
    const statement = readContent(entry)
    if (statement) remember(statement)
    targets.remember(index, leafHash, statement)
    countEntry(counts, null)
    frontier = appendLeaf(frontier, hexToBytes(leafHash)).frontier
  }

  /** Remembers what the rules for later entries depend on. */
  function remember(statement: Statement): void {
    const { index, createdAt } = statement
    if (firstSaltedIndex === null && isSalted(statement)) firstSaltedIndex = index
    if (!newestTime || createdAt > newestTime.createdAt) newestTime = { index, createdAt }
  }

  /**
   * Runs a check unless an earlier one failed. Keeps the first problem, because nothing after it is
   * reliable.
   */
  function runUnlessFailed(check: () => void): string | null {
    if (failure) return failure
    try {
      check()
    } catch (error) {
      failure = getErrorMessage(error)
    }
    return failure
  }

  return {
    get size() {
      return frontier.size
    },
    get failure() {
      return failure
    },
    get keys() {
      return getCurrentKeys()
    },
    counts,
    openTargets: targets.open,
    unprovenTimes: timeChecks.issue,
    unprovenOutcomes: timeChecks.outcome,
    unprovenOthers: timeChecks.other,
    root: () => bytesToHex(frontierRoot(frontier)),
    add: (entry, read) => runUnlessFailed(() => addEntry(entry, read)),
    skip: (entry) => runUnlessFailed(() => skipEntry(entry)),
    checkAnchor: (anchor) =>
      runUnlessFailed(() => {
        assertAnchor(anchor, frontier.size, bytesToHex(frontierRoot(frontier)), newestTime)
        if (anchor.blockAt === undefined) return
        for (const group of Object.values(timeChecks)) group.anchor(anchor.blockAt)
      }),
    settleTarget: (target, proof) =>
      runUnlessFailed(() =>
        assertNoProblem(targets.settle(target, proof, { size: frontier.size, root: frontierRoot(frontier) })),
      ),
  }
}

/** Content and signer of an entry, as checked by readEntry. */
export interface DecodedEntry {
  statement: Statement
  signer: Address
}

/**
 * Does the slow part of checking an entry: decodes the content, compares its leaf hash and recovers
 * the signer. Callers with several threads run this part in them, and pass the result to
 * LogCheck.add.
 * @returns null if the entry is withheld, or if content or signature are malformed; LogCheck.add
 * then names the problem of a malformed entry
 */
export function readEntry(entry: LogEntry, domain: ProofDomain, primitives?: Primitives): DecodedEntry | null {
  try {
    const statement = readContent(entry)
    const signer = statement && recoverEntrySigner(statement, entry.signature ?? '', domain, primitives)
    return signer && { statement, signer }
  } catch {
    return null
  }
}

function recoverEntrySigner(statement: Statement, signature: string, domain: ProofDomain, primitives?: Primitives) {
  return recoverSigner(hashStatement(domain, statement, primitives?.keccak256), signature, primitives)
}

/** Placeholder until the first key list, because only key lists publish checkpoint keys. */
const noCheckpointKey: Hex = `0x${'00'.repeat(32)}`

function getTimeGroup(statement: Statement): 'issue' | 'outcome' | 'other' {
  if (isAlertStatement(statement)) return 'issue'
  return statement.kind === 'outcome' ? 'outcome' : 'other'
}

function assertNoProblem(problem: string | null): void {
  if (problem) throw new Error(problem)
}

const countFieldByKind = {
  alert: 'alerts',
  correction: 'corrections',
  retraction: 'retractions',
  keys: 'keyLists',
  heartbeat: 'heartbeats',
  succession: 'successions',
  outcome: 'outcomes',
} as const satisfies Record<Statement['kind'], keyof LogCounts>

function countEntry(counts: LogCounts, statement: Statement | null): void {
  counts[statement ? countFieldByKind[statement.kind] : 'withheld'] += 1
}
