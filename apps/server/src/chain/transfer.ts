import { type Address, checksumAddress, type Hex } from '@tocsin/proof'
import { formatUnits, type Log, parseAbi, parseEventLogs } from 'viem'

/** One ERC-20 Transfer event. */
export interface Transfer {
  chainId: number
  txHash: Hex
  /**
   * Index among the logs of the transaction, from 0. Unlike the index in the block, it is the same
   * after a reorg.
   */
  logIndex: number
  blockNumber: number
  blockHash: Hex
  blockAt: Date
  /** The contract that emitted the log. */
  token: Address
  /** The log's `from`. It can differ from the sender of the transaction. */
  payer: Address
  recipient: Address
  amountWei: bigint
}

export const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

/** Returns all ERC-20 transfers, of any contract, from the logs of one mined transaction. */
export function parseTransfers(
  logs: readonly Log<bigint, number, false>[],
  block: { chainId: number; number: bigint; hash: Hex; at: Date },
): Transfer[] {
  // Not `Math.min(...indexes)`, because a call with more than about 100,000 arguments fails.
  const first = logs.reduce((lowest, { logIndex }) => Math.min(lowest, logIndex), Number.POSITIVE_INFINITY)
  return parseEventLogs({ abi: transferAbi, eventName: 'Transfer', logs: [...logs], strict: true }).map((log) => ({
    chainId: block.chainId,
    txHash: log.transactionHash,
    logIndex: log.logIndex - first,
    blockNumber: Number(block.number),
    blockHash: block.hash,
    blockAt: block.at,
    token: checksumAddress(log.address.toLowerCase()),
    payer: log.args.from,
    recipient: log.args.to,
    amountWei: log.args.value,
  }))
}

/** Formats an amount with all significant digits, such as "9.999 ITO". */
export function formatIto(amountWei: bigint): string {
  return `${formatUnits(amountWei, 18)} ITO`
}
