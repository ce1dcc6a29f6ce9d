import {
  assertNextKeyList,
  encodeStatement,
  hashStatement,
  type KeysStatement,
  type ProofDomain,
  type SigningKey,
} from '@tocsin/proof'
import type { Signer } from '../../context.ts'
import type { Entry } from './log.ts'

interface KeyListPosition {
  index: number
  createdAt: Date
  signer: Signer
}

/** Builds the first key list of a log. All entries before it were signed by the first key. */
export function buildFirstKeyList({ index, createdAt, signer }: KeyListPosition): KeysStatement {
  const { address, checkpointKey } = signer
  const keys = [{ address, checkpointKey, fromIndex: 0, untilIndex: null }]
  return { kind: 'keys', index, createdAt: createdAt.toISOString(), signer: address, keys }
}

/** Builds the key list that makes the next key the signer of all entries after it. */
export function buildNextKeyList(
  former: readonly SigningKey[],
  next: Signer,
  { index, createdAt, signer }: KeyListPosition,
): KeysStatement {
  const fromIndex = index + 1
  const closed = former.map((key) => (key.untilIndex === null ? { ...key, untilIndex: fromIndex } : key))
  const { address, checkpointKey } = next
  const keys = [...closed, { address, checkpointKey, fromIndex, untilIndex: null }]
  return { kind: 'keys', index, createdAt: createdAt.toISOString(), signer: signer.address, keys }
}

/**
 * Signs a key list.
 * @throws Error with a message for the operator if the list may not follow the previous one
 */
export function signKeyList(
  former: readonly SigningKey[] | null,
  statement: KeysStatement,
  domain: ProofDomain,
  signer: Signer,
): Entry {
  assertNextKeyList(former, statement)
  return { bytes: encodeStatement(statement), signature: signer.signDigest(hashStatement(domain, statement)) }
}
