import { decodeKeys, type SigningKey } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'

export type ListedKey = SigningKey & { isFirst: boolean }

/** The keys of the newest list, the one that signs now first. Whether the lists are true is for the check to say; what can't be read is left out. */
export function listKeys(entries: LogKeys['entries']): ListedKey[] {
  const newest = entries.at(-1)
  if (!newest) return []
  try {
    const { keys } = decodeKeys(new TextEncoder().encode(newest.bytes))
    return keys.map((key, place) => ({ ...key, isFirst: place === 0 })).reverse()
  } catch {
    return []
  }
}
