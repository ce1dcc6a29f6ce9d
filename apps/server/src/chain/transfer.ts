import { type Address, checksumAddress, type Hex } from '@tocsin/proof'
import { formatUnits, type Log, parseAbi, parseEventLogs } from 'viem'

/** One ERC-20 Transfer as a block shows it. */
export interface Transfer {
  chainId: number
  txHash: Hex
  /** Position among the logs of its own transaction, from 0: it survives a move to another block. */
  logIndex: number
  blockNumber: number
  blockHash: Hex
  blockAt: Date
  /** The contract that emitted the log: nobody else can speak for it. */
  token: Address
  /** The log's `from`; who sent the transaction says nothing. */
  payer: Address
  recipient: Address
  amountWei: bigint
}

export const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

/** Every ERC-20 Transfer among the logs of one mined transaction, of any contract. */
export function parseTransfers(
  logs: readonly Log<bigint, number, false>[],
  block: { chainId: number; number: bigint; hash: Hex; at: Date },
): Transfer[] {
  const first = Math.min(...logs.map((log) => log.logIndex))
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

/** An amount for people, exact to the last of its 18 digits: "9.999 ITO". */
export function formatIto(amountWei: bigint): string {
  return `${formatUnits(amountWei, 18)} ITO`
}
