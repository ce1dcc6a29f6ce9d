import { isChecksummed } from './field-checks.ts'
import type { Address } from './hex.ts'
import { parseSignedEntry, type SignedEntry } from './signed-entry.ts'
import { sentenceOf } from './words.ts'

/** An alert as the API gives it: its place in the log is called `logIndex`. Nothing in it is trusted. */
export type BundledAlert = { readonly [field: string]: unknown }

/** All that is needed to check one alert, but for a node of the anchor chain. */
export interface ProofBundle {
  format: 'tocsin-proof'
  /** That of the alert: 2 if it has a salt. A verifier that knows version 1 alone then says so instead of "failed". */
  version: 1 | 2
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
  const fields = readFields(value, 'The bundle')
  const { format, version, alert } = fields
  if (format !== 'tocsin-proof') throw new Error('This is not a proof bundle: its format is not tocsin-proof')
  if (version !== 1 && version !== 2) throw new Error('The bundle is of another version than 1 and 2')
  const source = parseLogSource(fields, 'bundle')
  const claim = readFields(alert, "The bundle's alert")
  if (version !== bundleVersion(claim)) {
    throw new Error(`The bundle's version is ${version}, that of its alert ${bundleVersion(claim)}`)
  }
  return { format, version, ...source, alert: claim }
}

/** The version of a bundle with this alert. */
export function bundleVersion(alert: object): ProofBundle['version'] {
  const { salt }: { salt?: unknown } = alert
  return salt === undefined || salt === null ? 1 : 2
}

/** What a bundle and a receipt file say of the log that they are of. */
export type LogSource = Pick<ProofBundle, 'anchor' | 'firstSigner' | 'keys'>

/**
 * @param name what the file is, for the sentence of an error
 * @throws Error naming what is missing or malformed
 */
export function parseLogSource(
  { anchor, firstSigner, keys }: { readonly [field: string]: unknown },
  name: 'bundle' | 'receipt',
): LogSource {
  if (!isChecksummed(firstSigner)) throw new Error(`The ${name}'s firstSigner is not a checksummed address`)
  if (!Array.isArray(keys) || keys.length > maxKeyLists) throw new Error(`The ${name}'s keys are not a list of entries`)
  return {
    anchor: parseAnchor(anchor, name),
    firstSigner,
    keys: keys.map((entry, at) => parseKeyList(entry, at, name)),
  }
}

function parseAnchor(value: unknown, name: string): ProofBundle['anchor'] {
  const { chainId, contract, rpcUrl } = readFields(value, `The ${name}'s anchor`)
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw new Error(`The ${name}'s chainId is not a positive integer`)
  }
  if (!isChecksummed(contract)) throw new Error(`The ${name}'s contract is not a checksummed address`)
  return { chainId, contract, rpcUrl: parseNodeUrl(rpcUrl, `The ${name}'s rpcUrl`) }
}

/** @throws Error naming it */
export function parseNodeUrl(value: unknown, name: string): string | null {
  if (value === null || (typeof value === 'string' && /^https?:\/\/[\x21-\x7e]{1,2000}$/.test(value))) return value
  throw new Error(`${name} is not a URL of http or https`)
}

function parseKeyList(value: unknown, at: number, name: string): SignedEntry {
  try {
    return parseSignedEntry(value)
  } catch (error) {
    throw new Error(`Key list ${at + 1} of the ${name} is malformed: ${sentenceOf(error)}`)
  }
}

/** @throws Error when it is no object */
export function readFields(value: unknown, name: string): { readonly [field: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`)
  return { ...value }
}
