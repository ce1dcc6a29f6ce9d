import {
  type CandleSource,
  computeInclusionSteps,
  createLogCheck,
  decodeStatement,
  type Figures,
  findDifference,
  type Hex,
  hexToBytes,
  type LogCheck,
  type LogEntry,
  type LogState,
  listControlTasks,
  measureControlRates,
  type Primitives,
  type RecordAlert,
  type RecordAnchor,
  type RecordEntry,
  type Rpc,
  readAnchorEvidence,
  readRecord,
  summarizeFrom,
} from '@tocsin/proof'
import { formatCount } from '../../ui/count.ts'
import { checkKeys } from './check-log.ts'
import { openDayCandles } from './day-candles.ts'
import type { RecomputeResult, RecordSnapshot, Trust } from './proof-task.ts'

type RecordComputation = Omit<RecomputeResult, 'nodeUsage'>

/** Thrown if the entries do not belong to the log, or if the log does not match its anchor. */
class LogMismatchError extends Error {}

/**
 * Recomputes the last 30 days of the track record from the entries and messages, and compares each
 * alert and each figure with what this site shows.
 */
export async function recomputeRecord(
  snapshot: RecordSnapshot,
  trust: Trust,
  rpc: Rpc,
  primitives?: Primitives,
): Promise<RecordComputation> {
  const unchecked = [
    'Whether the candles are those of the exchange. The command-line tool can compare them with an archive.',
  ]
  const entries = snapshot.entries.length
  try {
    const check = await checkEntries(snapshot, { trust, rpc, primitives })
    await checkAnchor(snapshot, check, trust, rpc, unchecked)
    const candles = openDayCandles(snapshot.days)
    const alerts = readAlerts(snapshot, candles)
    const rates = measureControlRates(listControlTasks(alerts), toAnchors(snapshot), candles)
    const figures = summarizeFrom(alerts, snapshot.siteRecord.recent.fromIndex, rates)
    unchecked.push(...describeCandleDifferences(alerts))
    const difference = findDifferingAlert(snapshot, alerts) ?? findDifferingFigure(snapshot, figures)
    return { difference, entryCount: entries, outcomeCount: check.counts.outcomes, figures, unchecked }
  } catch (error) {
    if (!(error instanceof LogMismatchError)) throw error
    return {
      difference: error.message,
      entryCount: entries,
      outcomeCount: 0,
      figures: null,
      unchecked,
    }
  }
}

/** Verifies the position, content and signature of each entry. */
async function checkEntries(
  snapshot: RecordSnapshot,
  { trust, rpc, primitives }: { trust: Trust; rpc: Rpc; primitives: Primitives | undefined },
): Promise<LogCheck> {
  const { siteRecord, entries } = snapshot
  const { fromIndex } = siteRecord.recent
  const { domain, firstSigner } = trust
  const logState = fromIndex === 0 ? undefined : await computeLogStateBefore(snapshot, trust, rpc)
  const check = createLogCheck({ domain, firstSigner, primitives, ...(logState ? { initialState: logState } : {}) })
  for (const entry of entries) assertNoProblem(check.add(toEntry(entry)))
  if (check.size !== siteRecord.asOf.size) {
    throw new LogMismatchError(
      `The record covers ${formatCount(siteRecord.asOf.size)} entries, but the log has ${formatCount(check.size)}`,
    )
  }
  return check
}

/**
 * Derives the state of the log before the first entry. The left siblings in the inclusion proof of
 * that entry are the hashes of the tree before it.
 */
async function computeLogStateBefore(
  { siteRecord, keys, entries, inclusionPath }: RecordSnapshot,
  trust: Trust,
  rpc: Rpc,
): Promise<LogState> {
  const { fromIndex } = siteRecord.recent
  const [firstEntry] = entries
  const inclusionProof = { index: fromIndex, size: siteRecord.asOf.size, path: inclusionPath.map(hexToBytes) }
  const steps = firstEntry
    ? computeInclusionSteps({ ...inclusionProof, leafHash: hexToBytes(firstEntry.leafHash) })
    : null
  if (!steps) throw new LogMismatchError(`The proof of entry ${formatCount(fromIndex)} is malformed`)
  const hashes = steps.flatMap(({ side, sibling }) => (side === 'left' ? [sibling] : [])).reverse()
  const knownKeys = await checkKeys({ keys: keys.filter(({ index }) => index < fromIndex) }, trust, rpc)
  if (knownKeys.keys.length === 0)
    throw new LogMismatchError(`The keys of the log could not be verified: ${knownKeys.reason}`)
  return {
    frontier: { size: fromIndex, hashes },
    keys: knownKeys.keys,
    newest: null,
    firstSaltedIndex: null,
    targets: [],
  }
}

async function checkAnchor(
  { siteRecord, anchors }: RecordSnapshot,
  check: LogCheck,
  { domain }: Trust,
  rpc: Rpc,
  unchecked: string[],
): Promise<void> {
  const lastAnchor = anchors.at(-1)
  if (lastAnchor?.size !== siteRecord.asOf.size || lastAnchor.at !== siteRecord.asOf.at) {
    throw new LogMismatchError(
      `The record is as of ${formatCount(siteRecord.asOf.size)} entries, which is not an anchor of the log`,
    )
  }
  if (anchors.length > 1) {
    unchecked.push(
      'The times and hashes of earlier blocks, which draw the random minutes and prove the times of outcomes. They are statements of this site.',
    )
  }
  const evidence = await readAnchorEvidence(rpc, domain, lastAnchor.transactionHash, lastAnchor.size)
  if (evidence === 'unavailable') {
    unchecked.push(
      'The anchor. The anchor chain could not be reached, so the anchor’s root and time are only statements of this site.',
    )
    assertNoProblem(check.checkAnchor({ size: lastAnchor.size, root: toHex(lastAnchor.root), blockAt: lastAnchor.at }))
    return
  }
  if (evidence?.status !== 'success')
    throw new LogMismatchError('The chain has no anchor of this contract for the record')
  if (evidence.blockAt !== lastAnchor.at) {
    throw new LogMismatchError(
      `The anchor’s block has the time ${evidence.blockAt}, but this site says ${lastAnchor.at}`,
    )
  }
  assertNoProblem(check.checkAnchor(evidence))
}

function readAlerts(snapshot: RecordSnapshot, candles: CandleSource): RecordAlert[] {
  const { siteRecord, entries, messages } = snapshot
  const messagesByIndex = new Map(messages.map(({ index, message }) => [index, message]))
  const recordEntries = entries.map(({ index, leafHash, bytes }): RecordEntry => {
    const statement = bytes === null ? null : decodeStatement(new TextEncoder().encode(bytes))
    return { index, leafHash: toHex(leafHash), statement, message: messagesByIndex.get(index) ?? null }
  })
  return readRecord(recordEntries, {
    candles,
    anchors: toAnchors(snapshot),
    publicDelayMs: siteRecord.publicDelayHours * 3_600_000,
    origin: siteRecord.origin,
  })
}

function toAnchors({ anchors }: RecordSnapshot): RecordAnchor[] {
  return anchors.map(({ size, at, blockNumber, blockHash }) => {
    return { size, blockAt: at, blockNumber, blockHash: toHex(blockHash) }
  })
}

/**
 * Reports outcomes whose message contains candles that differ from this site's candles of the whole
 * day. Both come from this site, so a difference does not show which of them is wrong.
 */
function describeCandleDifferences(alerts: readonly RecordAlert[]): string[] {
  const alertsWithOtherCandles = alerts.filter(({ outcome }) => outcome?.comparison?.endsWith('-verdict'))
  if (alertsWithOtherCandles.length === 0) return []
  const [firstAlert] = alertsWithOtherCandles
  const names = `Entry ${formatCount(firstAlert?.index ?? 0)}${alertsWithOtherCandles.length > 1 ? ' and others' : ''}`
  return [`${names}: the candles of the outcome are not those of the whole day on this site.`]
}

/** Finds the first alert whose status on this site differs from the recomputed status. */
function findDifferingAlert(
  { alerts: shownAlerts }: RecordSnapshot,
  recomputedAlerts: readonly RecordAlert[],
): string | null {
  const statuses = new Map(shownAlerts.map(({ logIndex, status }) => [logIndex, status]))
  for (const { index, status, problem, outcome } of recomputedAlerts) {
    const shownStatus = statuses.get(index)
    statuses.delete(index)
    const reason = problem ?? outcome?.problem
    const recomputedText = `Entry ${formatCount(index)} has the status “${status}”${reason ? ` (${reason})` : ''}`
    if (shownStatus === undefined) return `${recomputedText}, and this site’s record leaves it out`
    if (shownStatus !== status) return `${recomputedText}, and this site counts it as ${shownStatus}`
  }
  const [extraIndex] = statuses.keys()
  return extraIndex === undefined ? null : `Entry ${formatCount(extraIndex)} is not an alert of the record`
}

function findDifferingFigure({ siteRecord }: RecordSnapshot, figures: Figures): string | null {
  const wrongFigure = findDifference(figures, siteRecord.recent.figures, 'figures')
  return wrongFigure === null ? null : `All alerts agree, but this site shows other ${wrongFigure}`
}

function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw new LogMismatchError(problem)
}

function toEntry({ index, leafHash, bytes, signature }: RecordSnapshot['entries'][number]): LogEntry {
  return { index, leafHash: toHex(leafHash), bytes, signature }
}

/** Casts a hash without validation: the hashes from this site are compared with computed hashes. */
const toHex = (hash: string) => hash as Hex
