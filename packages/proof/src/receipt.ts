import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, readJson } from './canonical-json.ts'
import { isChecksummed, isHash, isIndex, isText, isTime } from './field-checks.ts'
import { type Address, equalBytes, type Hex } from './hex.ts'

/** One transfer of the token to the treasury that the receipt is for. */
export interface ReceiptPayment {
  payer: Address
  /** Base units, in decimal digits. */
  amountWei: string
  transactionHash: Hex
  /** Place of the Transfer log among the logs of its own transaction, from 0. */
  logIndex: number
}

/**
 * What the service states of a paid period: who paid what, where, and for which time. It is signed like an entry, but is none: the log says
 * nothing of those who read it.
 */
export interface ReceiptStatement {
  kind: 'receipt'
  /** The subscription's id. */
  id: string
  plan: string
  /** The period that was granted, from `startsAt` up to but without `endsAt`. */
  startsAt: string
  endsAt: string
  /** The chain that the payments are on. */
  chainId: number
  token: Address
  treasury: Address
  /** At least one. */
  payments: ReceiptPayment[]
  issuedAt: string
  /** Entries in the log when this was signed: the signer is the key that signs the entry of this index. */
  logSize: number
  signer: Address
}

const maxPayments = 100

/**
 * The canonical bytes: `{"kind":"receipt","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the receipt has no canonical form
 */
export function encodeReceipt(statement: ReceiptStatement): Uint8Array {
  const { payments, ...fields } = parseReceipt(statement)
  return utf8ToBytes(canonicalJson({ v: 1, ...fields, payments: payments.map((payment) => ({ ...payment })) }))
}

/**
 * The receipt in canonical bytes.
 * @throws Error on bytes that encodeReceipt would not have written
 */
export function decodeReceipt(bytes: Uint8Array): ReceiptStatement {
  const statement = parseReceipt(readJson(bytes))
  if (!equalBytes(encodeReceipt(statement), bytes)) throw new Error('The bytes are not the canonical form of a receipt')
  return statement
}

/**
 * The statement's fields out of anything, others left behind.
 * @throws Error naming the first field that has no canonical form
 */
export function parseReceipt(value: unknown): ReceiptStatement {
  if (typeof value !== 'object' || value === null) throw new Error('The receipt is not an object')
  const claim: { readonly [field in keyof ReceiptStatement]?: unknown } = value
  const { kind, id, plan, startsAt, endsAt, chainId, token, treasury, payments, issuedAt, logSize, signer } = claim
  if (kind !== 'receipt') throw new Error("The receipt's kind is not receipt")
  if (!isText(id)) throw misfit('id', 'well-formed Unicode text')
  if (!isText(plan)) throw misfit('plan', 'well-formed Unicode text')
  if (!isTime(startsAt)) throw misfit('startsAt', 'a UTC time with milliseconds')
  if (!isTime(endsAt) || endsAt <= startsAt) throw misfit('endsAt', 'a UTC time with milliseconds after startsAt')
  if (!isIndex(chainId) || chainId === 0) throw misfit('chainId', 'a positive integer')
  if (!isChecksummed(token)) throw misfit('token', 'a checksummed address')
  if (!isChecksummed(treasury)) throw misfit('treasury', 'a checksummed address')
  if (!Array.isArray(payments) || payments.length === 0 || payments.length > maxPayments) {
    throw misfit('payments', `a list of 1 to ${maxPayments} transfers`)
  }
  if (!isTime(issuedAt)) throw misfit('issuedAt', 'a UTC time with milliseconds')
  if (!isIndex(logSize)) throw misfit('logSize', 'an integer from 0 up')
  if (!isChecksummed(signer)) throw misfit('signer', 'a checksummed address')
  const list = payments.map(parsePayment)
  assertDistinct(list)
  return { kind, id, plan, startsAt, endsAt, chainId, token, treasury, payments: list, issuedAt, logSize, signer }
}

function parsePayment(value: unknown): ReceiptPayment {
  if (typeof value !== 'object' || value === null) throw misfit('payments', 'a list of transfers')
  const claim: { readonly [field in keyof ReceiptPayment]?: unknown } = value
  const { payer, amountWei, transactionHash, logIndex } = claim
  if (!isChecksummed(payer)) throw misfit('payments', 'by payers with checksummed addresses')
  if (!isAmount(amountWei)) throw misfit('payments', 'of amounts in base units, above 0 and below 2^256')
  if (!isHash(transactionHash)) throw misfit('payments', 'in transactions of 0x and 64 lower-case hex digits')
  if (!isIndex(logIndex)) throw misfit('payments', 'at log indexes from 0 up')
  return { payer, amountWei, transactionHash, logIndex }
}

function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,77}$/.test(value) && BigInt(value) < 2n ** 256n
}

/** A transfer that is named twice would look like twice the money. */
function assertDistinct(payments: readonly ReceiptPayment[]): void {
  const places = new Set(payments.map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`))
  if (places.size < payments.length) throw misfit('payments', 'a list without repetition')
}

function misfit(field: keyof ReceiptStatement, expected: string): Error {
  return new Error(`The receipt's ${field} is not ${expected}`)
}
