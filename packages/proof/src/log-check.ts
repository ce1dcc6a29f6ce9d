import { type Address, bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { assertNextKeyList } from './key-list.ts'
import type { SigningKey } from './keys.ts'
import type { LogAnchor, LogEntry, NewestTime } from './log-entry.ts'
import {
  assertAnchor,
  assertPlace,
  assertSignature,
  assertSuccession,
  assertTime,
  assertVersion,
  isSalted,
  readContent,
} from './log-entry.ts'
import { createTargetCheck, type OpenTarget, type TargetProof } from './log-targets.ts'
import { createTimeCheck, type UnprovenTime } from './log-times.ts'
import type { RecoverKey } from './signature.ts'
import { isAlertStatement, type Statement } from './statement.ts'
import { appendLeaf, emptyFrontier, type Frontier, frontierRoot } from './tree.ts'
import type { ProofDomain } from './typed-data.ts'
import { sentenceOf } from './words.ts'

export interface LogCounts {
  alerts: number
  corrections: number
  retractions: number
  keyLists: number
  heartbeats: number
  successions: number
  /** Entries without content: nothing but their place in the tree is checked. */
  withheld: number
}

/** Checks a whole log, entry by entry, in memory that does not grow with it. */
export interface LogCheck {
  /** How many entries were taken. */
  readonly size: number
  /** The first bad thing, which ends the check. */
  readonly failure: string | null
  /** The windows by the newest key list; by the first key alone where there was none yet. */
  readonly keys: readonly SigningKey[]
  readonly counts: Readonly<LogCounts>
  /** Targets that stood too far back to be compared at once: see settleTarget. */
  readonly openTargets: readonly OpenTarget[]
  /** Alerts, corrections and retractions whose time of issue is not proven; the first hundred are listed. */
  readonly unprovenTimes: { readonly count: number; readonly unproven: readonly UnprovenTime[] }
  root(): Hex
  /** Takes the next entry. Answers the first bad thing in words, null as long as there is none. */
  add(entry: LogEntry): string | null
  /** Compares root and time with an anchor of exactly this size; an anchor above it means that entries are missing. */
  checkAnchor(anchor: LogAnchor): string | null
  /** Compares an old target, found anew with its inclusion in the tree as it is now, with what the correction says of it. */
  settleTarget(target: OpenTarget, proof: TargetProof): string | null
}

/** A log that has been checked up to a size: everything that the check of its next entry needs. */
export interface LogState {
  frontier: Frontier
  /** The windows of the newest key list, null before the first one. */
  keys: readonly SigningKey[] | null
  /** The latest createdAt so far. */
  newest: NewestTime | null
  /** An entry of version 2, null if there is none: from the first one on version 1 is refused. */
  firstSalted: number | null
  /** Earlier entries that the next ones may point at. A target that is missing here stays open. */
  targets: readonly LogEntry[]
}

const emptyLog: LogState = { frontier: emptyFrontier, keys: null, newest: null, firstSalted: null, targets: [] }

export interface LogCheckInput {
  domain: ProofDomain
  firstSigner: Address
  /** Where the check begins; at entry 0 unless given. The state is trusted. */
  from?: LogState
  recoverKey?: RecoverKey
}

/** Checks a log whose first key is known beforehand. */
export function createLogCheck({ domain, firstSigner, from = emptyLog, recoverKey }: LogCheckInput): LogCheck {
  const targets = createTargetCheck(from.targets)
  const times = createTimeCheck()
  const counts: LogCounts = {
    alerts: 0,
    corrections: 0,
    retractions: 0,
    keyLists: 0,
    heartbeats: 0,
    successions: 0,
    withheld: 0,
  }
  let { frontier, keys: lists, newest: newestAt, firstSalted } = from
  let failure: string | null = null

  const keysNow = (): readonly SigningKey[] =>
    lists ?? [{ address: firstSigner, checkpointKey: noCheckpointKey, fromIndex: 0, untilIndex: null }]

  function take(entry: LogEntry): void {
    const { index, leafHash } = entry
    assertPlace(entry, frontier.size)
    const statement = readContent(entry)
    if (statement) {
      assertSignature(entry.signature, statement, keysNow(), domain, recoverKey)
      assertVersion(statement, firstSalted)
      if (firstSalted === null && isSalted(statement)) firstSalted = index
      assertSuccession(statement, lists, domain)
      assertTime(statement, newestAt)
      if (statement.kind === 'keys') {
        assertNextKeyList(lists, statement)
        lists = statement.keys
      }
      const { createdAt } = statement
      if (!newestAt || createdAt > newestAt.createdAt) newestAt = { index, createdAt }
    }
    refuse(targets.add(index, leafHash, statement))
    countEntry(counts, statement)
    if (statement && isAlertStatement(statement)) times.add(index, statement.createdAt)
    frontier = appendLeaf(frontier, hexToBytes(leafHash)).frontier
  }

  /** The first bad thing stays the answer: nothing after it can be relied on. */
  function run(check: () => void): string | null {
    if (failure) return failure
    try {
      check()
    } catch (error) {
      failure = sentenceOf(error)
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
      return keysNow()
    },
    counts,
    openTargets: targets.open,
    unprovenTimes: times,
    root: () => bytesToHex(frontierRoot(frontier)),
    add: (entry) => run(() => take(entry)),
    checkAnchor: (anchor) =>
      run(() => {
        assertAnchor(anchor, frontier.size, bytesToHex(frontierRoot(frontier)), newestAt)
        if (anchor.blockAt !== undefined) times.anchor(anchor.blockAt)
      }),
    settleTarget: (target, proof) =>
      run(() => refuse(targets.settle(target, proof, { size: frontier.size, root: frontierRoot(frontier) }))),
  }
}

/** No key has signed checkpoints before the first list says which. */
const noCheckpointKey: Hex = `0x${'00'.repeat(32)}`

function refuse(problem: string | null): void {
  if (problem) throw new Error(problem)
}

const countOfKind = {
  alert: 'alerts',
  correction: 'corrections',
  retraction: 'retractions',
  keys: 'keyLists',
  heartbeat: 'heartbeats',
  succession: 'successions',
} as const satisfies Record<Statement['kind'], keyof LogCounts>

function countEntry(counts: LogCounts, statement: Statement | null): void {
  counts[statement ? countOfKind[statement.kind] : 'withheld'] += 1
}
