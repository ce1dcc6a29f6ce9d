import { isChecksummed } from './field-checks.ts'
import type { Address } from './hex.ts'
import { parseSignedEntry, type SignedEntry } from './signed-entry.ts'
import { sentenceOf } from './words.ts'

/** An alert as the API gives it: its place in the log is called `logIndex`. Nothing in it is trusted. */
export type BundledAlert = { readonly [field: string]: unknown }

/** All that is needed to check one alert, but for a node of the anchor chain. */
export interface ProofBundle {
  format: 'tocsin-proof'
  version: 1
  anchor: {
    chainId: number
    contract: Address
    /** A node that may be asked: a hint that nothing depends on. */
    rpcUrl: string | null
  }
  /** The key that signed the first entries. Whoever verifies knows it from elsewhere. */
  firstSigner: Address
  /** All key lists of the log, in its order. */
  keys: SignedEntry[]
  alert: BundledAlert
}

const maxKeyLists = 10_000

/**
 * A bundle of the right shape out of anything; whether it is true is for verifyBundle to say.
 * @throws Error naming what is missing or malformed
 */
export function parseBundle(value: unknown): ProofBundle {
  const { format, version, anchor, firstSigner, keys, alert } = readFields(value, 'The bundle')
  if (format !== 'tocsin-proof') throw new Error('This is not a proof bundle: its format is not tocsin-proof')
  if (version !== 1) throw new Error('The bundle is of another version than 1')
  if (!isChecksummed(firstSigner)) throw new Error("The bundle's firstSigner is not a checksummed address")
  if (!Array.isArray(keys) || keys.length > maxKeyLists) throw new Error("The bundle's keys are not a list of entries")
  return {
    format,
    version,
    anchor: parseAnchor(anchor),
    firstSigner,
    keys: keys.map(parseKeyListEntry),
    alert: readFields(alert, "The bundle's alert"),
  }
}

/** @throws Error naming what is missing or malformed */
export function parseAnchor(value: unknown): ProofBundle['anchor'] {
  const { chainId, contract, rpcUrl } = readFields(value, "The bundle's anchor")
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw new Error("The bundle's chainId is not a positive integer")
  }
  if (!isChecksummed(contract)) throw new Error("The bundle's contract is not a checksummed address")
  if (rpcUrl === null) return { chainId, contract, rpcUrl }
  if (typeof rpcUrl !== 'string' || !/^https?:\/\/[^\s]{1,2000}$/.test(rpcUrl)) {
    throw new Error("The bundle's rpcUrl is not a URL of http or https")
  }
  return { chainId, contract, rpcUrl }
}

/** @throws Error naming the list */
export function parseKeyListEntry(value: unknown, at: number): SignedEntry {
  try {
    return parseSignedEntry(value)
  } catch (error) {
    throw new Error(`Key list ${at + 1} of the bundle is malformed: ${sentenceOf(error)}`)
  }
}

/** @throws Error when it is no object */
export function readFields(value: unknown, name: string): { readonly [field: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`)
  return { ...value }
}
