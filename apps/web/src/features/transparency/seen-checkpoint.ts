import { bytesToHex, parseCheckpoint } from '@tocsin/proof'
import { toRecord } from '../../browser/stored-json.ts'
import { formatCount } from '../../ui/count.ts'
import type { Trust } from '../proof/proof-task.ts'

/** A signed checkpoint that this browser has verified, and when. */
export interface SeenCheckpoint {
  note: string
  at: string
}

/** Storage key of the checkpoint. Each log has its own. */
export function createSeenKey({ firstSigner, domain }: Trust): string {
  return `log.seen.${domain.chainId}.${domain.verifyingContract}.${firstSigner}`
}

export function parseSeenCheckpoint(value: unknown): SeenCheckpoint | null {
  const { note, at } = toRecord(value)
  return typeof note === 'string' && typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? { note, at } : null
}

/** Parses a checkpoint note without verifying its signature. Returns null if it is invalid. */
export function readNote(note: string): { origin: string; size: number; root: string } | null {
  try {
    const { origin, size, root } = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
    return { origin, size, root: bytesToHex(root) }
  } catch {
    return null
  }
}

/**
 * Detects rewrites that need no consistency proof: a smaller log, or another root at the same size.
 * Returns a message or null.
 */
export function findRewrite(seenNote: string, note: string): string | null {
  const seenCheckpoint = readNote(seenNote)
  const newCheckpoint = readNote(note)
  if (!seenCheckpoint || !newCheckpoint) return null
  if (newCheckpoint.size < seenCheckpoint.size)
    return `The log had ${formatCount(seenCheckpoint.size)} entries when you last checked it, and has ${formatCount(newCheckpoint.size)} now.`
  if (newCheckpoint.size === seenCheckpoint.size && newCheckpoint.root !== seenCheckpoint.root) {
    return `At ${formatCount(newCheckpoint.size)} entries, the log has another root than the one that you checked.`
  }
  return null
}
