import { decodeKeys, type SigningKey } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'

export type ListedKey = SigningKey & { isFirst: boolean }

/**
 * The keys of the newest key list, current key first. Does not verify the list. Returns [] if it
 * cannot be decoded.
 */
export function listKeys(entries: LogKeys['entries']): ListedKey[] {
  const newest = entries.at(-1)
  if (!newest) return []
  try {
    const { keys } = decodeKeys(new TextEncoder().encode(newest.bytes))
    return keys.map((key, index) => ({ ...key, isFirst: index === 0 })).reverse()
  } catch {
    return []
  }
}
