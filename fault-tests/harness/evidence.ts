import { itoTokenAbi } from '@tocsin/contracts/abi'
import {
  addressOfKey,
  bytesToHex,
  type Hex,
  hexToBytes,
  type LogAnchor,
  type LogEntry,
  type ProofDomain,
} from '@tocsin/proof'
import type { Context } from '@tocsin/server/context.ts'
import { testSignerKey } from '@tocsin/testkit'
import { sql } from 'drizzle-orm'
import { parseAbiItem } from 'viem'
import type { Chain } from './chain.ts'
import type { Journal } from './journal.ts'

/**
 * The data that the checkers compare: rows of the tables and events of the chain at the end of the
 * run, and the journal. It consists of plain values, so that tests can create it.
 */
export interface Evidence {
  journal: Journal
  entries: { index: number; bytes: Uint8Array }[]
  /** The log, the contract's events and the trusted keys, as a verifier gets them. */
  signedLog: { entries: LogEntry[]; anchors: LogAnchor[]; domain: ProofDomain; firstSigner: Hex }
  alerts: { id: string; logIndex: number; summary: string; signalId: string | null }[]
  /** Accepted signals that were merged into another alert. */
  mergedSignals: string[]
  refusedSignals: { raw: string; reason: string }[]
  outcomes: { targetIndex: number; verdict: string }[]
  deliveries: { logIndex: number; atMs: number }[]
  periods: { accountId: string; startsAtMs: number; endsAtMs: number }[]
  /** Anchors in the tables, and in the events of the contract. */
  savedAnchors: { size: number; root: string }[]
  chainAnchors: { size: number; root: string }[]
  /** Transfers of the token to the treasury, oldest first. */
  chainTransfers: { txHash: string; amountWei: bigint }[]
  payments: Transfer[]
  unmatched: (Transfer & { isResolved: boolean })[]
  /** Ids of payments that a subscription period references. */
  creditedPaymentIds: string[]
  destinationIds: string[]
  channelDeliveries: {
    id: string
    destinationId: string
    logIndex: number
    event: string
    state: string
    attempts: number
    recordedAttempts: number
    /**
     * Log index of the alert whose delivery carries the digest that contains this alert. Null if
     * this alert is not in a digest. The digest is sent, retried and recorded as that delivery.
     */
    digestIndex: number | null
  }[]
  /** Emails that were queued. `state` is null if the email is no longer in the queue. */
  mailJobs: { id: string; hasLink: boolean; state: string | null }[]
}

interface Transfer {
  id: string
  txHash: string
  amountWei: bigint
  isReverted: boolean
}

type Row = Record<string, unknown>
const toText = (value: unknown) => String(value)
const toMs = (value: unknown) => Number(value)

/**
 * Id of the local chain. Payments of subscribers that the harness added have the id of another
 * chain, which does not exist.
 */
const CHAIN_ID = 31_337
const REAL_CHAIN_FILTER = `chain_id = ${CHAIN_ID}`

export async function gatherEvidence(ctx: Context, chain: Chain, journal: Journal): Promise<Evidence> {
  const listRows = async (query: string): Promise<Row[]> => (await ctx.db.execute(sql.raw(query))).rows
  const toEpochMsSql = (column: string) => `extract(epoch from ${column}) * 1000`
  const toTransfer = (row: Row): Transfer => ({
    id: toText(row.id),
    txHash: toText(row.tx_hash),
    amountWei: BigInt(toText(row.amount_wei)),
    isReverted: row.reverted_at !== null,
  })
  const unmatchedTransfers = await listRows(
    `select id, tx_hash, amount_wei, reverted_at, resolved_at is not null as is_resolved from unmatched_transfers where ${REAL_CHAIN_FILTER}`,
  )
  const anchored = await chain.client.getLogs({
    address: chain.anchorContract,
    event: parseAbiItem('event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime)'),
    fromBlock: 0n,
    strict: true,
  })
  const transfers = await chain.client.getContractEvents({
    address: chain.token,
    abi: itoTokenAbi,
    eventName: 'Transfer',
    args: { to: chain.treasury },
    fromBlock: 0n,
    strict: true,
  })
  const entries = await listRows('select index, bytes, leaf_hash, signature from log_entries order by index')
  return {
    journal,
    entries: entries.map(({ index, bytes }) => ({
      index: Number(index),
      // The driver returns bytea as a Buffer.
      bytes: bytes as Uint8Array,
    })),
    signedLog: {
      entries: entries.map(({ index, bytes, leaf_hash: leafHash, signature }) => ({
        index: Number(index),
        leafHash: bytesToHex(leafHash as Uint8Array),
        bytes: Buffer.from(bytes as Uint8Array).toString(),
        signature: toText(signature),
      })),
      anchors: anchored.map(({ args }) => ({
        size: Number(args.size),
        root: args.root,
        blockAt: new Date(Number(args.blockTime) * 1_000).toISOString(),
      })),
      domain: { chainId: CHAIN_ID, verifyingContract: chain.anchorContract },
      firstSigner: addressOfKey(hexToBytes(testSignerKey)),
    },
    alerts: (await listRows('select id, log_index, summary, signal_id from alerts order by log_index')).map((row) => ({
      id: toText(row.id),
      logIndex: Number(row.log_index),
      summary: toText(row.summary),
      signalId: row.signal_id === null ? null : toText(row.signal_id),
    })),
    mergedSignals: (await listRows('select signal_id from feed_signals where merged_into is not null')).map((row) =>
      toText(row.signal_id),
    ),
    refusedSignals: (await listRows('select raw, reason from refused_signals')).map((row) => ({
      raw: toText(row.raw),
      reason: toText(row.reason),
    })),
    outcomes: (await listRows('select target_index, verdict from alert_outcomes')).map((row) => ({
      targetIndex: Number(row.target_index),
      verdict: toText(row.verdict),
    })),
    deliveries: (await listRows(`select log_index, ${toEpochMsSql('at')} as at_ms from deliveries order by seq`)).map(
      (row) => ({
        logIndex: Number(row.log_index),
        atMs: toMs(row.at_ms),
      }),
    ),
    periods: (
      await listRows(
        `select account_id, ${toEpochMsSql('starts_at')} as starts_ms,
         ${toEpochMsSql('least(ends_at, cancelled_at, revoked_at)')} as ends_ms from subscriptions`,
      )
    ).map((row) => ({
      accountId: toText(row.account_id),
      startsAtMs: toMs(row.starts_ms),
      endsAtMs: toMs(row.ends_ms),
    })),
    savedAnchors: (await listRows(`select size, encode(root, 'hex') as root from anchors order by size`)).map(
      (row) => ({
        size: Number(row.size),
        root: `0x${row.root}`,
      }),
    ),
    chainAnchors: anchored.map(({ args }) => ({ size: Number(args.size), root: args.root })),
    chainTransfers: transfers.map(({ args, transactionHash }) => ({ txHash: transactionHash, amountWei: args.value })),
    payments: (
      await listRows(`select id, tx_hash, amount_wei, reverted_at from payments where ${REAL_CHAIN_FILTER}`)
    ).map(toTransfer),
    unmatched: unmatchedTransfers.map((row) => ({ ...toTransfer(row), isResolved: row.is_resolved === true })),
    creditedPaymentIds: (await listRows('select payment_id from subscriptions')).map((row) => toText(row.payment_id)),
    destinationIds: (await listRows('select id from destinations')).map((row) => toText(row.id)),
    channelDeliveries: (
      await listRows(
        `select id, destination_id, log_index, event, state, attempts, (select count(*) from channel_attempts
         where delivery_id = d.id) as recorded,
         (select s.log_index from channel_deliveries s where s.id = d.digest_id) as digest_index
         from channel_deliveries d`,
      )
    ).map((row) => ({
      id: toText(row.id),
      destinationId: toText(row.destination_id),
      logIndex: Number(row.log_index),
      event: toText(row.event),
      state: toText(row.state),
      attempts: Number(row.attempts),
      recordedAttempts: Number(row.recorded),
      digestIndex: row.digest_index === null ? null : Number(row.digest_index),
    })),
    mailJobs: (
      await listRows(
        `select m.id, m.has_link, j.state::text as state from harness.mails m
         left join pgboss.job j on j.name = 'mail' and j.id = m.id`,
      )
    ).map((row) => ({
      id: toText(row.id),
      hasLink: row.has_link === true,
      state: row.state === null ? null : toText(row.state),
    })),
  }
}
