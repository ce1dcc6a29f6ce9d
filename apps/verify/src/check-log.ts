import {
  type AnchoredEvent,
  createLogCheck,
  type DecodedEntry,
  decodeKeys,
  type LogEntry,
  maxRecentEntries,
} from '@tocsin/proof'
import { type AnchorState, findFirstBlock, readAnchorState, readAnchors } from './chain-anchors.ts'
import { createCheckPool } from './check-pool.ts'
import { findForgery, type Note, readNote } from './checkpoint-file.ts'
import { openFileSource } from './file-source.ts'
import { assertWritable, readInputFile, writeOutputFile } from './input.ts'
import { createOutcome, type Run, reportSteps } from './log-report.ts'
import { createLogSource, type GivenConfig, type LogSource } from './log-source.ts'
import { CheckStopped, createStepFailure, runPartOfStep } from './log-steps.ts'
import { openMirror } from './mirror-file.ts'
import type { LogOptions } from './options.ts'
import { CannotCheck, type Outcome, UsageProblem } from './outcome.ts'
import { findFastPrimitives } from './primitives.ts'
import { formatEntryCount, formatNumber, type Progress } from './progress.ts'
import type { EvaluatorOptions } from './record-evaluator.ts'
import { createRpc } from './rpc.ts'
import { type CheckedEntry, type CheckedLog, checkRecord } from './track-record.ts'
import { resolveTrust, type Trust } from './trust.ts'

const PAGE_SIZE = 1000
const PAGES_AHEAD = 2
/**
 * Minimum number of entries for a pool of threads. With fewer, starting threads takes longer than
 * the check.
 */
const MIN_POOLED_ENTRIES = 3000
/**
 * Maximum number of unanchored entries, more than a day-long outage of the chain leaves. Without a
 * limit, a malicious server could send invented entries endlessly.
 */
const MAX_UNANCHORED = 1_000_000

/** Checks the whole log of a server or a file, entry by entry, against the anchors on the chain. */
export async function checkLog(options: LogOptions, progress: Progress): Promise<Outcome> {
  const run = await prepareRun(options, progress)
  try {
    await runSteps(run, { entries: [], anchors: [] })
    return createOutcome(run, null)
  } catch (error) {
    if (!(error instanceof CheckStopped)) throw error
    run.steps.set(error.step, { status: error.status, reason: error.message })
    return createOutcome(run, error)
  } finally {
    await run.pool?.close()
    await run.mirror?.close()
  }
}

async function prepareRun(options: LogOptions, progress: Progress): Promise<Run> {
  const keptCheckpoint = options.checkpointFile === null ? null : await readKeptCheckpoint(options.checkpointFile)
  if (options.saveCheckpointFile !== null) await assertWritable(options.saveCheckpointFile)
  const server = await openSource(options)
  const config = await server.readConfig()
  const trust = readTrust(options, config, server)
  const { domain, firstSigner } = trust
  return {
    options,
    progress,
    server,
    trust,
    rpc: createRpc(trust.rpcUrl, options),
    check: createLogCheck({ domain, firstSigner, primitives: await findFastPrimitives() }),
    pool: null,
    kept: keptCheckpoint,
    sinceSize: options.sinceSize,
    steps: new Map(),
    anchors: { count: 0, newest: null, fromBlock: 0 },
    withheld: { count: 0, first: null, indexes: new Set() },
    unsettled: [],
    size: null,
    mirror: options.mirrorFile === null ? null : await openMirror(options.mirrorFile, trust),
    notes: [],
    facts: {},
  }
}

async function openSource(options: LogOptions): Promise<LogSource> {
  if (options.serverUrl) {
    const apiKey = options.apiKeyFile === null ? null : await readApiKey(options.apiKeyFile)
    return createLogSource(options.serverUrl, options, apiKey)
  }
  if (options.file === null) throw new Error('Neither a server nor a file was given')
  return openFileSource(options.file)
}

async function readApiKey(file: string): Promise<string> {
  const text = await readInputFile(file).catch((error: unknown) => {
    throw error instanceof UsageProblem ? error : createApiKeyError()
  })
  const key = text.trim()
  if (!/^tocsin_[\w-]{43}$/.test(key)) throw createApiKeyError()
  return key
}

function createApiKeyError(): UsageProblem {
  return new UsageProblem('The file of --api-key-file holds no API key (tocsin_ and 43 characters)')
}

function readTrust(options: LogOptions, config: GivenConfig, { kind }: LogSource): Trust {
  try {
    return resolveTrust(options.pins, config, kind)
  } catch (error) {
    if (error instanceof UsageProblem || !(error instanceof Error)) throw error
    throw new CannotCheck(`The ${kind}'s configuration is malformed: ${error.message}`)
  }
}

async function readKeptCheckpoint(file: string): Promise<Note> {
  try {
    return readNote(await readInputFile(file))
  } catch (error) {
    if (error instanceof UsageProblem) throw error
    throw new UsageProblem(
      `The file of --checkpoint contains no checkpoint: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/**
 * Checks the log of a server or file. Reads the chain before the log: the log that a server returns
 * after that must contain every entry that the chain has anchored. Reads the track record before
 * the chain, so that the chain returns the record's anchor.
 */
async function runSteps(run: Run, log: CheckedLog): Promise<void> {
  const { steps, options, server } = run
  const site = options.trackRecord ? runPartOfStep('record', () => server.readTrackRecord(options.recordOrigin)) : null
  // The record step, the last one, awaits the promise again and reports its error.
  await site?.catch(() => {})
  const state = await runPartOfStep('chain', () => readChainState(run))
  steps.set('chain', {
    status: 'passed',
    reason: `The contract has anchored ${formatEntryCount(state.latestSize)} by block ${formatNumber(state.block)}`,
  })
  const { size, checkpoint } = await runPartOfStep('checkpoint', () => readClaim(run, state))
  run.size = size
  await readLog(run, state, size, log)
  await runPartOfStep('entries', () => checkOpenTargets(run))
  reportSteps(run, state, size)
  assertCheckpoint(run, checkpoint)
  assertKeptCheckpoint(run)
  if (site) await checkRecord(run, await site, log)
  if (options.saveCheckpointFile !== null && checkpoint)
    await writeOutputFile(options.saveCheckpointFile, checkpoint.note)
  await run.mirror?.keep()
}

async function readChainState({ rpc, trust, options, anchors }: Run): Promise<AnchorState> {
  const state = await readAnchorState(rpc, trust.domain)
  anchors.fromBlock = options.fromBlock ?? (await findFirstBlock(rpc, trust.domain.verifyingContract, state.block))
  return state
}

/** The number of entries that the server or file claims to have. */
interface LogClaim {
  size: number
  /** Null for a file. */
  checkpoint: Note | null
}

async function readClaim({ server, kept }: Run, { latestSize }: AnchorState): Promise<LogClaim> {
  const claim = await readServerClaim(server)
  const { size, checkpoint } = claim
  // A file may be an older copy. It fails later, in readLog, after its entries have been checked,
  // so that an edited entry is reported first.
  if (size < latestSize && server.kind === 'server') {
    throw createStepFailure(
      'entries',
      `The chain has anchored ${formatEntryCount(latestSize)}, the server shows ${formatNumber(size)}`,
      size,
    )
  }
  if (size - latestSize > MAX_UNANCHORED) {
    const excessText = `${formatEntryCount(size - latestSize)} beyond the newest anchor`
    throw createStepFailure('checkpoint', `The ${server.kind} claims ${excessText}, more than can be on their way`)
  }
  if (!kept) return claim
  if (checkpoint && kept.origin !== checkpoint.origin) {
    throw new UsageProblem(`The kept checkpoint is of the log ${kept.origin}, the server shows ${checkpoint.origin}`)
  }
  if (size < kept.size) {
    throw createStepFailure(
      'kept',
      `The log had ${formatEntryCount(kept.size)} when the checkpoint was kept, now ${formatNumber(size)}`,
      size,
    )
  }
  return claim
}

async function readServerClaim(server: LogSource): Promise<LogClaim> {
  if (server.size !== null) return { size: server.size, checkpoint: null }
  const checkpoint = parseServerNote(await server.readCheckpoint(), server)
  return { size: checkpoint.size, checkpoint }
}

function parseServerNote(text: string, { name }: LogSource): Note {
  try {
    return readNote(text)
  } catch {
    throw new CannotCheck(`${name} does not respond to /api/log/checkpoint with a checkpoint`)
  }
}

interface Page {
  entries: LogEntry[]
  read: (DecodedEntry | null)[] | undefined
}

/** Yields the pages of the log in order. The next page is prepared while one is checked. */
async function* readPages(run: Run, size: number): AsyncGenerator<Page> {
  const pages: Promise<Page>[] = []
  for (let from = 0; from < size || pages.length > 0; from += PAGE_SIZE) {
    if (from < size) {
      const page = runPartOfStep('entries', () => readPage(run, from, size))
      // Without this handler, a failed page that is never awaited would end the process.
      page.catch(() => {})
      pages.push(page)
    }
    const isLast = from + PAGE_SIZE >= size
    if (pages.length < PAGES_AHEAD && !isLast) continue
    const first = pages.shift()
    if (first) yield await first
  }
}

async function readPage({ server, pool, sinceSize }: Run, from: number, size: number): Promise<Page> {
  const entries = await server.readEntries(from, Math.min(PAGE_SIZE, size - from))
  const isChecked = from + PAGE_SIZE > sinceSize
  return { entries, read: isChecked ? await pool?.read(entries) : undefined }
}

/** Checks the entries of the server, and each anchor of the chain when the log reaches its size. */
async function readLog(run: Run, state: AnchorState, size: number, log: CheckedLog): Promise<void> {
  const { rpc, trust, anchors, progress } = run
  const range = { fromBlock: anchors.fromBlock, toBlock: state.block }
  const foundAnchors = readAnchors(rpc, trust.domain, range, (done, total) => progress.show(done, total, 'blocks'))
  const nextAnchor = () => runPartOfStep('roots', async () => (await foundAnchors.next()).value ?? null)
  let anchor = await nextAnchor()
  assertKeptRoot(run)
  if (size >= MIN_POOLED_ENTRIES)
    run.pool = createCheckPool({ domain: trust.domain, evaluator: getEvaluatorOptions(run) })
  let nextIndex = 0
  for await (const { entries, read } of readPages(run, size)) {
    for (const [entryOffset, entry] of entries.entries()) {
      const content = read?.[entryOffset] ?? null
      addEntry(run, entry, content)
      assertKeptRoot(run)
      if (run.options.trackRecord) log.entries.push(toCheckedEntry(entry, content))
      if (anchor?.size !== run.check.size) continue
      addAnchor(run, anchor)
      log.anchors.push(anchor)
      anchor = await nextAnchor()
    }
    await run.mirror?.add(entries)
    nextIndex = Math.min(nextIndex + PAGE_SIZE, size)
    if (run.check.size < nextIndex) {
      throw createStepFailure(
        'entries',
        `The ${run.server.kind} has no entry ${run.check.size}, though it has signed ${size}`,
        run.check.size,
      )
    }
    progress.show(nextIndex, size, 'entries')
  }
  if (anchor)
    throw createStepFailure('entries', describeMissingEnd(run, Math.max(anchor.size, state.latestSize), size), size)
  const newestSize = anchors.newest?.size ?? 0
  if (newestSize !== state.latestSize) {
    const sizesText = `The contract's newest anchor is of ${state.latestSize} entries, the newest event that the node shows of ${newestSize}`
    throw new CheckStopped(
      'roots',
      'unavailable',
      `${sizesText}: give another node with --rpc, or an earlier --from-block`,
    )
  }
}

function describeMissingEnd({ server, anchors }: Run, anchoredSize: number, size: number): string {
  const sizesText = `The chain has anchored ${formatEntryCount(anchoredSize)}, the ${server.kind} shows ${formatNumber(size)}`
  if (server.kind === 'server') return sizesText
  const sameText = anchors.newest ? `. Its first ${formatEntryCount(anchors.newest.size)} are those of the chain` : ''
  return `${sizesText}: it is older than the newest anchor, or lacks its end${sameText}`
}

function addEntry({ check, sinceSize, withheld }: Run, entry: LogEntry, read: DecodedEntry | null): void {
  const { index } = entry
  if (entry.bytes === null) withheld.indexes.add(index)
  if (entry.bytes === null && index >= sinceSize) {
    withheld.count += 1
    withheld.first ??= index
  }
  const isChecked = index >= sinceSize || isKeyList(entry)
  // Later entries are compared with the content of the last entries before `sinceSize`. Older
  // content is dropped, because decoding it would take most of the time of the run.
  const isRemembered = index >= sinceSize - maxRecentEntries
  const skippedEntry = isRemembered ? entry : { ...entry, bytes: null, signature: null }
  const problem = isChecked ? check.add(entry, read) : check.skip(skippedEntry)
  if (problem !== null) throw createStepFailure('entries', problem, check.size)
}

/**
 * Converts an entry for the check of the record. Drops the bytes if the content is decoded, because
 * keeping both of a long log would take too much memory.
 */
function toCheckedEntry({ index, leafHash, bytes }: LogEntry, read: DecodedEntry | null): CheckedEntry {
  return { index, leafHash, statement: read?.statement ?? null, bytes: read ? null : bytes }
}

function getEvaluatorOptions({
  options: { trackRecord, candles, timeoutMs },
  server: { url },
}: Run): EvaluatorOptions | null {
  return trackRecord && url ? { candles, serverUrl: url.href, timeoutMs } : null
}

function isKeyList({ bytes }: LogEntry): boolean {
  try {
    return bytes !== null && decodeKeys(new TextEncoder().encode(bytes)).kind === 'keys'
  } catch {
    return false
  }
}

function addAnchor({ check, anchors }: Run, anchor: AnchoredEvent): void {
  const problem = check.checkAnchor(anchor)
  if (problem !== null) throw createStepFailure('roots', describeBreak(problem, anchor, anchors.newest))
  anchors.count += 1
  anchors.newest = anchor
}

/**
 * Describes where the log differs from the anchored one: between the last matching anchor and the
 * first anchor that does not match.
 */
function describeBreak(
  problem: string,
  { size, blockNumber }: AnchoredEvent,
  previousAnchor: AnchoredEvent | null,
): string {
  const firstIndex = previousAnchor?.size ?? 0
  const entryText = size - firstIndex === 1 ? `Entry ${firstIndex}` : `One of the entries ${firstIndex} to ${size - 1}`
  return `${problem} (block ${blockNumber}). ${entryText} differs from the anchored log`
}

/** Fetches referenced entries that are no longer in memory again, and checks the references. */
async function checkOpenTargets({ check, server, withheld, unsettled }: Run): Promise<void> {
  for (const target of [...check.openTargets]) {
    const { index, targetIndex } = target
    const proof = await server.readInclusion(targetIndex, check.size)
    if (!proof) {
      if (!withheld.indexes.has(targetIndex)) {
        const claim = `The ${server.kind} says that entry ${targetIndex}, the target of entry ${index}, is not public yet`
        throw new CheckStopped('entries', 'unavailable', `${claim}, although it has sent its content`)
      }
      unsettled.push(index)
      continue
    }
    const problem = check.settleTarget(target, proof)
    if (problem !== null) throw createStepFailure('entries', problem, index)
  }
}

function assertKeptRoot({ check, kept }: Run): void {
  if (kept?.size !== check.size || kept.root === check.root()) return
  throw createStepFailure(
    'kept',
    `The first ${formatEntryCount(kept.size)} differ from the log of the kept checkpoint: two different logs were shown`,
  )
}

function assertCheckpoint({ check, steps }: Run, checkpoint: Note | null): void {
  if (!checkpoint) {
    steps.set('checkpoint', { status: 'skipped', reason: 'A file has no checkpoint' })
    return
  }
  const forgery = findForgery(checkpoint, check.keys)
  if (forgery !== null) throw createStepFailure('checkpoint', forgery)
  if (checkpoint.root !== check.root()) {
    throw createStepFailure(
      'checkpoint',
      `The root that the server signed for ${formatEntryCount(checkpoint.size)} does not match these entries`,
    )
  }
  steps.set('checkpoint', {
    status: 'passed',
    reason: `Signed by the log's key for ${formatEntryCount(checkpoint.size)}`,
  })
}

function assertKeptCheckpoint({ kept, check, steps }: Run): void {
  if (!kept) {
    steps.set('kept', { status: 'skipped', reason: 'No checkpoint was given (--checkpoint)' })
    return
  }
  const forgery = findForgery(kept, check.keys)
  if (forgery !== null) throw createStepFailure('kept', forgery)
  steps.set('kept', {
    status: 'passed',
    reason: `The log extends the ${formatEntryCount(kept.size)} of the kept checkpoint`,
  })
}
