import { isOneLine } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'

const MAX_BYTES = 254
const MAX_LOCAL_BYTES = 64
const LOCAL_PART = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u
const DOMAIN =
  /^([\p{L}\p{N}\p{M}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}\p{M}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u

/**
 * The one normal form in which an address is stored and looked up: trimmed, NFC, lower case. Null for what is no single plain address:
 * control and invisible characters, lists, quoted local parts, more than 254 bytes (RFC 5321, 4.5.3.1).
 */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  if (Buffer.byteLength(email) > MAX_BYTES) return null
  const at = email.indexOf('@')
  const local = email.slice(0, at)
  const domain = email.slice(at + 1)
  if (at < 1 || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return null
  return LOCAL_PART.test(local) && DOMAIN.test(domain) ? email : null
}

export function parseEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email === null) throw new Refusal('malformed', 'Please enter a valid email address')
  return email
}

const MAX_NAME_LENGTH = 100

/** A person's name as it may be shown and mailed: NFC, one line, no control or direction-changing characters. */
export function parseName(text: string): string {
  const name = text.trim().normalize('NFC')
  if (name === '' || name.length > MAX_NAME_LENGTH || !isOneLine(name)) {
    throw new Refusal('malformed', 'Please enter a name of one line, at most 100 characters long')
  }
  return name
}
