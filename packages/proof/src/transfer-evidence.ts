import { keccak_256 } from '@noble/hashes/sha3'
import { utf8ToBytes } from '@noble/hashes/utils'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import { type Rpc, readObject, readRpcHash } from './json-rpc.ts'
import { readBlockSeconds, readConfirmations, readReceipt } from './mined.ts'

/** An ERC-20 Transfer (EIP-20) in a transaction, as reported by the chain. */
interface TransferEvidence {
  status: 'success' | 'reverted'
  token: Address
  payer: Address
  recipient: Address
  amountWei: bigint
  blockNumber: number
  confirmations: number
}

/**
 * null: the transaction does not exist or has no Transfer at this index. 'unavailable': the node
 * did not respond, sent an invalid response, or is on another chain.
 */
export type TransferResult = TransferEvidence | null | 'unavailable'

const transferTopic = bytesToHex(keccak_256(utf8ToBytes('Transfer(address,address,uint256)')))

/**
 * Reads the Transfer at a log index of a transaction. Never throws. Returns lower-case addresses.
 */
export async function readTransferEvidence(
  rpc: Rpc,
  chainId: number,
  { transactionHash, logIndex }: { transactionHash: Hex; logIndex: number },
): Promise<TransferResult> {
  try {
    const receipt = await readReceipt(rpc, chainId, transactionHash)
    const transfer = receipt && readTransfer(receipt.logs[logIndex])
    if (!transfer) return null
    const { status, blockNumber, blockHash } = receipt
    await readBlockSeconds(rpc, blockNumber, blockHash)
    return { ...transfer, status, blockNumber, confirmations: await readConfirmations(rpc, blockNumber) }
  } catch {
    // An invalid response must not make the verification throw.
    return 'unavailable'
  }
}

function readTransfer(log: unknown): Pick<TransferEvidence, 'token' | 'payer' | 'recipient' | 'amountWei'> | null {
  if (log === undefined) return null
  const { address, topics, data } = readObject(log)
  if (typeof address !== 'string' || !Array.isArray(topics)) throw new Error('The node did not return a log')
  const [topic, from, to, ...otherTopics] = topics.map(readRpcHash)
  if (topic !== transferTopic || !from || !to || otherTopics.length > 0) return null
  if (typeof data !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(data)) return null
  return {
    token: toLowerCaseAddress(address),
    payer: decodeAddress(from),
    recipient: decodeAddress(to),
    amountWei: BigInt(data),
  }
}

/** An address is the last 20 bytes of an indexed word. */
function decodeAddress(word: Hex): Address {
  return `0x${word.slice(26)}`
}

function toLowerCaseAddress(address: string): Address {
  return `0x${address.slice(2).toLowerCase()}`
}
