import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChecksummed, isHash, isIndex, isObject, isSalt, isTime } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'
import { isResult } from './record/decimal.ts'

/**
 * Log entry with the outcome of an alert's prediction. It becomes public together with the alert's
 * content.
 */
export interface OutcomeStatement {
  kind: 'outcome'
  index: number
  /** Index of the alert, below `index`. */
  targetIndex: number
  targetLeafHash: Hex
  verdict: 'came-true' | 'did-not' | 'void'
  /** The measured value as a decimal without trailing zeros. Null if and only if void. */
  measured: string | null
  createdAt: string
  /** The origin of the alert. */
  origin: 'feed' | 'demo'
  /** SHA-256 of the outcome message. */
  messageHash: Hex
  signer: Address
  /**
   * 16 random bytes in lower-case hex. Without a salt, the public leaf hash would reveal verdict
   * and value, which can be guessed from public candles.
   */
  salt: Hex
}

/**
 * Encodes the canonical bytes: `{"kind":"outcome","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the statement has no canonical form
 */
export function encodeOutcome(statement: OutcomeStatement): Uint8Array {
  return encodeParsed(parseOutcome(statement))
}

function encodeParsed(statement: OutcomeStatement): Uint8Array {
  const { createdAt, index, kind, measured, messageHash, origin, salt, signer } = statement
  const { targetIndex, targetLeafHash, verdict } = statement
  const fields = {
    // The fields are in canonical order, so that encoding needs no sorting.
    createdAt,
    index,
    kind,
    measured,
    messageHash,
    origin,
    salt,
    signer,
    targetIndex,
    targetLeafHash,
    v: 1,
    verdict,
  }
  return utf8ToBytes(canonicalJson(fields))
}

/**
 * Decodes canonical bytes.
 * @param value the parsed JSON of the bytes, if the caller already has it
 * @throws Error on bytes that encodeOutcome would not produce
 */
export function decodeOutcome(bytes: Uint8Array, value?: unknown): OutcomeStatement {
  return decodeCanonical(bytes, parseOutcome, encodeParsed, 'an outcome', value)
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored.
 * @throws Error naming the field that is missing or malformed
 */
export function parseOutcome(value: unknown): OutcomeStatement {
  if (!isObject(value)) throw new Error('The outcome is not an object')
  const claim: { readonly [field in keyof OutcomeStatement]?: unknown } = value
  const { kind, index, targetIndex, targetLeafHash, verdict, measured, createdAt } = claim
  const { origin, messageHash, signer, salt } = claim
  expect(kind === 'outcome', 'kind', 'outcome')
  expect(isIndex(index), 'index', 'an integer of 0 or more')
  expect(isIndex(targetIndex) && targetIndex < index, 'targetIndex', 'an index below its own')
  expect(isHash(targetLeafHash), 'targetLeafHash', '0x and 64 lower-case hex digits')
  expect(isVerdict(verdict), 'verdict', 'came-true, did-not or void')
  expect(measured === null || isResult(measured), 'measured', 'null or a decimal without trailing zeros')
  expect((measured === null) === (verdict === 'void'), 'measured', 'null if and only if the verdict is void')
  expect(isTime(createdAt), 'createdAt', 'a UTC time with milliseconds')
  expect(origin === 'feed' || origin === 'demo', 'origin', 'feed or demo')
  expect(isHash(messageHash), 'messageHash', '0x and 64 lower-case hex digits')
  expect(isChecksummed(signer), 'signer', 'a checksummed address')
  expect(isSalt(salt), 'salt', '0x and 32 lower-case hex digits')
  return {
    kind,
    index,
    targetIndex,
    targetLeafHash,
    verdict,
    measured,
    createdAt,
    origin,
    messageHash,
    signer,
    salt,
  }
}

function expect(isValid: boolean, field: keyof OutcomeStatement, description: string): asserts isValid {
  if (!isValid) throw new Error(`The outcome's ${field} is not ${description}`)
}

function isVerdict(value: unknown): value is OutcomeStatement['verdict'] {
  return value === 'came-true' || value === 'did-not' || value === 'void'
}
