import { ed25519 } from '@noble/curves/ed25519'
import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { decodeBase64, encodeBase64 } from './base64.ts'
import { isIndex } from './field-checks.ts'
import { bytesToHex, type Hex } from './hex.ts'
import { findKeyAt } from './key-list.ts'
import type { SigningKey } from './keys.ts'
import { noteVerifierKey, verifyNote } from './note.ts'

/** Size and root of a log, as in C2SP tlog-checkpoint. */
export interface Checkpoint {
  /** Name of the log, a schema-less URL. Also the name of the signing key. */
  origin: string
  size: number
  root: Uint8Array
}

/**
 * Formats the text to sign: origin, size and base64 of the root, one per line.
 * @throws Error if origin, size or root are invalid
 */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  if (origin === '' || origin.includes('\n')) throw new Error('The origin is not one line')
  if (!isIndex(size)) throw new Error('The size is not an integer of 0 or more')
  if (root.length !== 32) throw new Error('The root is not 32 bytes long')
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

/**
 * Parses a checkpoint from the text of a note. Lines after the third are extensions.
 * @throws Error on malformed input
 */
export function parseCheckpoint(text: string): Checkpoint & { extensions: string[] } {
  if (!text.endsWith('\n')) throw new Error('The checkpoint does not end with a newline')
  const [origin, size, root, ...extensions] = text.slice(0, -1).split('\n')
  if (!origin) throw new Error('The checkpoint names no origin')
  if (!size || !/^(0|[1-9][0-9]*)$/.test(size)) throw new Error('The size of the checkpoint is not a decimal number')
  if (!isIndex(Number(size))) throw new Error('The size of the checkpoint is beyond 2^53 - 1')
  if (extensions.includes('')) throw new Error('The checkpoint has an empty line')
  return { origin, size: Number(size), root: readRoot(root ?? ''), extensions }
}

function readRoot(base64: string): Uint8Array {
  const root = decodeBase64(base64)
  if (root.length !== 32) throw new Error('The root of the checkpoint is not 32 bytes long')
  return root
}

/**
 * Verifies a note and returns its checkpoint. A key list has a checkpoint key for each signing key.
 * The note must be signed by the checkpoint key of the window that includes the next entry, whose
 * index is the checkpoint's size.
 * @throws Error if the note is malformed, of another log, or not signed by that key
 */
export function verifyCheckpoint(
  note: string,
  { origin, keys }: { origin: string; keys: readonly SigningKey[] },
): Checkpoint {
  const unverifiedCheckpoint = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
  if (unverifiedCheckpoint.origin !== origin) throw new Error('The checkpoint belongs to another log')
  const key = findKeyAt(keys, unverifiedCheckpoint.size)
  verifyNote(note, key ? [noteVerifierKey(origin, key.checkpointKey)] : [])
  return { origin, size: unverifiedCheckpoint.size, root: unverifiedCheckpoint.root }
}

/**
 * Derives the Ed25519 private key for checkpoints from a signing key, so that operators manage only
 * one secret.
 */
export function deriveCheckpointSeed(signerKey: Uint8Array): Uint8Array {
  if (signerKey.length !== 32) throw new Error('The key is not 32 bytes long')
  return hkdf(sha256, signerKey, undefined, 'tocsin checkpoint key v1', 32)
}

/** Returns the public key of a checkpoint seed, in the hex form that key lists use. */
export function checkpointPublicKey(seed: Uint8Array): Hex {
  return bytesToHex(ed25519.getPublicKey(seed))
}
