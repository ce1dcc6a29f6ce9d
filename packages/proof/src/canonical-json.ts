import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'

/** What statements are made of: a subset of JSON on which RFC 8785 and JSON.stringify agree, but for the order of keys. */
export type CanonicalValue =
  | string
  | number
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue }

/** RFC 8785 (JCS) text. Strings must be well-formed and numbers finite; whoever calls has checked that. */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  // Default order is by UTF-16 code units, as RFC 8785 section 3.2.3 wants.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

/**
 * The UTF-8 bytes of a text that came as JSON.
 * @throws Error on lone surrogates: they have no bytes, and U+FFFD, which would stand in for them, does
 */
export function textToBytes(text: string): Uint8Array {
  const bytes = utf8ToBytes(text)
  if (!isWellFormed(text)) throw new Error('The content is not well-formed Unicode text')
  return bytes
}

/** @throws SyntaxError when the bytes are no JSON */
export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(bytesToUtf8(bytes))
}

/** Without lone surrogates. With the u flag a paired surrogate is one code point, so only lone ones match. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text)
}

function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value)
}
