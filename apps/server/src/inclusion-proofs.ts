import {
  bytesToHex,
  consistencyProof,
  consistencyProofNodeIds,
  type Hex,
  inclusionProof,
  inclusionProofNodeIds,
  type NodeId,
} from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import { prepareStatement } from './db/prepared.ts'

/** Builds proofs from the stored nodes of the log, for all features that show entries. */

/** Returns a node that was loaded. Throws for all other nodes. */
export type GetNode = (id: NodeId) => Uint8Array

/**
 * Returns the inclusion paths (RFC 6962 section 2.1.1) of several claims. Uses one query, which
 * reads at most about log2(tree size) rows per claim.
 */
export async function proveInclusions(
  tx: Queryable,
  claims: readonly { index: number; size: number }[],
): Promise<Hex[][]> {
  const getNode = await loadNodes(
    tx,
    claims.flatMap(({ index, size }) => inclusionProofNodeIds(index, size)),
  )
  return claims.map(({ index, size }) => inclusionProof(index, size, getNode).map(bytesToHex))
}

/** Returns the consistency proof between two tree sizes (RFC 6962 section 2.1.2). */
export async function proveConsistency(tx: Queryable, from: number, to: number): Promise<Hex[]> {
  const getNode = await loadNodes(tx, consistencyProofNodeIds(from, to))
  return consistencyProof(from, to, getNode).map(bytesToHex)
}

export async function loadNodes(tx: Queryable, ids: readonly NodeId[]): Promise<GetNode> {
  const wantedIds = [...new Map(ids.map((id) => [formatNodeKey(id), id])).values()]
  const hashes = new Map<string, Uint8Array>()
  if (wantedIds.length > 0) {
    const rows = await selectNodes(tx, {
      levels: wantedIds.map(({ level }) => level),
      indexes: wantedIds.map(({ index }) => index),
    })
    for (const { level, index, hash } of rows) hashes.set(formatNodeKey({ level, index: Number(index) }), hash)
  }
  return (id) => {
    const hash = hashes.get(formatNodeKey(id))
    if (!hash) throw new Error(`The log has no node ${formatNodeKey(id)}`)
    return hash
  }
}

const selectNodes = prepareStatement<
  { level: number; index: string; hash: Uint8Array },
  { levels: number[]; indexes: number[] }
>(
  'load_nodes',
  () => sql`
    select n.level, n.index, n.hash
    from unnest(${sql.placeholder('levels')}::int[], ${sql.placeholder('indexes')}::bigint[]) as wanted (level, index)
    join log_nodes n on n.level = wanted.level and n.index = wanted.index`,
)

function formatNodeKey({ level, index }: NodeId): string {
  return `${level}/${index}`
}
