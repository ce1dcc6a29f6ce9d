import {
  type AlertStatement,
  bytesToHex,
  createLogCheck,
  decodeStatement,
  isAlertStatement,
  type LogEntry,
} from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { listChainAnchors, readLatestAnchor } from './anchor-contract.ts'
import { recoverKey } from './assert-verifiable.ts'
import { type Entry, extendHead, parseHead, presentEntry } from './log.ts'
import type { MirrorHeader } from './log-mirror.ts'
import { mirrorAnchors } from './mirror-anchors.ts'
import { proofDomain } from './service.ts'
import * as store from './store.ts'

/** Stores the alerts among adopted entries. */
export type InsertAdopted = (tx: Tx, statements: AlertStatement[]) => Promise<void>

/**
 * Continues the log of this database with entries of a verifier's mirror, so that an old backup becomes the log that is
 * anchored. Everything is checked first: against our own entries, by the rules of every verifier, and against every anchor.
 * @throws Refusal with a sentence; nothing is changed then
 */
export async function adoptLog(
  ctx: Context,
  { header, entries }: { header: MirrorHeader; entries: LogEntry[] },
  insertAlerts: InsertAdopted,
): Promise<{ from: number; size: number }> {
  const { chainId, verifyingContract } = proofDomain(ctx)
  if (header.chainId !== chainId || header.contract.toLowerCase() !== verifyingContract.toLowerCase()) {
    throw refused(
      `The mirror is of the log at ${header.contract} on chain ${header.chainId}, not of the configured one`,
    )
  }
  const adopted = await ctx.db.transaction(async (tx) => {
    const head = parseHead((await store.lockHead(tx)).row)
    const whole = await completeFromOwn(tx, entries, head.size)
    await assertAnchored(ctx, whole)
    const fresh = whole.slice(head.size).map(({ bytes, signature }) => ({ bytes: Buffer.from(bytes), signature }))
    if (fresh.length === 0) throw refused(`The mirror has ${entries.length} entries, and all of them are here already`)
    await insert(ctx, tx, head, fresh)
    const statements = fresh.map(({ bytes }) => decodeStatement(bytes))
    for (const { kind, index } of statements) if (kind === 'keys') await store.insertKeyList(tx, index)
    await insertAlerts(tx, statements.filter(isAlertStatement))
    await store.deleteStop(tx)
    return { from: head.size, size: whole.length }
  })
  await mirrorAnchors(ctx)
  return adopted
}

interface Whole extends LogEntry {
  bytes: string
  signature: string
}

/** Our own entries are the mirror's, and say what the mirror was not shown. */
async function completeFromOwn(tx: Tx, entries: readonly LogEntry[], size: number): Promise<Whole[]> {
  const own = (await store.listEntries(tx, 0, size)).map(presentEntry)
  const other = own.find(({ index, leafHash }) => entries[index] && entries[index].leafHash !== leafHash)
  if (other) throw refused(`The mirror is another log than the one in this database, from entry ${other.index} on`)
  return entries.map((entry, at) => {
    const { index, leafHash, bytes, signature } = own[at] ?? entry
    if (bytes !== null && signature !== null) return { index, leafHash, bytes, signature }
    throw refused(
      `The mirror has no content of entry ${entry.index}, which was not public when it was made, and the database has not ` +
        'either. Take a mirror that was made later, or begin a successor log (log succeed)',
    )
  })
}

async function assertAnchored(ctx: Context, entries: readonly Whole[]): Promise<void> {
  const latest = await readLatestAnchor(ctx)
  if (latest.size > entries.length) {
    throw refused(`The mirror has ${entries.length} entries, but ${latest.size} are anchored: take a newer mirror`)
  }
  const anchors = await listChainAnchors(ctx, { aboveSize: 0, fromBlock: 0n, latestSize: latest.size })
  const [first] = entries
  if (!first) throw refused('The mirror has no entries')
  const firstSigner = decodeStatement(Buffer.from(first.bytes)).signer
  const check = createLogCheck({ domain: proofDomain(ctx), firstSigner, recoverKey })
  for (const entry of entries) {
    demand(check.add(entry))
    const anchor = anchors[0]?.size === check.size ? anchors.shift() : undefined
    if (!anchor) continue
    demand(
      check.checkAnchor({ size: anchor.size, root: bytesToHex(anchor.root), blockAt: anchor.blockAt.toISOString() }),
    )
  }
}

async function insert(ctx: Context, tx: Tx, head: ReturnType<typeof parseHead>, entries: Entry[]): Promise<void> {
  const lists = entries.map(({ bytes }) => decodeStatement(bytes)).filter((statement) => statement.kind === 'keys')
  const signer = lists.at(-1)?.keys.at(-1)?.address ?? head.signer
  const next = extendHead(head, entries, signer)
  await store.insertEntries(tx, head.size, entries, next.leafHashes, ctx.clock.now())
  await store.insertNodes(tx, next.nodes)
  await store.moveHead(tx, head.size, next.head)
}

function demand(problem: string | null): void {
  if (problem !== null) throw refused(`The mirror is not a log that verifiers accept. ${problem}`)
}

function refused(sentence: string): Refusal {
  return new Refusal('malformed', `${sentence}. Nothing was changed.`)
}
