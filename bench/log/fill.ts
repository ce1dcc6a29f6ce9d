import { frontierNodeIds } from '@tocsin/proof'
import type { Context } from '@tocsin/server/context.ts'
import { toHead } from '@tocsin/server/features/tlog/log.ts'
import { findHead, lockHead, moveHead } from '@tocsin/server/features/tlog/store.ts'
import { loadNodes } from '@tocsin/server/inclusion-proofs.ts'

const STEP = 500_000

/** Makes the log grow to a size with entries that SQL makes up: right hashes, nodes and head, of no alert and signed by nobody. */
export async function fillLog(ctx: Context, size: number): Promise<void> {
  for (;;) {
    const { size: from } = await findHead(ctx.db)
    if (from >= size) break
    await growTo(ctx, from, Math.min(size, from + STEP))
  }
  // As after some quiet minutes: what filling left to be done does not count.
  await ctx.db.execute(`vacuum analyze`)
  await ctx.db.execute(`checkpoint`)
}

async function growTo(ctx: Context, from: number, to: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockHead(tx)
    const { signer } = await findHead(tx)
    await tx.execute(`
      with made as (
        select i, convert_to('{"asset":"BTC/USD","createdAt":"2026-01-01T00:00:00.000Z","index":' || i || ',"kind":"alert"}', 'UTF8') as bytes
        from generate_series(${from}::bigint, ${to - 1}::bigint) i)
      insert into log_entries (index, leaf_hash, bytes, signature, appended_at)
      select i, sha256('\\x00'::bytea || bytes), bytes, '0x' || repeat('11', 65), now() from made`)
    await tx.execute(`
      insert into log_nodes (level, index, hash)
      select 0, index, leaf_hash from log_entries where index >= ${from} and index < ${to}`)
    for (let level = 1, width = 2; width <= to; level += 1, width *= 2) {
      // Of each level, the nodes that the new entries complete.
      await tx.execute(`
        insert into log_nodes (level, index, hash)
        select ${level}::int, i, sha256('\\x01'::bytea || a.hash || b.hash)
        from generate_series(${Math.floor(from / width)}::bigint, ${Math.floor(to / width) - 1}::bigint) i
        join log_nodes a on a.level = ${level - 1} and a.index = 2 * i
        join log_nodes b on b.level = ${level - 1} and b.index = 2 * i + 1`)
    }
    const ids = frontierNodeIds(to)
    const getNode = await loadNodes(tx, ids)
    await moveHead(tx, from, toHead({ size: to, hashes: ids.map(getNode) }, signer))
  })
}
