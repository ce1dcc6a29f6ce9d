import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import { equalBytes } from './hex.ts'

/**
 * The values in statements: a subset of JSON for which JSON.stringify matches RFC 8785 except for
 * the order of keys.
 */
export type CanonicalValue =
  | string
  | number
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue }

/** RFC 8785 (JCS) text. The caller must ensure that strings are well-formed and numbers finite. */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  // A flat object with ordered keys needs no sorting. This is several times faster, and most
  // statements have this form.
  if (isFlatAndOrdered(value)) return JSON.stringify(value)
  // String comparison is by UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

/**
 * UTF-8 bytes of a text parsed from JSON.
 * @throws Error on lone surrogates, which UTF-8 cannot represent; encoders replace them with U+FFFD
 */
export function textToBytes(text: string): Uint8Array {
  const bytes = utf8ToBytes(text)
  if (!isWellFormed(text)) throw new Error('The content is not well-formed Unicode text')
  return bytes
}

/** @throws SyntaxError if the bytes are not JSON */
export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(bytesToUtf8(bytes))
}

/**
 * Decodes the canonical bytes of a statement. Rejects different spacing, key order or number
 * format, duplicate or unknown keys, and invalid UTF-8.
 * @param name the kind of statement, for the message
 * @param value the parsed JSON of the bytes, if the caller already has it
 * @throws Error on bytes that `encode` would not produce
 */
export function decodeCanonical<Statement>(
  bytes: Uint8Array,
  parse: (value: unknown) => Statement,
  encode: (statement: Statement) => Uint8Array,
  name: string,
  value: unknown = readJson(bytes),
): Statement {
  const statement = parse(value)
  if (!equalBytes(encode(statement), bytes)) throw new Error(`The bytes are not the canonical form of ${name}`)
  return statement
}

/**
 * True if the text has no lone surrogates. With the u flag a surrogate pair is one code point, so
 * only lone surrogates match.
 */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text)
}

function isFlatAndOrdered(value: { readonly [key: string]: CanonicalValue }): boolean {
  let lastKey = ''
  for (const key in value) {
    const member = value[key]
    if (key < lastKey || (typeof member === 'object' && member !== null)) return false
    lastKey = key
  }
  return true
}

function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value)
}
