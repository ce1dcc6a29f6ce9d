import type { KeysStatement, SigningKey } from './keys.ts'
import { encodeKeys } from './keys.ts'

/** The key whose window includes the entry, or null. */
export function findKeyAt(keys: readonly SigningKey[], index: number): SigningKey | null {
  return keys.find((key) => isWithin(key, index)) ?? null
}

function isWithin({ fromIndex, untilIndex }: SigningKey, index: number): boolean {
  return fromIndex <= index && (untilIndex === null || index < untilIndex)
}

/**
 * Checks that a key list is a valid successor of the previous one, or a valid first list. Past
 * windows must not change, so that replacing a key affects only later entries.
 * @param formerKeys the keys of the previous list, null for the first list
 * @throws Error naming the violated rule
 */
export function assertNextKeyList(formerKeys: readonly SigningKey[] | null, nextStatement: KeysStatement): void {
  encodeKeys(nextStatement)
  if (findKeyAt(formerKeys ?? nextStatement.keys, nextStatement.index)?.address !== nextStatement.signer) {
    throw new Error(`The key list of entry ${nextStatement.index} is not signed by the key that is valid there`)
  }
  if (!formerKeys) {
    if (nextStatement.keys.length !== 1) throw new Error('The first key list names more than the first key')
    return
  }
  const changeIndex = nextStatement.index + 1
  const expectedKeys = formerKeys.map((key) => (key.untilIndex === null ? { ...key, untilIndex: changeIndex } : key))
  for (const [at, expectedKey] of expectedKeys.entries()) {
    if (!isSameKey(expectedKey, nextStatement.keys[at])) throw new Error(describeChange(nextStatement, at, expectedKey))
  }
  if (nextStatement.keys.length !== formerKeys.length + 1) {
    throw new Error(`The key list of entry ${nextStatement.index} does not add exactly one key`)
  }
}

function isSameKey(expectedKey: SigningKey, foundKey: SigningKey | undefined): boolean {
  return (
    foundKey !== undefined &&
    foundKey.address === expectedKey.address &&
    foundKey.checkpointKey === expectedKey.checkpointKey &&
    foundKey.fromIndex === expectedKey.fromIndex &&
    foundKey.untilIndex === expectedKey.untilIndex
  )
}

function describeChange({ index, keys }: KeysStatement, position: number, expectedKey: SigningKey): string {
  const foundKey = keys[position]
  const list = `The key list of entry ${index}`
  if (!foundKey) return `${list} leaves out key ${position + 1}`
  if (foundKey.untilIndex === expectedKey.untilIndex) return `${list} changes key ${position + 1}`
  return `${list} lets key ${position + 1} end at ${foundKey.untilIndex ?? 'no entry'} instead of ${expectedKey.untilIndex}`
}

/** Describes the entries for which a key is valid, for messages. */
export function describeWindow({ fromIndex, untilIndex }: SigningKey): string {
  if (untilIndex === null) return `entries from ${fromIndex} on`
  return untilIndex === fromIndex + 1 ? `entry ${fromIndex} alone` : `entries ${fromIndex} to ${untilIndex - 1}`
}
