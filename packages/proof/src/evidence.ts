import { type AnchoredEvent, anchoredTopic, readAnchoredEvent, readBlockTime } from './anchored-event.ts'
import { isHash } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'
import { formatQuantity, type Rpc, readChainId } from './json-rpc.ts'
import { readBlockSeconds, readConfirmations, readReceipt } from './mined.ts'
import type { ProofDomain } from './typed-data.ts'

/** The status of an entry's transaction and the Anchored event in it, as reported by the chain. */
export interface AnchorEvidence {
  status: 'success' | 'reverted'
  contract: Address
  size: number
  root: Hex
  blockNumber: number
  /** Block time in the format of Date.toISOString(). */
  blockAt: string
  confirmations: number
}

/**
 * null: the transaction does not exist or has no anchor of the contract. 'unavailable': the node
 * did not respond, sent an invalid response, or is on another chain.
 */
export type AnchorEvidenceResult = AnchorEvidence | null | 'unavailable'

/**
 * Reads the anchor in a transaction. Never throws. If the transaction has several anchors, returns
 * the one whose tree has the given size, or else the first.
 */
export async function readAnchorEvidence(
  rpc: Rpc,
  domain: ProofDomain,
  txHash: unknown,
  size: unknown,
): Promise<AnchorEvidenceResult> {
  const hash = typeof txHash === 'string' ? txHash.toLowerCase() : null
  if (!isHash(hash)) return null
  try {
    return await readAnchor(rpc, domain, hash, size)
  } catch {
    // An invalid response must not make the verification throw.
    return 'unavailable'
  }
}

async function readAnchor(
  rpc: Rpc,
  { chainId, verifyingContract: contract }: ProofDomain,
  hash: Hex,
  size: unknown,
): Promise<AnchorEvidence | null> {
  const receipt = await readReceipt(rpc, chainId, hash)
  if (!receipt) return null
  const { status, blockNumber, blockHash, logs } = receipt
  const events = logs.flatMap((log) => readAnchoredEvent(log, contract) ?? [])
  const event = events.find((candidate) => candidate.size === size) ?? events[0]
  if (!event) return null
  const isOfReceipt =
    event.transactionHash === hash && event.blockHash === blockHash && event.blockNumber === blockNumber
  if (!isOfReceipt) throw new Error('The event does not belong to the receipt')
  const blockAt = readBlockTime(await readBlockSeconds(rpc, blockNumber, blockHash))
  if (blockAt !== event.blockAt) throw new Error('The time of the event is not that of its block')
  const confirmations = await readConfirmations(rpc, blockNumber)
  return { status, contract, size: event.size, root: event.root, blockNumber, blockAt, confirmations }
}

/** Block range of one eth_getLogs request. Public nodes of the anchor chain accept it. */
const blocksPerQuery = 2_000

/**
 * All Anchored events of the contract in a range of blocks (inclusive), in chain order.
 * 'unavailable' if the node did not respond, sent an invalid response, or returned sizes that do
 * not grow (the contract accepts only growing sizes).
 */
export async function listAnchoredEvents(
  rpc: Rpc,
  domain: ProofDomain,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
): Promise<AnchoredEvent[] | 'unavailable'> {
  try {
    if ((await readChainId(rpc)) !== domain.chainId) return 'unavailable'
    const events: AnchoredEvent[] = []
    for (let from = fromBlock; from <= toBlock; from += blocksPerQuery) {
      const to = Math.min(from + blocksPerQuery - 1, toBlock)
      events.push(...(await readEvents(rpc, domain.verifyingContract, from, to)))
    }
    assertIncreasing(events)
    return events
  } catch {
    return 'unavailable'
  }
}

async function readEvents(rpc: Rpc, address: Address, from: number, to: number): Promise<AnchoredEvent[]> {
  const filter = { address, topics: [anchoredTopic], fromBlock: formatQuantity(from), toBlock: formatQuantity(to) }
  const logs = await rpc('eth_getLogs', [filter])
  if (!Array.isArray(logs)) throw new Error('The node did not return a list of logs')
  const events = logs.flatMap((log) => readAnchoredEvent(log, address) ?? [])
  if (events.some(({ blockNumber }) => blockNumber < from || blockNumber > to)) {
    throw new Error('The node returned events of other blocks')
  }
  return events
}

function assertIncreasing(events: readonly AnchoredEvent[]): void {
  for (const [at, event] of events.entries()) {
    const previousEvent = events[at - 1]
    if (previousEvent && (event.size <= previousEvent.size || event.blockNumber < previousEvent.blockNumber)) {
      throw new Error('The sizes of the anchors do not increase')
    }
  }
}
