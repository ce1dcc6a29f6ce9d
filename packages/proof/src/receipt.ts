import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChainId, isChecksummed, isHash, isIndex, isObject, isText, isTime } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'

/** A token transfer to the treasury, covered by the receipt. */
export interface ReceiptPayment {
  payer: Address
  /** Base units, as a decimal string. */
  amountWei: string
  transactionHash: Hex
  /** 0-based index of the Transfer event among the logs of its transaction. */
  logIndex: number
}

/**
 * The service's statement about a paid subscription: payer, amount, chain and period. It is signed
 * like a log entry but not part of the log, so that the log reveals nothing about subscribers.
 */
export interface ReceiptStatement {
  kind: 'receipt'
  /** The subscription id. */
  id: string
  plan: string
  /** The paid period, from `startsAt` (inclusive) to `endsAt` (exclusive). */
  startsAt: string
  endsAt: string
  /** The payment chain. */
  chainId: number
  token: Address
  treasury: Address
  /** The paid transfers, at least one. */
  payments: ReceiptPayment[]
  issuedAt: string
  /**
   * Size of the log at signing, which is the index of its next entry. The signer must be the key
   * whose window includes this index.
   */
  logSize: number
  signer: Address
}

export const maxReceiptPayments = 100

/**
 * Encodes the canonical bytes: `{"kind":"receipt","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the receipt has no canonical form
 */
export function encodeReceipt(statement: ReceiptStatement): Uint8Array {
  const { payments, ...fields } = parseReceipt(statement)
  return utf8ToBytes(canonicalJson({ v: 1, ...fields, payments: payments.map((payment) => ({ ...payment })) }))
}

/**
 * Decodes canonical bytes.
 * @throws Error on bytes that encodeReceipt would not produce
 */
export function decodeReceipt(bytes: Uint8Array): ReceiptStatement {
  return decodeCanonical(bytes, parseReceipt, encodeReceipt, 'a receipt')
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored.
 * @throws Error naming the first field that has no canonical form
 */
export function parseReceipt(value: unknown): ReceiptStatement {
  if (!isObject(value)) throw new Error('The receipt is not an object')
  const claim: { readonly [field in keyof ReceiptStatement]?: unknown } = value
  const { kind, id, plan, startsAt, endsAt, chainId, token, treasury, payments, issuedAt, logSize, signer } = claim
  if (kind !== 'receipt') throw new Error("The receipt's kind is not receipt")
  if (!isText(id)) throw invalidField('id', 'well-formed Unicode text')
  if (!isText(plan)) throw invalidField('plan', 'well-formed Unicode text')
  if (!isTime(startsAt)) throw invalidField('startsAt', 'a UTC time with milliseconds')
  if (!isTime(endsAt) || endsAt <= startsAt) throw invalidField('endsAt', 'a UTC time with milliseconds after startsAt')
  if (!isChainId(chainId)) throw invalidField('chainId', 'a positive integer')
  if (!isChecksummed(token)) throw invalidField('token', 'a checksummed address')
  if (!isChecksummed(treasury)) throw invalidField('treasury', 'a checksummed address')
  if (!Array.isArray(payments) || payments.length === 0 || payments.length > maxReceiptPayments) {
    throw invalidField('payments', `a list of 1 to ${maxReceiptPayments} transfers`)
  }
  if (!isTime(issuedAt)) throw invalidField('issuedAt', 'a UTC time with milliseconds')
  if (!isIndex(logSize)) throw invalidField('logSize', 'an integer of 0 or more')
  if (!isChecksummed(signer)) throw invalidField('signer', 'a checksummed address')
  const parsedPayments = payments.map(parsePayment)
  assertDistinct(parsedPayments)
  return {
    kind,
    id,
    plan,
    startsAt,
    endsAt,
    chainId,
    token,
    treasury,
    payments: parsedPayments,
    issuedAt,
    logSize,
    signer,
  }
}

function parsePayment(value: unknown): ReceiptPayment {
  if (!isObject(value)) throw invalidField('payments', 'a list of transfers')
  const fields: { readonly [field in keyof ReceiptPayment]?: unknown } = value
  const { payer, amountWei, transactionHash, logIndex } = fields
  if (!isChecksummed(payer)) throw invalidField('payments', 'with checksummed addresses of the payers')
  if (!isAmount(amountWei)) throw invalidField('payments', 'of amounts in base units, above 0 and below 2^256')
  if (!isHash(transactionHash)) throw invalidField('payments', 'in transactions of 0x and 64 lower-case hex digits')
  if (!isIndex(logIndex)) throw invalidField('payments', 'at log indexes of 0 or more')
  return { payer, amountWei, transactionHash, logIndex }
}

function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,77}$/.test(value) && BigInt(value) < 2n ** 256n
}

/** Duplicates would make the paid amount look larger. */
function assertDistinct(payments: readonly ReceiptPayment[]): void {
  const transferKeys = new Set(payments.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`))
  if (transferKeys.size < payments.length) throw invalidField('payments', 'a list without repetition')
}

function invalidField(field: keyof ReceiptStatement, description: string): Error {
  return new Error(`The receipt's ${field} is not ${description}`)
}
