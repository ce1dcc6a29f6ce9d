import type { Address, Hex } from '@tocsin/proof'
import { BaseError, HttpRequestError, isAddressEqual, RpcRequestError } from 'viem'
import type { ChainClient } from './chain-client.ts'
import { transferAbi } from './transfer.ts'

/** A Transfer that brought a token to the treasury, as eth_getLogs shows it. */
export interface TransferLog {
  txHash: Hex
  /** Position in its block. */
  logIndex: number
  blockNumber: number
  payer: Address
  amountWei: bigint
}

/** How nodes say over HTTP that a question is too large: bad request, content too large. */
const REFUSALS = new Set([400, 413])

/**
 * What these blocks brought to the treasury: from outside, and not nothing. In the order of the chain. Nodes differ in how many blocks or logs they
 * give at once: a range that one refuses is asked for in halves.
 */
export async function listTransferLogs(
  client: ChainClient,
  contract: { token: Address; treasury: Address },
  { from, to }: { from: number; to: number },
): Promise<TransferLog[]> {
  try {
    return await readTransferLogs(client, contract, { from, to })
  } catch (error) {
    if (from >= to || !isRefusedByNode(error)) throw error
    const middle = Math.floor((from + to) / 2)
    const older = await listTransferLogs(client, contract, { from, to: middle })
    return [...older, ...(await listTransferLogs(client, contract, { from: middle + 1, to }))]
  }
}

/** The node has answered, and it was a no. One that is silent is as silent to halves. */
function isRefusedByNode(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const answer = error.walk((cause) => cause instanceof RpcRequestError || cause instanceof HttpRequestError)
  return answer instanceof RpcRequestError || (answer instanceof HttpRequestError && REFUSALS.has(answer.status ?? 0))
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
