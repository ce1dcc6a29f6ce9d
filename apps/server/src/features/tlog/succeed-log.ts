import {
  type Address,
  bytesToHex,
  decodeStatement,
  type LogEntry,
  rootOfLeaves,
  type SuccessionStatement,
  successionIndex,
} from '@tocsin/proof'
import { operator, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { readLatestAnchor } from './anchor-contract.ts'
import { appendEntries } from './append-entries.ts'
import { presentEntry, signStatement } from './log.ts'
import type { MirrorHeader } from './log-mirror.ts'
import { isSignedFor } from './own-contract.ts'
import { getProofDomain } from './proof-domain.ts'
import { startKeyList } from './service.ts'
import * as store from './store.ts'

export interface FormerLog {
  header: MirrorHeader
  size: number
  anchoredSize: number
}

/**
 * Ends the log of this database and starts its successor on the configured contract. The successor
 * begins with a key list and a signed entry that names the former log and what was lost. Accounts,
 * payments and subscriptions stay. No server may run at the same time.
 * @param archive receives the former entries before anything is deleted, and returns a function
 *   that removes the archive. That function is called if the transaction fails, but not if the
 *   commit itself fails, because the archive may then be the only copy.
 * @throws Refusal with a message for the operator; nothing has changed then
 */
export async function startSuccessorLog(
  ctx: Context,
  { formerContract, reason }: { formerContract: Address; reason: string },
  archive: (header: MirrorHeader, entries: AsyncIterable<LogEntry>) => Promise<() => Promise<void>>,
): Promise<FormerLog> {
  const domain = getProofDomain(ctx)
  if (formerContract === domain.verifyingContract) throw createRefusal('The former contract is the configured one')
  if ((await readLatestAnchor(ctx)).size > 0) {
    throw createRefusal(
      'The configured contract already has anchors. Deploy a new one (anchor deploy) and set ANCHOR_CONTRACT to it',
    )
  }
  const latestAnchor = await readLatestAnchor(withContract(ctx, formerContract))
  return ctx.db.transaction(async (tx) => {
    await store.lockHead(tx)
    const head = await store.findHead(tx)
    const firstSigner = await assertSignedFor(ctx, tx, formerContract)
    const header = { chainId: domain.chainId, contract: formerContract, firstSigner }
    const removeArchive = await archive(header, listAllEntries(tx))
    const predecessor = {
      ...header,
      size: head.size,
      root: bytesToHex(head.root),
      anchoredSize: latestAnchor.size,
      anchoredRoot: bytesToHex(latestAnchor.size > 0 ? latestAnchor.root : rootOfLeaves([])),
    }
    try {
      await deleteLog(tx)
      await startKeyList(ctx, tx)
      await appendSuccession(ctx, tx, { predecessor, reason })
      const detail = { formerContract, entries: head.size, anchoredEntries: latestAnchor.size }
      const at = ctx.clock.now()
      await recordAudit(tx, { ...operator, action: 'log_succeeded', subject: null, reason, detail, at })
    } catch (error) {
      await removeArchive()
      throw error
    }
    return { header, size: head.size, anchoredSize: latestAnchor.size }
  })
}

async function appendSuccession(
  ctx: Context,
  tx: Tx,
  { predecessor, reason }: Pick<SuccessionStatement, 'predecessor' | 'reason'>,
): Promise<void> {
  await appendEntries(ctx, tx, async () => [
    ({ index, signer, decideTime }) => {
      const statement: SuccessionStatement = {
        kind: 'succession',
        index,
        createdAt: decideTime().toISOString(),
        signer: signer.address,
        predecessor,
        reason,
      }
      if (index !== successionIndex) throw new Error('The succession is not the second entry')
      return signStatement(statement, getProofDomain(ctx), signer)
    },
  ])
}

/** Returns the signer of entry 0. @throws Refusal unless the log was signed for that contract */
async function assertSignedFor(ctx: Context, tx: Tx, contract: Address): Promise<Address> {
  const [first] = await store.listEntries(tx, 0, 1)
  if (!first) throw createRefusal('The log in this database is empty: there is nothing to succeed')
  const domain = { ...getProofDomain(ctx), verifyingContract: contract }
  if (!isSignedFor(domain, first)) {
    throw createRefusal(
      `The log in this database was not signed for the contract ${contract} on chain ${domain.chainId}`,
    )
  }
  return decodeStatement(first.bytes).signer
}

const BATCH = 1_000

async function* listAllEntries(tx: Tx): AsyncGenerator<LogEntry> {
  for (let from = 0; ; from += BATCH) {
    const entries = await store.listEntries(tx, from, BATCH)
    yield* entries.map(presentEntry)
    if (entries.length < BATCH) return
  }
}

/**
 * Deletes the log and everything that references its entries. This includes receipts: they are
 * signed for one contract, and are signed again on request.
 */
async function deleteLog(tx: Tx): Promise<void> {
  await store.truncateLog(tx)
  await store.deleteStop(tx)
}

function withContract(ctx: Context, contract: Address): Context {
  return { ...ctx, config: { ...ctx.config, anchor: { ...ctx.config.anchor, contract } } }
}

function createRefusal(sentence: string): Refusal {
  return new Refusal('malformed', `${sentence}. Nothing was changed.`)
}
