import { keccak_256 } from '@noble/hashes/sha3'
import { utf8ToBytes } from '@noble/hashes/utils'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import { type Rpc, readBlockNumber, readChainId, readObject, readQuantity, readRpcHash } from './json-rpc.ts'
import { readBlockSeconds, readStatus } from './mined.ts'

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
    if ((await readChainId(rpc)) !== chainId) return 'unavailable'
    const receipt = await rpc('eth_getTransactionReceipt', [transactionHash])
    if (receipt === null) return null
    const { status, logs, blockNumber, blockHash, transactionHash: hash } = readObject(receipt)
    if (readRpcHash(hash) !== transactionHash) throw new Error('The receipt belongs to another transaction')
    if (!Array.isArray(logs)) throw new Error('The receipt has no logs')
    const transfer = readTransfer(logs[logIndex])
    if (!transfer) return null
    const number = readQuantity(blockNumber)
    await readBlockSeconds(rpc, number, readRpcHash(blockHash))
    const height = await readBlockNumber(rpc)
    return {
      ...transfer,
      status: readStatus(status),
      blockNumber: number,
      confirmations: Math.max(1, height - number + 1),
    }
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
