import {
  type AlertStatement,
  bytesToHex,
  createLogCheck,
  decodeStatement,
  isAlertStatement,
  type LogCheck,
  type LogEntry,
  type OutcomeStatement,
} from '@tocsin/proof'
import { operator, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { primitives } from '../../primitives.ts'
import { Refusal } from '../../refusal.ts'
import { readLatestAnchor } from './anchor-contract.ts'
import { listAllAnchors, type SearchOptions } from './anchor-history.ts'
import { extendHead, type Head, LogFault, parseHead, presentEntry } from './log.ts'
import type { Mirror } from './log-mirror.ts'
import { mirrorAnchors } from './mirror-anchors.ts'
import { getProofDomain } from './proof-domain.ts'
import * as store from './store.ts'

/** Inserts the alerts and outcomes contained in the adopted entries. */
export type InsertAdoptedStatements = (tx: Tx, statements: (AlertStatement | OutcomeStatement)[]) => Promise<void>

/** Number of entries in memory at a time. */
const BATCH = 1_000

/**
 * Appends the entries of a verifier's mirror to this database's log, so that a restored old backup
 * catches up with the anchored log. Checks the entries that are already stored, the rules that
 * every verifier applies, and every anchor. Runs in one transaction, so a mirror that fails at its
 * last entry changes nothing. Changes nothing either if the log already has all entries.
 * @returns the size of the log before, and that of the mirror
 * @throws Refusal with a message for the operator; nothing has changed then
 */
export async function adoptLog(
  ctx: Context,
  { header, entries }: Mirror,
  insertAlerts: InsertAdoptedStatements,
  search: SearchOptions,
): Promise<{ from: number; size: number }> {
  const { chainId, verifyingContract } = getProofDomain(ctx)
  if (header.chainId !== chainId || header.contract.toLowerCase() !== verifyingContract.toLowerCase()) {
    throw createRefusal(
      `The mirror is of the log at ${header.contract} on chain ${header.chainId}, not of the configured one`,
    )
  }
  const latestAnchor = await readLatestAnchor(ctx)
  const anchors = await listAllAnchors(ctx, search)
  const uncheckedAnchors = [...anchors]
  const adoptedRange = await ctx.db.transaction(async (tx) => {
    let head = parseHead(await store.lockHead(tx))
    const from = head.size
    let check: LogCheck | null = null
    let size = 0
    for await (const batch of splitIntoBatches(entries)) {
      const completeEntries = await completeFromDatabase(tx, batch, { firstIndex: size, ownSize: from })
      for (const entry of completeEntries) {
        check ??= createMirrorCheck(ctx, entry)
        checkEntry(check, entry, uncheckedAnchors)
      }
      const newEntries = completeEntries.slice(Math.max(0, from - size))
      if (newEntries.length > 0) head = await insertEntries(ctx, tx, head, newEntries, insertAlerts)
      size += batch.length
    }
    if (size === 0) throw createRefusal('The mirror has no entries')
    if (latestAnchor.size > size) {
      throw createRefusal(`The mirror has ${size} entries, but ${latestAnchor.size} are anchored: take a newer mirror`)
    }
    if (size <= from) return { from, size }
    for (const anchor of anchors) await store.upsertAnchor(tx, anchor)
    await store.deleteStop(tx)
    const detail = { firstEntry: from, lastEntry: size - 1 }
    await recordAudit(tx, { ...operator, action: 'log_adopted', subject: null, detail, at: ctx.clock.now() })
    return { from, size }
  })
  // The entries are stored. If the node fails now, the anchoring worker mirrors the anchors later.
  await mirrorAnchors(ctx).catch((error: unknown) => {
    if (error instanceof LogFault) throw error
    ctx.logger.warn({ err: error }, 'the adopted anchors were not compared with the chain again')
  })
  return adoptedRange
}

async function* splitIntoBatches(entries: AsyncIterable<LogEntry>): AsyncGenerator<LogEntry[]> {
  let batch: LogEntry[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

interface CompleteEntry extends LogEntry {
  bytes: string
  signature: string
}

/**
 * Checks that the stored entries match the mirror's. Returns the mirror's entries, with content
 * from the database where the mirror lacks it.
 */
async function completeFromDatabase(
  tx: Tx,
  entries: readonly LogEntry[],
  { firstIndex, ownSize }: { firstIndex: number; ownSize: number },
): Promise<CompleteEntry[]> {
  const ownCount = Math.min(entries.length, ownSize - firstIndex)
  const ownEntries = ownCount > 0 ? (await store.listEntries(tx, firstIndex, ownCount)).map(presentEntry) : []
  const differingEntry = ownEntries.find(({ leafHash }, position) => entries[position]?.leafHash !== leafHash)
  if (differingEntry)
    throw createRefusal(
      `The mirror is another log than the one in this database, from entry ${differingEntry.index} on`,
    )
  return entries.map((entry, position) => {
    const { index, leafHash, bytes, signature } = ownEntries[position] ?? entry
    if (bytes !== null && signature !== null) return { index, leafHash, bytes, signature }
    throw createRefusal(
      `The mirror has no content of entry ${entry.index}, which was not public when it was made, and the database has not ` +
        'either. Take a mirror that was made with an API key (--api-key-file), or begin a successor log (log succeed)',
    )
  })
}

function createMirrorCheck(ctx: Context, firstEntry: CompleteEntry): LogCheck {
  const firstSigner = decodeStatement(Buffer.from(firstEntry.bytes)).signer
  return createLogCheck({ domain: getProofDomain(ctx), firstSigner, primitives })
}

/**
 * Checks an entry, and the anchor that ends with it.
 * @param uncheckedAnchors the anchors above the entries checked so far; the anchor that ends with
 *   this entry is removed
 */
function checkEntry(check: LogCheck, entry: CompleteEntry, uncheckedAnchors: store.AnchorRow[]): void {
  assertNoProblem(check.add(entry))
  const anchor = uncheckedAnchors[0]?.size === check.size ? uncheckedAnchors.shift() : undefined
  if (!anchor) return
  const { size, root, blockAt } = anchor
  assertNoProblem(check.checkAnchor({ size, root: bytesToHex(root), blockAt: blockAt.toISOString() }))
}

/**
 * Appends checked entries together with their nodes, key lists and alerts. Returns the new head.
 */
async function insertEntries(
  ctx: Context,
  tx: Tx,
  head: Head,
  completeEntries: readonly CompleteEntry[],
  insertAlerts: InsertAdoptedStatements,
): Promise<Head> {
  const entries = completeEntries.map(({ bytes, signature }) => ({ bytes: Buffer.from(bytes), signature }))
  const statements = entries.map(({ bytes }) => decodeStatement(bytes))
  const keyLists = statements.filter((statement) => statement.kind === 'keys')
  const signer = keyLists.at(-1)?.keys.at(-1)?.address ?? head.signer
  const extended = extendHead(head, entries, signer)
  await store.writeEntries(tx, head.size, entries, extended, ctx.clock.now())
  for (const { index } of keyLists) await store.insertKeyList(tx, index)
  await insertAlerts(
    tx,
    statements.filter((statement) => isAlertStatement(statement) || statement.kind === 'outcome'),
  )
  return extended.head
}

function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw createRefusal(`The mirror is not a log that verifiers accept. ${problem}`)
}

function createRefusal(sentence: string): Refusal {
  return new Refusal('malformed', `${sentence}. Nothing was changed.`)
}
