import type { Address, Hex } from '@tocsin/proof'
import { BaseError, HttpRequestError, isAddressEqual, type Log, parseEventLogs, RpcRequestError } from 'viem'
import { mapLimit } from '../map-limit.ts'
import type { ChainClient } from './chain-client.ts'
import { transferAbi } from './transfer.ts'

/** A token transfer to the treasury, from eth_getLogs. */
export interface TransferLog {
  txHash: Hex
  /** Index within the block. */
  logIndex: number
  blockNumber: number
  payer: Address
  amountWei: bigint
}

interface Contract {
  token: Address
  treasury: Address
}

/** Maximum number of receipts read concurrently. The node receives them in a batch. */
const MAX_CONCURRENT_READS = 50

/** HTTP statuses for a request that is too large: 400 (bad request) and 413 (content too large). */
const TOO_LARGE_STATUSES = new Set([400, 413])

/**
 * Returns the non-zero transfers to the treasury from other addresses, in chain order. Nodes limit
 * the number of blocks or logs per request, so a range that a node rejects is split into halves,
 * and a single block is read from its receipts.
 */
export async function listTransferLogs(
  client: ChainClient,
  contract: Contract,
  { from, to }: { from: number; to: number },
): Promise<TransferLog[]> {
  try {
    return await readTransferLogs(client, contract, { from, to })
  } catch (error) {
    if (!isRejectedByNode(error)) throw error
    if (from >= to) return readReceipts(client, contract, from, error)
    const middle = Math.floor((from + to) / 2)
    const olderLogs = await listTransferLogs(client, contract, { from, to: middle })
    return [...olderLogs, ...(await listTransferLogs(client, contract, { from: middle + 1, to }))]
  }
}

/** True if the node responded with an error. Without a response, smaller ranges would not help. */
export function isRejectedByNode(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const nodeError = error.walk((cause) => cause instanceof RpcRequestError || cause instanceof HttpRequestError)
  return (
    nodeError instanceof RpcRequestError ||
    (nodeError instanceof HttpRequestError && TOO_LARGE_STATUSES.has(nodeError.status ?? 0))
  )
}

async function readTransferLogs(
  client: ChainClient,
  contract: Contract,
  blocks: { from: number; to: number },
  payer?: Address,
): Promise<TransferLog[]> {
  const { token, treasury } = contract
  const logs = await client.getContractEvents({
    address: token,
    abi: transferAbi,
    eventName: 'Transfer',
    args: { to: treasury, ...(payer ? { from: payer } : {}) },
    fromBlock: BigInt(blocks.from),
    toBlock: BigInt(blocks.to),
    strict: true,
  })
  return presentLogs(logs, contract)
}

/**
 * Reads the transfers of a block from the receipts of its transactions. This is needed because
 * anyone can fill a block with more transfers of 1 wei than a node returns per request.
 * @param refusal the node's error for the request of the block's logs
 * @throws `refusal` if the node also rejects a request for very few logs of the block, because then
 * the number of logs is not the cause
 */
async function readReceipts(
  client: ChainClient,
  contract: Contract,
  block: number,
  refusal: unknown,
): Promise<TransferLog[]> {
  // Check that the node accepts a request with few logs. Transfers from the treasury to itself are
  // rare, so request only those.
  await readTransferLogs(client, contract, { from: block, to: block }, contract.treasury).catch(() => {
    throw refusal
  })
  const { transactions } = await client.getBlock({ blockNumber: BigInt(block) })
  const logs: Log<bigint, number, false>[] = []
  await mapLimit(MAX_CONCURRENT_READS, transactions, async (hash) => {
    for (const log of (await client.getTransactionReceipt({ hash })).logs) logs.push(log)
  })
  const tokenLogs = logs.filter(({ address }) => isAddressEqual(address, contract.token))
  const args = { to: contract.treasury }
  const incomingLogs = parseEventLogs({ abi: transferAbi, eventName: 'Transfer', args, logs: tokenLogs, strict: true })
  return presentLogs(incomingLogs, contract).sort((a, b) => a.logIndex - b.logIndex)
}

type ParsedLog = Log<bigint, number, false, undefined, true, typeof transferAbi, 'Transfer'>

function presentLogs(logs: readonly ParsedLog[], { treasury }: Contract): TransferLog[] {
  return logs
    .filter(({ args }) => args.value > 0n && !isAddressEqual(args.from, treasury))
    .map(({ transactionHash, logIndex, blockNumber, args }) => ({
      txHash: transactionHash,
      logIndex,
      blockNumber: Number(blockNumber),
      payer: args.from,
      amountWei: args.value,
    }))
}
