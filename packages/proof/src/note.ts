import { ed25519 } from '@noble/curves/ed25519'
import { sha256 } from '@noble/hashes/sha2'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { isWellFormed } from './canonical-json.ts'
import { bytesToHex, equalBytes, type Hex, hexToBytes } from './hex.ts'

/** Signed notes (C2SP signed-note), Ed25519 (signature type 0x01) only. */

const ed25519Type = Uint8Array.of(1)
const maxSignatures = 100

interface VerifierKey {
  name: string
  keyHash: Uint8Array
  publicKey: Uint8Array
}

/**
 * Formats a verifier key: name, key hash and public key, separated by plus signs.
 * @throws Error on an invalid name or a key that is not 32 bytes long
 */
export function noteVerifierKey(name: string, publicKey: Hex): string {
  const key = hexToBytes(publicKey)
  if (key.length !== 32) throw new Error('The key is not 32 bytes long')
  assertName(name)
  const typedKey = concatBytes(ed25519Type, key)
  return `${name}+${bytesToHex(computeKeyHash(name, typedKey)).slice(2)}+${encodeBase64(typedKey)}`
}

/** @throws Error on text that noteVerifierKey would not produce */
function parseVerifierKey(text: string): VerifierKey {
  const [, name, hash, base64] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? []
  if (!name || !hash || !base64) throw new Error('The verifier key is not a name, a hash and a key')
  assertName(name)
  const typedKey = decodeBase64(base64)
  if (typedKey.length !== 33 || typedKey[0] !== 1) throw new Error('The verifier key is not an Ed25519 key')
  const keyHash = computeKeyHash(name, typedKey)
  if (bytesToHex(keyHash) !== `0x${hash}`) throw new Error('The hash of the verifier key is not that of its key')
  return { name, keyHash, publicKey: typedKey.slice(1) }
}

/**
 * Appends a signature line to the text.
 * @param seed the 32 bytes of an Ed25519 private key
 * @throws Error on a text or name that notes cannot contain
 */
export function signNote(text: string, { name, seed }: { name: string; seed: Uint8Array }): string {
  assertText(text)
  assertName(name)
  const typedKey = concatBytes(ed25519Type, ed25519.getPublicKey(seed))
  const signature = ed25519.sign(utf8ToBytes(text), seed)
  return `${text}\n— ${name} ${encodeBase64(concatBytes(computeKeyHash(name, typedKey), signature))}\n`
}

/**
 * Verifies a note. Returns its text and the names of all known keys that signed it; at least one
 * must. Signatures by unknown keys are ignored, as the standard requires.
 * @throws Error on a malformed note or key, on an invalid signature by a known key, and if no known
 * key signed
 */
export function verifyNote(note: string, verifierKeys: readonly string[]): { text: string; signers: string[] } {
  const keys = verifierKeys.map(parseVerifierKey)
  const { text, signatures } = splitNote(note)
  const message = utf8ToBytes(text)
  const signers: string[] = []
  for (const { name, keyHash, publicKey } of keys) {
    const ownSignatures = signatures.filter(
      (noteSignature) => noteSignature.name === name && equalBytes(noteSignature.keyHash, keyHash),
    )
    if (ownSignatures.length === 0) continue
    if (!ownSignatures.every(({ signature }) => isSigned(message, signature, publicKey))) {
      throw new Error(`The note has an invalid signature by ${name}`)
    }
    if (!signers.includes(name)) signers.push(name)
  }
  if (signers.length === 0) throw new Error('The note is not signed by a known key')
  return { text, signers }
}

interface NoteSignature {
  name: string
  keyHash: Uint8Array
  signature: Uint8Array
}

function splitNote(note: string): { text: string; signatures: NoteSignature[] } {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) throw new Error('The note has no signatures')
  const text = note.slice(0, end + 1)
  assertText(text)
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > maxSignatures) throw new Error(`The note has more than ${maxSignatures} signatures`)
  return { text, signatures: lines.map(readSignature) }
}

function readSignature(line: string): NoteSignature {
  const [, name, base64] = /^— ([^ ]+) ([^ ]+)$/u.exec(line) ?? []
  if (!name || !base64) throw new Error('The note has a malformed signature line')
  assertName(name)
  const bytes = decodeBase64(base64)
  if (bytes.length < 5) throw new Error('The note has a signature without a key hash')
  return { name, keyHash: bytes.slice(0, 4), signature: bytes.slice(4) }
}

function isSigned(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  // zip215: false selects the cofactored equation of RFC 8032 with canonical encodings, and rejects
  // public keys of small order. Check the length first: `verify` throws on other lengths.
  return signature.length === 64 && ed25519.verify(signature, message, publicKey, { zip215: false })
}

function computeKeyHash(name: string, typedKey: Uint8Array): Uint8Array {
  return sha256(concatBytes(utf8ToBytes(`${name}\n`), typedKey)).slice(0, 4)
}

function assertText(text: string): void {
  if (!text.endsWith('\n')) throw new Error('The text of the note does not end with a newline')
  if (hasControls(text.replaceAll('\n', ''))) throw new Error('The text of the note contains control characters')
}

function assertName(name: string): void {
  if (name === '' || /[\s+]/u.test(name) || hasControls(name))
    throw new Error('The name of the key is empty or contains a space, a plus sign or a control character')
}

function hasControls(text: string): boolean {
  // Unicode Cc: U+0000 to U+001F and U+007F to U+009F.
  return !isWellFormed(text) || /\p{Cc}/u.test(text)
}
