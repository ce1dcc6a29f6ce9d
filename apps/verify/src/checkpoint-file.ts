import { bytesToHex, type Hex, parseCheckpoint, type SigningKey, verifyCheckpoint } from '@tocsin/proof'

/** A parsed signed note. Its signature is not verified yet. */
export interface Note {
  note: string
  origin: string
  size: number
  root: Hex
}

/** @throws Error if the text is not a signed checkpoint */
export function readNote(note: string): Note {
  const { origin, size, root } = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
  return { note, origin, size, root: bytesToHex(root) }
}

/**
 * Verifies that the log's key for the note's size has signed the note. Returns the reason for a
 * failure, or null if the signature is valid.
 */
export function findForgery({ note, origin }: Note, keys: readonly SigningKey[]): string | null {
  try {
    verifyCheckpoint(note, { origin, keys })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'The checkpoint cannot be read'
  }
}
