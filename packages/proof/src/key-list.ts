import type { KeysStatement, SigningKey } from './keys.ts'
import { encodeKeys } from './keys.ts'

/** The key whose window includes the entry, or null. */
export function keyAt(keys: readonly SigningKey[], index: number): SigningKey | null {
  return keys.find((key) => isWithin(key, index)) ?? null
}

function isWithin({ fromIndex, untilIndex }: SigningKey, index: number): boolean {
  return fromIndex <= index && (untilIndex === null || index < untilIndex)
}

/**
 * Checks that a key list is a valid successor of the previous one, or a valid first list. Past
 * windows must not change, so that replacing a key affects only later entries.
 * @param former the keys of the previous list, null for the first list
 * @throws Error naming the violated rule
 */
export function assertNextKeyList(former: readonly SigningKey[] | null, next: KeysStatement): void {
  encodeKeys(next)
  if (keyAt(former ?? next.keys, next.index)?.address !== next.signer) {
    throw new Error(`The key list of entry ${next.index} is not signed by the key that is valid there`)
  }
  if (!former) {
    if (next.keys.length !== 1) throw new Error('The first key list names more than the first key')
    return
  }
  const changeIndex = next.index + 1
  const kept = former.map((key) => (key.untilIndex === null ? { ...key, untilIndex: changeIndex } : key))
  for (const [at, expected] of kept.entries()) {
    if (!isSameKey(expected, next.keys[at])) throw new Error(describeChange(next, at, expected))
  }
  if (next.keys.length !== former.length + 1) {
    throw new Error(`The key list of entry ${next.index} does not add exactly one key`)
  }
}

function isSameKey(expected: SigningKey, found: SigningKey | undefined): boolean {
  return (
    found !== undefined &&
    found.address === expected.address &&
    found.checkpointKey === expected.checkpointKey &&
    found.fromIndex === expected.fromIndex &&
    found.untilIndex === expected.untilIndex
  )
}

function describeChange({ index, keys }: KeysStatement, at: number, expected: SigningKey): string {
  const found = keys[at]
  const list = `The key list of entry ${index}`
  if (!found) return `${list} leaves out key ${at + 1}`
  if (found.untilIndex === expected.untilIndex) return `${list} changes key ${at + 1}`
  return `${list} lets key ${at + 1} end at ${found.untilIndex ?? 'no entry'} instead of ${expected.untilIndex}`
}

/** Describes the entries for which a key is valid, for messages. */
export function describeWindow({ fromIndex, untilIndex }: SigningKey): string {
  if (untilIndex === null) return `entries from ${fromIndex} on`
  return untilIndex === fromIndex + 1 ? `entry ${fromIndex} alone` : `entries ${fromIndex} to ${untilIndex - 1}`
}
