import { randomBytes } from 'node:crypto'
import { type AlertStatement, bytesToHex, type Forecast, type Hex } from '@tocsin/proof'
import type { Signer } from '../../context.ts'
import type { Tx } from '../../db/database.ts'

export const SALT_LENGTH = 16

/** The content of an alert before it is signed. */
export type AlertContent = Pick<
  AlertStatement,
  'asset' | 'priority' | 'anomalyType' | 'regime' | 'summary' | 'confidence'
>

/** Returns the fields of a signal or form that the alert contains. */
export function pickAlertContent(fields: AlertContent): AlertContent {
  const { asset, priority, anomalyType, regime, summary, confidence } = fields
  return { asset, priority, anomalyType, regime, summary, confidence }
}

/** The entry that a correction or retraction refers to. */
export type Target = Pick<AlertStatement, 'kind' | 'targetIndex' | 'targetLeafHash'>

export const noTarget: Target = { kind: 'alert', targetIndex: null, targetLeafHash: null }

export interface NewAlert {
  content: AlertContent
  origin: AlertStatement['origin']
  /**
   * The feed's id of the signal. It is the idempotency key: the same id twice creates one alert.
   */
  signalId?: string
  /** SHA-256 of the raw feed message. */
  signalHash?: Hex
  /** The raw feed message, which is stored. */
  signalMessage?: string
  /** The prediction in `signalMessage`. */
  forecast?: Forecast
  /** Default: the time of issue. */
  createdAt?: Date
  broadcast: boolean
  /** When the signal arrived, in epoch milliseconds. Used for traces. */
  receivedMs?: number
  alsoWrite?: AlsoWrite
}

/**
 * Further writes in the transaction that inserts the alert, so that both commit or neither does.
 */
export type AlsoWrite = (tx: Tx, alertId: string) => Promise<void>

/**
 * Creates a UUIDv7 (RFC 9562 section 5.7). The timestamp comes first, so ids sort by creation time.
 */
export function createAlertId(now: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Builds the statement (version 2) that is signed, with a random salt. */
export function buildAlertStatement(
  { content, origin, signalHash }: NewAlert,
  { kind, targetIndex, targetLeafHash }: Target,
  { index, id, createdAt, signer }: { index: number; id: string; createdAt: Date; signer: Signer },
): AlertStatement {
  const { asset, priority, anomalyType, regime, summary } = content
  // Adding zero turns -0 into 0. Nothing is rounded: encoding rejects more than one decimal place.
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
    // The salt is random, not derived: with a guessable salt, readers of the public leaf hash could
    // test guesses of the content.
    salt: bytesToHex(randomBytes(SALT_LENGTH)),
  }
}
