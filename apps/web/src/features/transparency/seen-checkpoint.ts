import { bytesToHex, parseCheckpoint } from '@tocsin/proof'
import { isoTime } from '@tocsin/protocol'
import { z } from 'zod'
import { numberLocale } from '../../texts/language.ts'
import { transparencyTexts } from '../../texts/transparency.tsx'
import type { Trust } from '../proof/proof-task.ts'

const texts = transparencyTexts.seenCheckpoint

/** A checkpoint that this browser has checked, as it was signed, and when that was. */
const seenCheckpoint = z.object({ note: z.string().max(10_000), at: isoTime })
export type SeenCheckpoint = z.infer<typeof seenCheckpoint>

/** Kept by whom it was checked against: another log has other checkpoints. */
export function seenKeyOf({ firstSigner, domain }: Trust): string {
  return `log.seen.${domain.chainId}.${domain.verifyingContract}.${firstSigner}`
}

export function readSeen(value: unknown): SeenCheckpoint | null {
  return seenCheckpoint.safeParse(value).data ?? null
}

/** What a note states, with nothing said of its signature. Null where it is no checkpoint. */
export function readNote(note: string): { origin: string; size: number; root: string } | null {
  try {
    const { origin, size, root } = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
    return { origin, size, root: bytesToHex(root) }
  } catch {
    return null
  }
}

/** What can be seen without any proof: a log that became shorter, or has another root at the same size. */
export function findRewrite(seenNote: string, note: string): string | null {
  const seen = readNote(seenNote)
  const now = readNote(note)
  if (!seen || !now) return null
  const size = (count: number) => count.toLocaleString(numberLocale)
  if (now.size < seen.size) return texts.itHadEntries({ before: size(seen.size), now: size(now.size) })
  if (now.size === seen.size && now.root !== seen.root) {
    return texts.atEntriesItShowsAnother({ size: size(now.size) })
  }
  return null
}
