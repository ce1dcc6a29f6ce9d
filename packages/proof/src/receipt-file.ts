import { type LogSource, parseLogSource, parseNodeUrl, readFields } from './bundle.ts'

/** Everything needed to verify one receipt, except nodes of the two chains. Untrusted. */
export interface ReceiptFile extends LogSource {
  format: 'tocsin-receipt'
  version: 1
  /** The canonical bytes of the receipt as text. */
  bytes: string
  signature: string
  /** URL of a node of the payment chain. Only a hint; the result does not depend on it. */
  paymentRpcUrl: string | null
}

/**
 * Validates the structure of a receipt file. verifyReceipt checks the content.
 * @throws Error naming what is missing or malformed
 */
export function parseReceiptFile(value: unknown): ReceiptFile {
  const fields = readFields(value, 'The file')
  const { format, version, bytes, signature, paymentRpcUrl } = fields
  if (format !== 'tocsin-receipt') throw new Error('This is not a receipt: its format is not tocsin-receipt')
  if (version !== 1) throw new Error("The receipt's version is not 1")
  const source = parseLogSource(fields, 'receipt')
  if (typeof bytes !== 'string' || typeof signature !== 'string') {
    throw new Error('The receipt has no content or signature')
  }
  const paymentUrl = parseNodeUrl(paymentRpcUrl, "The receipt's paymentRpcUrl")
  return { format, version, ...source, bytes, signature, paymentRpcUrl: paymentUrl }
}
