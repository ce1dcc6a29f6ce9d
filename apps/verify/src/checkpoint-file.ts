import { bytesToHex, type Hex, parseCheckpoint, type SigningKey, verifyCheckpoint } from '@tocsin/proof'

/** A signed note that was read, its signature not yet checked. */
export interface Note {
  note: string
  origin: string
  size: number
  root: Hex
}

/** @throws Error with a sentence on anything that is no signed checkpoint */
export function readNote(note: string): Note {
  const { origin, size, root } = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
  return { note, origin, size, root: bytesToHex(root) }
}

/** Why the note is not signed by the log's key for that size; null when it is. */
export function findForgery({ note, origin }: Note, keys: readonly SigningKey[]): string | null {
  try {
    verifyCheckpoint(note, { origin, keys })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'The checkpoint can not be read'
  }
}
