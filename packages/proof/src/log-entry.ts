import { maxClockDifferenceMs } from './anchor-checks.ts'
import { textToBytes } from './canonical-json.ts'
import { isHash } from './field-checks.ts'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import { describeWindow, findKeyAt } from './key-list.ts'
import type { SigningKey } from './keys.ts'
import { decodeStatement, isAlertStatement, type Statement } from './statement.ts'
import { hashLeaf } from './tree.ts'
import type { ProofDomain } from './typed-data.ts'
import { getErrorMessage, shortenAddress, shortenHashes } from './words.ts'

/**
 * Rules for each entry and anchor of a log. Each `assert` function throws an Error that names the
 * entry or anchor.
 */

/**
 * An entry as returned by the log. `bytes` and `signature` are null while the log withholds them.
 */
export interface LogEntry {
  index: number
  leafHash: Hex
  bytes: string | null
  signature: string | null
}

/** An anchor as read from the chain. */
export interface LogAnchor {
  size: number
  root: Hex
  /** Block time in the format of Date.toISOString(). */
  blockAt?: string
}

/** The latest createdAt so far and its entry. */
export interface NewestTime {
  index: number
  createdAt: string
}

export function assertPosition({ index, leafHash }: LogEntry, expectedIndex: number): void {
  if (index > expectedIndex) throw new Error(`Entry ${expectedIndex} is missing: entry ${index} comes instead`)
  if (index !== expectedIndex) throw new Error(`Entry ${expectedIndex} is missing: entry ${index} comes again`)
  if (!isHash(leafHash)) throw new Error(`The leaf hash of entry ${index} is malformed`)
}

/** Decodes the statement. Returns null if the log withholds it. */
export function readContent({ index, leafHash, bytes: text, signature }: LogEntry): Statement | null {
  if (text === null && signature === null) return null
  if (text === null) throw new Error(`Entry ${index} has a signature but no content`)
  const statement = readStatement(index, text, leafHash)
  if (statement.index !== index) {
    throw new Error(`The content of entry ${index} says that it is entry ${statement.index}`)
  }
  return statement
}

function readStatement(index: number, text: string, leafHash: Hex): Statement {
  const bytes = readOrThrow(`The content of entry ${index} is malformed`, () => textToBytes(text))
  if (bytesToHex(hashLeaf(bytes)) !== leafHash) {
    throw new Error(`The leaf hash of entry ${index} is not that of its content`)
  }
  return readOrThrow(`The content of entry ${index} is malformed`, () => decodeStatement(bytes))
}

function readOrThrow<Result>(problem: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new Error(`${problem}: ${getErrorMessage(error)}`)
  }
}

export function assertSignature(
  signature: string | null,
  statement: Statement,
  keys: readonly SigningKey[],
  recover: (signature: string) => Address | null,
): void {
  const { index, signer } = statement
  if (signature === null) throw new Error(`Entry ${index} has content but no signature`)
  const recoveredSigner = recover(signature)
  if (!recoveredSigner) throw new Error(`The signature of entry ${index} is malformed`)
  const name = shortenAddress(recoveredSigner)
  if (recoveredSigner !== signer) {
    throw new Error(`The signature of entry ${index} leads to ${name}, the entry says ${shortenAddress(signer)}`)
  }
  const key = keys.find(({ address }) => address.toLowerCase() === recoveredSigner.toLowerCase())
  if (!key) throw new Error(`The signature of entry ${index} is by ${name}, which is not a published key`)
  if (findKeyAt(keys, index) === key) return
  throw new Error(`The signature of entry ${index} is by ${name}, which signs ${describeWindow(key)}`)
}

/**
 * True for alerts, corrections and retractions of version 2. False for outcomes: they have a salt
 * in version 1 too, so it does not show their version.
 */
export function isSalted(statement: Statement): boolean {
  return isAlertStatement(statement) && statement.salt !== undefined
}

/** @param firstSalted index of the first entry of version 2, or null */
export function assertVersion(statement: Statement, firstSalted: number | null): void {
  if (firstSalted === null || !isAlertStatement(statement) || isSalted(statement)) return
  throw new Error(`Entry ${statement.index} is of version 1, though entry ${firstSalted} before it is of version 2`)
}

/**
 * A succession must directly follow the first key list and name another log. parseSuccession checks
 * that its index is 1.
 * @param firstKeys the keys of the key list at index 0, or null if that entry is no key list
 */
export function assertSuccession(
  statement: Statement,
  firstKeys: readonly SigningKey[] | null,
  domain: ProofDomain,
): void {
  if (statement.kind !== 'succession') return
  const { index, predecessor } = statement
  if (!firstKeys) throw new Error(`Entry ${index} is a succession, but entry 0 is not a key list`)
  const isOwnLog =
    predecessor.chainId === domain.chainId &&
    predecessor.contract.toLowerCase() === domain.verifyingContract.toLowerCase()
  if (isOwnLog) throw new Error(`Entry ${index} names this log itself as its predecessor`)
}

/**
 * Checks that an entry's time is not before the latest time of earlier entries. Allows for clock
 * differences, because several instances issue alerts.
 */
export function assertCreatedAt({ index, createdAt }: Statement, newestTime: NewestTime | null): void {
  if (!newestTime || Date.parse(createdAt) + maxClockDifferenceMs >= Date.parse(newestTime.createdAt)) return
  throw new Error(`Entry ${index} is of ${createdAt}, entry ${newestTime.index} before it of ${newestTime.createdAt}`)
}

export function assertAnchor(anchor: LogAnchor, size: number, root: Hex, newestTime: NewestTime | null): void {
  if (anchor.size > size) throw new Error(`The log ends at size ${size}, the anchor is of size ${anchor.size}`)
  if (anchor.size < size) throw new Error(`The anchor of size ${anchor.size} comes when the log has size ${size}`)
  if (anchor.root.toLowerCase() !== root) {
    const [computedText, anchoredText] = shortenHashes(root, anchor.root)
    const roots = `${computedText} differs from the anchor, which says ${anchoredText}`
    throw new Error(`The root at size ${size} ${roots}`)
  }
  const { blockAt } = anchor
  if (blockAt === undefined || !newestTime) return
  if (Date.parse(blockAt) + maxClockDifferenceMs >= Date.parse(newestTime.createdAt)) return
  throw new Error(
    `The anchor of size ${size} is of ${blockAt}, before entry ${newestTime.index} of ${newestTime.createdAt}`,
  )
}
