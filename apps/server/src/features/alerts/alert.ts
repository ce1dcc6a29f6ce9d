import { randomBytes } from 'node:crypto'
import { type AlertStatement, bytesToHex, encodeAlert, type Hex, hashAlert, type ProofDomain } from '@tocsin/proof'
import type { Signer } from '../../context.ts'
import type { Tx } from '../../db/database.ts'

const SALT_LENGTH = 16

/** What somebody wants to state about the market. */
export type AlertContent = Pick<
  AlertStatement,
  'asset' | 'priority' | 'anomalyType' | 'regime' | 'summary' | 'confidence'
>

/** The entry that a correction or retraction points at. */
export type Target = Pick<AlertStatement, 'kind' | 'targetIndex' | 'targetLeafHash'>

export const noTarget: Target = { kind: 'alert', targetIndex: null, targetLeafHash: null }

export interface NewAlert {
  content: AlertContent
  origin: AlertStatement['origin']
  /** The feed's own id: the same one twice makes one alert. */
  signalId?: string
  /** SHA-256 of the raw feed message. */
  signalHash?: Hex
  /** That message, where it is to be kept. */
  signalMessage?: string
  /** The moment of issue unless given. */
  createdAt?: Date
  broadcast: boolean
  alsoWrite?: AlsoWrite
}

/** What else is written in the transaction that states an alert: either both are there or none. */
export type AlsoWrite = (tx: Tx, alertId: string) => Promise<void>

/** UUIDv7 (RFC 9562 section 5.7): the time in front, so that ids sort as they were made. */
export function newAlertId(now: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** What is signed: a statement of version 2, with a salt of its own. */
export function stateAlert(
  { content, origin, signalHash }: NewAlert,
  { kind, targetIndex, targetLeafHash }: Target,
  { index, id, createdAt, signer }: { index: number; id: string; createdAt: Date; signer: Signer },
): AlertStatement {
  const { asset, priority, anomalyType, regime, summary } = content
  // Adding zero turns -0 into 0. Nothing is rounded: encoding refuses more than one decimal place.
  const confidence = content.confidence + 0
  return {
    kind,
    index,
    id,
    asset,
    priority,
    anomalyType,
    regime,
    summary,
    confidence,
    createdAt: createdAt.toISOString(),
    origin,
    signalHash: signalHash ?? null,
    signer: signer.address,
    targetIndex,
    targetLeafHash,
    // Derived from nothing: anything guessable would let readers of the public leaf hash try contents.
    salt: bytesToHex(randomBytes(SALT_LENGTH)),
  }
}

/** The exact bytes that are logged, and the signature of what they say. */
export function signAlert(
  statement: AlertStatement,
  domain: ProofDomain,
  signer: Signer,
): { bytes: Uint8Array; signature: Hex } {
  return { bytes: encodeAlert(statement), signature: signer.signDigest(hashAlert(domain, statement)) }
}
