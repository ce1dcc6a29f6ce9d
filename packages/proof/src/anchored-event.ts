import { keccak_256 } from '@noble/hashes/sha3'
import { utf8ToBytes } from '@noble/hashes/utils'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import { readNumber, readObject, readQuantity, readRpcHash } from './json-rpc.ts'

/**
 * `event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime)` of the AlertAnchor
 * contract, decoded without an ABI library.
 */
export interface AnchoredEvent {
  size: number
  root: Hex
  /** Block time in the format of Date.toISOString(). */
  blockAt: string
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
}

/** Topic 0 of the event. */
export const anchoredTopic = bytesToHex(keccak_256(utf8ToBytes('Anchored(uint64,bytes32,uint64)')))

/**
 * Decodes the event from a log of a receipt or of eth_getLogs. Returns null if the log is another
 * event or from another contract.
 * @throws Error if the log is malformed or marked as removed
 */
export function readAnchoredEvent(log: unknown, contract: Address): AnchoredEvent | null {
  const { address, topics, data, removed, blockNumber, blockHash, transactionHash } = readObject(log)
  if (typeof address !== 'string' || !Array.isArray(topics)) throw new Error('The node did not return a log')
  if (address.toLowerCase() !== contract.toLowerCase()) return null
  const [topic, size, ...otherTopics] = topics.map(readRpcHash)
  if (topic !== anchoredTopic) return null
  if (removed !== undefined && removed !== false) throw new Error('The log was removed from the chain')
  if (!size || otherTopics.length > 0)
    throw new Error('The topics of the Anchored event are not its signature and size')
  const dataWords = typeof data === 'string' ? /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})$/.exec(data) : null
  if (!dataWords) throw new Error('The data of the Anchored event is not two 32-byte words')
  return {
    size: readNumber(BigInt(size)),
    root: readRpcHash(`0x${dataWords[1]}`),
    blockAt: readBlockTime(readNumber(BigInt(`0x${dataWords[2]}`))),
    blockNumber: readQuantity(blockNumber),
    blockHash: readRpcHash(blockHash),
    transactionHash: readRpcHash(transactionHash),
  }
}

const lastSecondOf9999 = 253_402_300_799

/** @throws Error on a time after the year 9999, which no entry can have */
export function readBlockTime(seconds: number): string {
  if (seconds > lastSecondOf9999) throw new Error('The node returned a time after the year 9999')
  return new Date(seconds * 1000).toISOString()
}
