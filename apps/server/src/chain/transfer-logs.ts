import type { Address, Hex } from '@tocsin/proof'
import { BaseError, HttpRequestError, isAddressEqual, RpcRequestError } from 'viem'
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

/** HTTP statuses for a request that is too large: 400 (bad request) and 413 (content too large). */
const TOO_LARGE_STATUSES = new Set([400, 413])

/**
 * Returns the non-zero transfers to the treasury from other addresses, in chain order. Nodes limit
 * the number of blocks or logs per request, so a range that a node rejects is split into halves.
 */
export async function listTransferLogs(
  client: ChainClient,
  contract: { token: Address; treasury: Address },
  { from, to }: { from: number; to: number },
): Promise<TransferLog[]> {
  try {
    return await readTransferLogs(client, contract, { from, to })
  } catch (error) {
    if (from >= to || !isRejectedByNode(error)) throw error
    const middle = Math.floor((from + to) / 2)
    const older = await listTransferLogs(client, contract, { from, to: middle })
    return [...older, ...(await listTransferLogs(client, contract, { from: middle + 1, to }))]
  }
}

/** True if the node responded with an error. Without a response, smaller ranges would not help. */
export function isRejectedByNode(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const answer = error.walk((cause) => cause instanceof RpcRequestError || cause instanceof HttpRequestError)
  return (
    answer instanceof RpcRequestError ||
    (answer instanceof HttpRequestError && TOO_LARGE_STATUSES.has(answer.status ?? 0))
  )
}

async function readTransferLogs(
  client: ChainClient,
  { token, treasury }: { token: Address; treasury: Address },
  blocks: { from: number; to: number },
): Promise<TransferLog[]> {
  const logs = await client.getContractEvents({
    address: token,
    abi: transferAbi,
    eventName: 'Transfer',
    args: { to: treasury },
    fromBlock: BigInt(blocks.from),
    toBlock: BigInt(blocks.to),
    strict: true,
  })
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
