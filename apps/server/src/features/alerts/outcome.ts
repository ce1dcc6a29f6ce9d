import { randomBytes } from 'node:crypto'
import {
  assertHorizonOver,
  bytesToHex,
  type CandleLists,
  equalCandles,
  evaluateOutcomeMessage,
  type Forecast,
  type Hex,
  hashSignal,
  isDecimal,
  type OutcomeStatement,
  parseCandleLists,
  readSignalMessage,
} from '@tocsin/proof'
import { isPlainText } from '@tocsin/protocol'
import type { Signer } from '../../context.ts'
import { SALT_LENGTH } from './alert.ts'

/** The signal that an outcome message claims to be about. */
export interface OutcomeClaim {
  id: string
  signalHash: string
}

/** An alert that came from a signal, with what is known about its outcome. */
export interface OutcomeTarget {
  logIndex: number
  leafHash: Uint8Array
  signalHash: string
  origin: 'admin' | 'feed' | 'demo'
  isBroadcast: boolean
  /** The signal message. Null if it is not stored. */
  message: string | null
  /** The outcomes of the alert so far. Messages that are not stored are null. */
  outcomes: { messageHash: string; message: string | null }[]
}

/** An outcome before it is signed. */
export interface NewOutcome {
  target: OutcomeTarget
  message: string
  messageHash: Hex
  verdict: OutcomeStatement['verdict']
  measured: string | null
}

/** `known`: the same message, or a message with the same candles, was logged before. */
export type OutcomeDecision = { newOutcome: NewOutcome } | { known: OutcomeTarget } | { refusal: string }

/** Returns null if the text names no signal. */
export function readOutcomeClaim(text: string): OutcomeClaim | null {
  try {
    const { id, signalHash }: { id?: unknown; signalHash?: unknown } = Object(JSON.parse(text))
    // The claims are looked up in the database, which cannot search for NUL, so texts with NUL are
    // rejected.
    return isText(id) && isText(signalHash) ? { id, signalHash } : null
  } catch {
    return null
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isPlainText(value)
}

/**
 * Decides whether a message becomes an outcome entry. Recomputes its verdict from its candles.
 * @param target the alert of the signal with the claimed hash, or null. The new outcome is added to
 *   it.
 * @param now time of the entry
 */
export function decideOutcome(text: string, target: OutcomeTarget | null, now: Date): OutcomeDecision {
  if (!target) return { refusal: 'There is no alert of this signal' }
  const messageHash = hashSignal(text)
  if (target.outcomes.some((outcome) => outcome.messageHash === messageHash)) return { known: target }
  try {
    const { result, candles } = evaluate(text, target, now)
    if (target.outcomes.some(({ message }) => message !== null && hasCandles(message, target, candles))) {
      return { known: target }
    }
    target.outcomes.push({ messageHash, message: text })
    const { verdict, measured } = result
    return { newOutcome: { target, message: text, messageHash, verdict, measured } }
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) }
  }
}

/** @throws Error with the reason for the operator */
function evaluate(text: string, target: OutcomeTarget, now: Date) {
  const { id, forecast } = readTarget(target)
  const { prediction } = forecast
  assertHorizonOver(prediction, now.getTime())
  const evaluation = evaluateOutcomeMessage(text, { id, hash: toHash(target.signalHash), prediction })
  const { measured } = evaluation.result
  if (measured !== null && !isDecimal(measured)) throw new Error('The measured value has more than 18 digits')
  return evaluation
}

/** @throws Error if the signal message is not stored or has no prediction */
function readTarget({ message, origin }: OutcomeTarget): { id: string; forecast: Forecast } {
  if (message === null || origin === 'admin') throw new Error('The message of this signal is not stored')
  const { id, forecast } = readSignalMessage(message, origin)
  if (!forecast) throw new Error('The signal has no prediction')
  return { id, forecast }
}

/**
 * Returns true if an earlier message has the same candles, so that this message adds nothing new.
 */
function hasCandles(earlierMessage: string, target: OutcomeTarget, { market, other }: CandleLists): boolean {
  const { prediction } = readTarget(target).forecast
  const { candles, otherCandles }: { candles?: unknown; otherCandles?: unknown } = Object(JSON.parse(earlierMessage))
  const earlierLists = parseCandleLists(prediction, candles, otherCandles)
  return isSameList(earlierLists.market, market) && isSameList(earlierLists.other ?? [], other ?? [])
}

function isSameList(a: CandleLists['market'], b: CandleLists['market']): boolean {
  if (a.length !== b.length) return false
  return a.every((candle, index) => {
    const otherCandle = b[index]
    return otherCandle !== undefined && equalCandles(candle, otherCandle)
  })
}

/** Builds the statement that is signed, with a random salt. */
export function buildOutcomeStatement(
  { target, messageHash, verdict, measured }: NewOutcome,
  { index, createdAt, signer }: { index: number; createdAt: Date; signer: Signer },
): OutcomeStatement {
  const { origin, logIndex, leafHash } = target
  if (origin === 'admin') throw new Error(`Entry ${logIndex} is an admin alert, which has no outcome`)
  return {
    kind: 'outcome',
    index,
    targetIndex: logIndex,
    targetLeafHash: bytesToHex(leafHash),
    verdict,
    measured,
    createdAt: createdAt.toISOString(),
    origin,
    messageHash,
    signer: signer.address,
    salt: bytesToHex(randomBytes(SALT_LENGTH)),
  }
}

/** @throws Error if the text is not a hash */
function toHash(text: string): Hex {
  if (!/^0x[0-9a-f]{64}$/.test(text)) throw new Error('The signal has no hash')
  return text as Hex
}
