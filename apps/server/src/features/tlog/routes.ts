import { bytesToHex, formatCheckpoint } from '@tocsin/proof'
import type { endpoints, LogHead } from '@tocsin/protocol'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import type { Handler } from '../../http/route.ts'
import { proveConsistency, proveInclusions } from '../../inclusion-proofs.ts'
import { Refusal } from '../../refusal.ts'
import { findReadable } from '../access/read-access.ts'
import { getSigner } from './append-entries.ts'
import { presentAnchor, presentBytes, presentHead, presentOpenEntry } from './present.ts'
import { listKeyEntries } from './service.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

/**
 * Proofs are cached only briefly. A proof never changes, but a successor log may replace the log at
 * this address.
 */
const PROOF_CACHE = 'public, max-age=60'

export async function logHead(ctx: Context): Promise<LogHead> {
  const [head, anchor] = await Promise.all([store.findHead(ctx.db), store.findNewestAnchor(ctx.db)])
  return presentHead(head, anchor)
}

export async function logCheckpoint(ctx: Context): Promise<string> {
  const { size, root, signer } = await store.findHead(ctx.db)
  const origin = ctx.config.logOrigin
  return getSigner(ctx, signer).signCheckpoint(formatCheckpoint({ origin, size, root }), origin)
}

export const logConsistency: Handler<Endpoints['logConsistency']> = async (ctx, { query: { from, to }, reply }) => {
  await assertSize(ctx, to)
  if (from < 1 || from > to) throw new Refusal('malformed', 'from must be at least 1 and at most to')
  const path = await proveConsistency(ctx.db, from, to)
  allowCaching(reply)
  return { from, to, path }
}

export const logInclusion: Handler<Endpoints['logInclusion']> = async (
  ctx,
  { query: { index, size }, actor, reply },
) => {
  await assertSize(ctx, size)
  if (index >= size) throw new Refusal('malformed', 'index must be less than size')
  const [entry] = await store.listReadableEntries(ctx.db, await findReadable(ctx, actor), index, 1)
  if (!entry) throw new Error(`Entry ${index} is missing`)
  const { leafHash, bytes, signature } = entry
  if (bytes === null || signature === null) {
    const hours = ctx.config.publicDelayHours
    throw new Refusal('not_public_yet', `The content of entry ${index} becomes public ${hours} hours after its issue`)
  }
  const [merklePath = []] = await proveInclusions(ctx.db, [{ index, size }])
  // The content depends on the caller's access, so only responses without a session may be cached.
  if (actor === null) allowCaching(reply)
  return { index, size, leafHash: bytesToHex(leafHash), merklePath, bytes: presentBytes(bytes), signature }
}

export const logEntries: Handler<Endpoints['logEntries']> = async (ctx, { query: { from, limit }, actor }) => {
  const entries = await store.listReadableEntries(ctx.db, await findReadable(ctx, actor), from, limit)
  // The size is read after the entries, so it covers the newest of them.
  const { size } = await store.findHead(ctx.db)
  return { size, entries: entries.map(presentOpenEntry) }
}

export const logAnchors: Handler<Endpoints['logAnchors']> = async (ctx, { query: { above, limit } }) => {
  const anchors = await store.listAnchorsAbove(ctx.db, above, limit)
  return { anchors: anchors.map(presentAnchor) }
}

export const logKeys: Handler<Endpoints['logKeys']> = async (ctx) => ({ entries: await listKeyEntries(ctx) })

/** @throws Refusal malformed if the log has fewer entries */
async function assertSize(ctx: Context, size: number): Promise<void> {
  const head = await store.findHead(ctx.db)
  if (size > head.size) throw new Refusal('malformed', `The log has ${head.size} entries, not ${size}`)
}

function allowCaching(reply: FastifyReply): void {
  reply.header('cache-control', PROOF_CACHE)
}
