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

interface Place {
  index: number
  createdAt: Date
  signer: Signer
}

/** The list that a log begins with, or that one from before there were lists gets: the first key has signed everything so far. */
export function stateFirstKey({ index, createdAt, signer }: Place): KeysStatement {
  const { address, checkpointKey } = signer
  const keys = [{ address, checkpointKey, fromIndex: 0, untilIndex: null }]
  return { kind: 'keys', index, createdAt: createdAt.toISOString(), signer: address, keys }
}

/** The list that lets the next key sign from the entry after it on. */
export function stateNextKey(
  former: readonly SigningKey[],
  next: Signer,
  { index, createdAt, signer }: Place,
): KeysStatement {
  const fromIndex = index + 1
  const closed = former.map((key) => (key.untilIndex === null ? { ...key, untilIndex: fromIndex } : key))
  const { address, checkpointKey } = next
  const keys = [...closed, { address, checkpointKey, fromIndex, untilIndex: null }]
  return { kind: 'keys', index, createdAt: createdAt.toISOString(), signer: signer.address, keys }
}

/** @throws Error with a sentence when the list may not follow the former one */
export function signKeyList(
  former: readonly SigningKey[] | null,
  statement: KeysStatement,
  domain: ProofDomain,
  signer: Signer,
): Entry {
  assertNextKeyList(former, statement)
  return { bytes: encodeStatement(statement), signature: signer.signDigest(hashStatement(domain, statement)) }
}
