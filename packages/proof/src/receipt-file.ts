import { type ProofBundle, parseAnchor, parseKeyListEntry, readFields } from './bundle.ts'
import { isChecksummed } from './field-checks.ts'

/** All that is needed to check one receipt, but for nodes of the two chains. Nothing in it is trusted. */
export interface ReceiptFile extends Pick<ProofBundle, 'anchor' | 'firstSigner' | 'keys'> {
  format: 'tocsin-receipt'
  version: 1
  /** The canonical bytes of the receipt as text. */
  bytes: string
  signature: string
  /** A node of the chain that was paid on: a hint that nothing depends on. */
  paymentRpcUrl: string | null
}

const maxKeyLists = 10_000

/**
 * A receipt file of the right shape out of anything; whether it is true is for verifyReceipt to say.
 * @throws Error naming what is missing or malformed
 */
export function parseReceiptFile(value: unknown): ReceiptFile {
  const { format, version, anchor, firstSigner, keys, bytes, signature, paymentRpcUrl } = readFields(value, 'The file')
  if (format !== 'tocsin-receipt') throw new Error('This is not a receipt: its format is not tocsin-receipt')
  if (version !== 1) throw new Error('The receipt is of another version than 1')
  if (!isChecksummed(firstSigner)) throw new Error("The receipt's firstSigner is not a checksummed address")
  if (!Array.isArray(keys) || keys.length > maxKeyLists) throw new Error("The receipt's keys are not a list of entries")
  if (typeof bytes !== 'string' || typeof signature !== 'string') {
    throw new Error('The receipt has no content or signature')
  }
  return {
    format,
    version,
    anchor: parseAnchor(anchor),
    firstSigner,
    keys: keys.map(parseKeyListEntry),
    bytes,
    signature,
    paymentRpcUrl: parseNodeUrl(paymentRpcUrl),
  }
}

function parseNodeUrl(value: unknown): string | null {
  if (value === null || (typeof value === 'string' && /^https?:\/\/[^\s]{1,2000}$/.test(value))) return value
  throw new Error("The receipt's paymentRpcUrl is not a URL of http or https")
}
