import {
  appendLeaf,
  bytesToHex,
  createLogCheck,
  decodeStatement,
  emptyFrontier,
  type Frontier,
  frontierRoot,
  type LogCheck,
} from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { loadNodes, proveInclusions } from '../../inclusion-proofs.ts'
import { isUnreachable, readLatestAnchor } from './anchor-contract.ts'
import { isSameHash, LogFault, presentEntry } from './log.ts'
import { assertOwnAnchors } from './mirror-anchors.ts'
import { assertOwnContract } from './own-contract.ts'
import { getProofDomain } from './proof-domain.ts'
import { listPublishedKeys } from './service.ts'
import * as store from './store.ts'

/** The anchor node gave no usable answer, so the log was not compared with the chain. */
export class AnchorNodeUnreachable extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(`The anchor node does not respond (${reason}): the log could not be compared with the chain.`)
    this.reason = reason
  }
}

/**
 * Rejects a log that is shorter than the anchored one or differs from it: an old backup or another
 * database was restored. Run this check before anything is appended. If the anchor chain is
 * unreachable, the log is compared only with the stored anchors. The anchoring worker compares it
 * with the chain later.
 * @throws LogFault with instructions
 */
export async function assertLogMatchesAnchors(ctx: Context): Promise<void> {
  try {
    await assertLogMatchesChain(ctx)
  } catch (error) {
    if (!(error instanceof AnchorNodeUnreachable)) throw error
    ctx.logger.warn(
      { reason: error.reason },
      'the anchor chain does not respond; the log is compared only with the stored anchors',
    )
  }
}

/**
 * Like `assertLogMatchesAnchors`, but fails if the anchor chain is unreachable.
 * @throws LogFault with instructions
 * @throws AnchorNodeUnreachable if the log matches the stored anchors, but the chain was not read
 */
export async function assertLogMatchesChain(ctx: Context): Promise<void> {
  await assertOwnContract(ctx)
  const savedAnchor = await store.findNewestAnchor(ctx.db)
  if (savedAnchor) await assertOwnAnchors(ctx, [savedAnchor])
  const latestAnchor = await readLatestAnchor(ctx).catch((error: unknown) => {
    throw isUnreachable(error) ? new AnchorNodeUnreachable(error.shortMessage) : error
  })
  if (latestAnchor.size > 0) await assertOwnAnchors(ctx, [latestAnchor])
}

const BATCH = 1_000

/**
 * Recomputes the whole log from its entries. Makes the checks of every verifier (sequence,
 * statements, leaf hashes, signatures, keys, corrections, the root of every stored anchor). Also
 * checks every stored node, the key lists and the head. Takes O(size) time and constant memory.
 * Reads one snapshot, so that entries and anchors can be added during the check.
 * @throws LogFault naming the first fault
 */
export async function checkLog(ctx: Context): Promise<CheckedLogState> {
  return ctx.db.transaction(
    async (tx) => {
      // The connection is idle while a batch of signatures is verified, so disable this timeout.
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
      // The cast is safe: a transaction has all properties of a database that the check uses.
      return checkSnapshot({ ...ctx, db: tx as unknown as Database })
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

type CheckedLogState = { size: number; root: Uint8Array } & Pick<
  LogCheck,
  'unprovenTimes' | 'unprovenOutcomes' | 'unprovenOthers'
>

async function checkSnapshot(ctx: Context): Promise<CheckedLogState> {
  const anchors = await store.listAnchors(ctx.db)
  const check = await createStoredLogCheck(ctx)
  let frontier: Frontier = emptyFrontier
  let nodeCount = 0
  for (;;) {
    const entries = await store.listEntries(ctx.db, frontier.size, BATCH)
    if (entries.length === 0) break
    const nodes: StoredNode[] = []
    for (const entry of entries) {
      assertNoProblem(check.add(presentEntry(entry)))
      const appended = appendLeaf(frontier, entry.leafHash)
      frontier = appended.frontier
      nodes.push(...appended.nodes)
      if (anchors[0]?.size === frontier.size) checkAnchor(check, anchors.shift())
    }
    await checkNodes(ctx, nodes)
    nodeCount += nodes.length
  }
  if (anchors.length > 0) throw new LogFault(`The anchor of size ${anchors[0]?.size} is larger than the log`)
  await checkOpenTargets(ctx, check)
  await checkHead(ctx, check, frontier)
  if ((await store.countNodes(ctx.db)) !== nodeCount) throw new LogFault('The log has nodes that belong to no entry')
  const { unprovenTimes, unprovenOutcomes, unprovenOthers } = check
  return { size: frontier.size, root: frontierRoot(frontier), unprovenTimes, unprovenOutcomes, unprovenOthers }
}

/**
 * Starts a check with the first key in the log itself. External verifiers get that key from
 * elsewhere.
 */
async function createStoredLogCheck(ctx: Context): Promise<LogCheck> {
  const [firstKey] = await listPublishedKeys(ctx)
  const firstSigner = firstKey?.address
  if (!firstSigner) throw new Error('There is no key to check the log with')
  return createLogCheck({ domain: getProofDomain(ctx), firstSigner })
}

function assertNoProblem(problem: string | null): void {
  if (problem !== null) throw new LogFault(problem)
}

function checkAnchor(check: LogCheck, anchor: store.AnchorRow | undefined): void {
  if (!anchor) return
  const { size, root, blockAt } = anchor
  assertNoProblem(check.checkAnchor({ size, root: bytesToHex(root), blockAt: blockAt.toISOString() }))
}

type StoredNode = ReturnType<typeof appendLeaf>['nodes'][number]

async function checkNodes(ctx: Context, nodes: readonly StoredNode[]): Promise<void> {
  const getNode = await loadNodes(
    ctx.db,
    nodes.map(({ id }) => id),
  )
  for (const { id, hash } of nodes) {
    if (!isSameHash(getNode(id), hash)) throw new LogFault(`Node ${id.level}/${id.index} is wrong`)
  }
}

/** Checks the corrections, retractions and outcomes whose targets were no longer in memory. */
async function checkOpenTargets(ctx: Context, check: LogCheck): Promise<void> {
  for (const target of [...check.openTargets]) {
    const [row] = await store.listEntries(ctx.db, target.targetIndex, 1)
    const [merklePath] = await proveInclusions(ctx.db, [{ index: target.targetIndex, size: check.size }])
    if (!row || !merklePath) throw new LogFault(`Entry ${target.targetIndex} is missing`)
    const { leafHash, bytes } = presentEntry(row)
    assertNoProblem(check.settleTarget(target, { leafHash, bytes, merklePath }))
  }
}

async function checkHead(ctx: Context, { keys, counts }: LogCheck, frontier: Frontier): Promise<void> {
  const head = await store.findHead(ctx.db)
  if (head.size !== frontier.size || !isSameHash(head.root, frontierRoot(frontier)))
    throw new LogFault('The head does not match the entries')
  const lists = await store.listKeyLists(ctx.db)
  if (lists.length !== counts.keyLists || !lists.every(({ entry }) => decodeStatement(entry.bytes).kind === 'keys'))
    throw new LogFault('The key lists do not match the entries')
  const newestKeyAddress = counts.keyLists === 0 ? null : keys.at(-1)?.address
  if (head.signer !== newestKeyAddress)
    throw new LogFault(`The head names the key ${head.signer}, the newest key list ${newestKeyAddress}`)
}
