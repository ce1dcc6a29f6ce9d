import { assertNextKeyList, type KeysStatement, type ProofDomain, type SigningKey } from '@tocsin/proof'
import type { Signer } from '../../context.ts'
import { type Entry, signStatement } from './log.ts'

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
  formerKeys: readonly SigningKey[],
  nextSigner: Signer,
  { index, createdAt, signer }: KeyListPosition,
): KeysStatement {
  const fromIndex = index + 1
  const closedKeys = formerKeys.map((key) => (key.untilIndex === null ? { ...key, untilIndex: fromIndex } : key))
  const { address, checkpointKey } = nextSigner
  const keys = [...closedKeys, { address, checkpointKey, fromIndex, untilIndex: null }]
  return { kind: 'keys', index, createdAt: createdAt.toISOString(), signer: signer.address, keys }
}

/**
 * Signs a key list.
 * @throws Error with a message for the operator if the list may not follow the previous one
 */
export function signKeyList(
  formerKeys: readonly SigningKey[] | null,
  statement: KeysStatement,
  domain: ProofDomain,
  signer: Signer,
): Entry {
  assertNextKeyList(formerKeys, statement)
  return signStatement(statement, domain, signer)
}
