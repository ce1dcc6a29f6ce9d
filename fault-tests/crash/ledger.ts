import { setTimeout as delay } from 'node:timers/promises'
import type { AdminAlert } from '@tocsin/protocol'
import type { Purchase, TestClient } from '@tocsin/testkit'
import { groupBy } from '../group-by.ts'

/**
 * Timeout that only ends tests that hang. It is long, because after a kill the lease of the
 * anchoring job must expire first.
 */
const ANCHOR_TIMEOUT_MS = 300_000
const ALERTS_VERIFIED_PER_CHECK = 3

/** Everything that the product has acknowledged. It is checked after every crash. */
export interface AcknowledgedData {
  alerts: AdminAlert[]
  /** Summaries of alerts whose request got no response: each may exist once or not at all. */
  unanswered: string[]
  purchases: Purchase[]
  /** Block hash by transaction hash. */
  minedBlockHashes: Map<string, string>
}

export function createEmptyLedger(): AcknowledgedData {
  return { alerts: [], unanswered: [], purchases: [], minedBlockHashes: new Map() }
}

/** Compares all acknowledged data with the current state. Returns a message for each difference. */
export async function findLosses(ledger: AcknowledgedData, admin: TestClient, chainUrl: string): Promise<string[]> {
  const storedAlerts = await waitUntilAnchored(admin)
  return [
    ...checkLog(storedAlerts, await listOtherIndexes(admin)),
    ...checkAlerts(ledger, storedAlerts),
    ...(await checkPurchases(ledger)),
    ...(await checkReceipts(ledger, chainUrl)),
    ...(await checkProofs(ledger, storedAlerts, admin)),
  ]
}

async function waitUntilAnchored(admin: TestClient): Promise<AdminAlert[]> {
  const deadline = performance.now() + ANCHOR_TIMEOUT_MS
  while (true) {
    const storedAlerts = await admin.call('listAlerts')
    if (storedAlerts.every(({ avalancheTx }) => avalancheTx) || performance.now() > deadline) return storedAlerts
    await delay(250)
  }
}

/**
 * Log indexes of entries other than alerts. Needs an admin, who has access to the bytes of all
 * entries.
 */
async function listOtherIndexes(admin: TestClient): Promise<number[]> {
  const indexes: number[] = []
  for (let from = 0, size = 1; from < size; ) {
    const page = await admin.call('logEntries', { query: { from } })
    indexes.push(
      ...page.entries
        .filter(({ bytes }) => /"kind":"(keys|heartbeat|outcome)"/.test(bytes ?? ''))
        .map(({ index }) => index),
    )
    size = page.size
    from += page.entries.length
  }
  return indexes
}

function checkLog(storedAlerts: AdminAlert[], otherIndexes: number[]): string[] {
  const indexes = [...storedAlerts.map(({ logIndex }) => logIndex), ...otherIndexes].sort((a, b) => a - b)
  const unanchoredAlerts = storedAlerts.filter(({ avalancheTx }) => !avalancheTx)
  return [
    ...(indexes.every((index, position) => index === position) ? [] : ['the log has a gap or a duplicate index']),
    ...(unanchoredAlerts.length === 0
      ? []
      : [`${unanchoredAlerts.length} alerts are not anchored after ${ANCHOR_TIMEOUT_MS / 1000} s`]),
  ]
}

function checkAlerts({ alerts, unanswered }: AcknowledgedData, storedAlerts: AdminAlert[]): string[] {
  const alertsBySummary = groupBy(storedAlerts, ({ summary }) => summary)
  const losses = alerts.flatMap((alert) => {
    const foundAlerts = alertsBySummary.get(alert.summary) ?? []
    const [keptAlert] = foundAlerts
    if (!keptAlert || foundAlerts.length > 1) return [`alert "${alert.summary}" exists ${foundAlerts.length} times`]
    const isUnchanged =
      keptAlert.id === alert.id && keptAlert.signature === alert.signature && keptAlert.logIndex === alert.logIndex
    return isUnchanged ? [] : [`alert "${alert.summary}" differs from the acknowledged one`]
  })
  const duplicatedSummaries = unanswered.filter((summary) => (alertsBySummary.get(summary)?.length ?? 0) > 1)
  return [...losses, ...duplicatedSummaries.map((summary) => `unanswered alert "${summary}" exists twice`)]
}

async function checkPurchases({ purchases }: AcknowledgedData): Promise<string[]> {
  const losses: string[] = []
  for (const { client, subscription } of purchases) {
    const currentSubscription = await client.call('activeSubscription', { params: { userId: subscription.userId } })
    if (
      currentSubscription?.id !== subscription.id ||
      currentSubscription.transactionHash !== subscription.transactionHash
    ) {
      losses.push(`the subscription paid by ${subscription.transactionHash} is gone`)
    }
  }
  return losses
}

async function checkReceipts({ minedBlockHashes }: AcknowledgedData, chainUrl: string): Promise<string[]> {
  const transactionHashes = [...minedBlockHashes.keys()]
  if (transactionHashes.length === 0) return []
  const calls = transactionHashes.map((hash, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getTransactionReceipt',
    params: [hash],
  }))
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(chainUrl, { method: 'POST', headers, body: JSON.stringify(calls) })
  const receipts: { id: number; result: { blockHash: string; status: string } | null }[] = await answer.json()
  return receipts.flatMap(({ id, result }) => {
    const hash = transactionHashes[id] ?? ''
    const isKept = result?.status === '0x1' && result.blockHash === minedBlockHashes.get(hash)
    return isKept ? [] : [`transaction ${hash} is no longer in its block`]
  })
}

async function checkProofs(
  { alerts }: AcknowledgedData,
  storedAlerts: AdminAlert[],
  client: TestClient,
): Promise<string[]> {
  const ids = new Set(alerts.slice(-ALERTS_VERIFIED_PER_CHECK).map(({ id }) => id))
  const losses: string[] = []
  for (const { broadcastAt: _, signature, merklePath, avalancheTx, anchoredAt: __, ...alert } of storedAlerts) {
    if (!ids.has(alert.id)) continue
    const body = { alertId: alert.id, signature, merklePath, avalancheTx: avalancheTx ?? '', alert }
    const { valid, reason } = await client.call('verifyAlert', { body })
    if (!valid) losses.push(`alert "${alert.summary}" does not verify: ${reason}`)
  }
  return losses
}
