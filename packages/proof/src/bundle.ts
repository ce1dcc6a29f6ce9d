import { isChainId, isChecksummed, isObject } from './field-checks.ts'
import type { Address } from './hex.ts'
import { parseSignedEntry, type SignedEntry } from './signed-entry.ts'
import { getErrorMessage } from './words.ts'

/** An alert in the format of the API, where the log index is called `logIndex`. Untrusted. */
export type BundledAlert = { readonly [field: string]: unknown }

/** Everything needed to verify one alert, except a node of the anchor chain. */
export interface ProofBundle {
  format: 'tocsin-proof'
  /**
   * Version of the alert: 2 if it has a salt. A verifier that supports only version 1 then reports
   * an unsupported version instead of a failed check.
   */
  version: 1 | 2
  anchor: {
    chainId: number
    contract: Address
    /** URL of a node. Only a hint; the result does not depend on it. */
    rpcUrl: string | null
  }
  /** The key that signed the first entries. Verifiers compare it with the key that they trust. */
  firstSigner: Address
  /** All key lists of the log, in log order. */
  keys: SignedEntry[]
  alert: BundledAlert
  /** Outcome entries of the alert. Their verification does not change the alert's verdict. */
  outcomes?: SignedEntry[]
}

const maxKeyLists = 10_000
const maxOutcomes = 100

/**
 * Validates the structure of a bundle. verifyBundle checks the content.
 * @throws Error naming what is missing or malformed
 */
export function parseBundle(value: unknown): ProofBundle {
  const fields = readFields(value, 'The bundle')
  const { format, version, alert, outcomes } = fields
  if (format !== 'tocsin-proof') throw new Error('This is not a proof bundle: its format is not tocsin-proof')
  if (version !== 1 && version !== 2) throw new Error("The bundle's version is not 1 or 2")
  const source = parseLogSource(fields, 'bundle')
  const claim = readFields(alert, "The bundle's alert")
  if (version !== getBundleVersion(claim)) {
    throw new Error(`The bundle's version is ${version}, that of its alert ${getBundleVersion(claim)}`)
  }
  return {
    format,
    version,
    ...source,
    alert: claim,
    ...(outcomes === undefined ? {} : { outcomes: parseOutcomes(outcomes) }),
  }
}

/** The bundle version that this alert requires. */
export function getBundleVersion(alert: object): ProofBundle['version'] {
  const { salt }: { salt?: unknown } = alert
  return salt === undefined || salt === null ? 1 : 2
}

/** The fields that identify the log, in bundles and receipt files. */
export type LogSource = Pick<ProofBundle, 'anchor' | 'firstSigner' | 'keys'>

/**
 * @param name the type of file, for error messages
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
    keys: keys.map((entry, index) => parseEntry(entry, `Key list ${index + 1} of the ${name}`)),
  }
}

function parseAnchor(value: unknown, name: string): ProofBundle['anchor'] {
  const { chainId, contract, rpcUrl } = readFields(value, `The ${name}'s anchor`)
  if (!isChainId(chainId)) throw new Error(`The ${name}'s chainId is not a positive integer`)
  if (!isChecksummed(contract)) throw new Error(`The ${name}'s contract is not a checksummed address`)
  return { chainId, contract, rpcUrl: parseNodeUrl(rpcUrl, `The ${name}'s rpcUrl`) }
}

/** @throws Error with `name` if the value is neither null nor an http(s) URL */
export function parseNodeUrl(value: unknown, name: string): string | null {
  if (value === null || (typeof value === 'string' && /^https?:\/\/[\x21-\x7e]{1,2000}$/.test(value))) return value
  throw new Error(`${name} is not a URL of http or https`)
}

function parseOutcomes(value: unknown): SignedEntry[] {
  if (!Array.isArray(value) || value.length > maxOutcomes) {
    throw new Error(`The bundle's outcomes are not a list of at most ${maxOutcomes} entries`)
  }
  return value.map((entry, index) => parseEntry(entry, `Outcome ${index + 1} of the bundle`))
}

function parseEntry(value: unknown, name: string): SignedEntry {
  try {
    return parseSignedEntry(value)
  } catch (error) {
    throw new Error(`${name} is malformed: ${getErrorMessage(error)}`)
  }
}

/** @throws Error if the value is not an object */
export function readFields(value: unknown, name: string): { readonly [field: string]: unknown } {
  if (!isObject(value) || Array.isArray(value)) throw new Error(`${name} is not an object`)
  return { ...value }
}
