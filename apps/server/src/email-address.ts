import { domainToASCII, domainToUnicode } from 'node:url'
import { isOneLine, isVisible } from '@tocsin/protocol'
import { Refusal } from './refusal.ts'

const MAX_BYTES = 254
const MAX_LOCAL_BYTES = 64
const MAX_LABEL_BYTES = 63
const LOCAL_PART = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u
const DOMAIN =
  /^([\p{L}\p{N}\p{M}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}\p{M}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u

/** The only letter outside ASCII whose lower-case form is an ASCII letter, k. */
const KELVIN_SIGN = '\u212a'

/**
 * Normalizes an address for storage and lookup, so that each mailbox has one account and one quota.
 * The result is trimmed, NFC and lower case, and all spellings of a domain become one. Returns null
 * if the text is not a single plain address. This excludes control or invisible characters, lists,
 * quoted local parts, more than 254 bytes (RFC 5321, 4.5.3.1) and impossible domains.
 */
export function normalizeEmail(text: string): string | null {
  // Conversion to lower case turns this sign into the ASCII letter k, so the result would be the
  // address of another mailbox.
  if (text.includes(KELVIN_SIGN)) return null
  const email = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  if (Buffer.byteLength(email) > MAX_BYTES) return null
  const at = email.indexOf('@')
  const localPart = email.slice(0, at)
  const domain = email.slice(at + 1)
  if (at < 1 || Buffer.byteLength(localPart) > MAX_LOCAL_BYTES) return null
  if (!LOCAL_PART.test(localPart) || !DOMAIN.test(domain)) return null
  const normalizedDomain = normalizeDomain(domain)
  return normalizedDomain === null ? null : `${localPart}@${normalizedDomain}`
}

/**
 * Returns the domain in Unicode, regardless of whether it was entered in Punycode, in full-width
 * letters or in Unicode. Returns null unless DNS allows it: labels of at most 63 bytes (RFC 1035,
 * 2.3.4) and no numeric top-level domain (RFC 3696, 2).
 */
function normalizeDomain(domain: string): string | null {
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  const hasValidLabels = labels.every(({ length }) => length > 0 && length <= MAX_LABEL_BYTES)
  if (!hasValidLabels || /^\d*$/.test(labels.at(-1) ?? '')) return null
  const unicode = domainToUnicode(ascii)
  // Keep Punycode if it stands for invisible characters or symbols.
  return DOMAIN.test(unicode) ? unicode : ascii
}

export function parseEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email === null) throw new Refusal('malformed', 'Please enter a valid email address')
  return email
}

const MAX_NAME_LENGTH = 100

/**
 * Normalizes a display name, so that it is safe to show and email: NFC, one line with a visible
 * character, no control or bidirectional formatting characters.
 * @throws Refusal malformed
 */
export function parseDisplayName(text: string): string {
  const name = text.trim().normalize('NFC')
  if (!isVisible(name) || name.length > MAX_NAME_LENGTH || !isOneLine(name)) {
    throw new Refusal('malformed', 'Please enter a name of one line, at most 100 characters long')
  }
  return name
}
