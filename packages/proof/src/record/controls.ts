import { sha256 } from '@noble/hashes/sha2'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { type Hex, hexToBytes } from '../hex.ts'
import type { Interval } from './intervals.ts'

/**
 * Control minutes are random minutes of the same day at which the prediction of an alert is
 * measured too, for comparison. They are selected by the hash of a block that does not exist yet
 * when the alert is signed, so that the operator cannot choose them.
 */

const minutesPerDay = 1440
const controlMinuteCount = 20
const maxDraws = 1000
const prefix = utf8ToBytes('tocsin-control-v1')

export interface ControlDraw {
  /** Hash of the block of the first anchor on a later day. */
  blockHash: Hex
  /** Leaf hash of the alert. */
  leafHash: Hex
  horizonSeconds: number
}

/**
 * Selects up to 20 pseudo-random minutes of the UTC day, none before minute 1, whose horizons end
 * within the day. A minute can be selected twice.
 * @param isUsable false if the metric has no value at the minute; another minute is selected
 * instead
 */
export function drawControlMinutes(
  { blockHash, leafHash, horizonSeconds }: ControlDraw,
  isUsable: (minute: number) => boolean = () => true,
): number[] {
  const candidateCount = minutesPerDay - horizonSeconds / 60
  // Computes 64-bit numbers in two halves, because bigints take several times as long.
  const twoPow32 = 2 ** 32
  /** Number of the largest values to skip, because they would make some minutes more likely. */
  const skippedCount = ((twoPow32 % candidateCount) * (twoPow32 % candidateCount)) % candidateCount
  const seed = sha256.create().update(concatBytes(prefix, hexToBytes(blockHash), hexToBytes(leafHash)))
  const counter = new DataView(new ArrayBuffer(4))
  const counterBytes = new Uint8Array(counter.buffer)
  const digest = new DataView(new ArrayBuffer(32))
  const digestBytes = new Uint8Array(digest.buffer)
  // One hash state is reused for all selections, because a long record has millions of them.
  const hashState = sha256.create()
  const minutes: number[] = []
  for (let i = 0; i < maxDraws && minutes.length < controlMinuteCount; i++) {
    counter.setUint32(0, i)
    seed._cloneInto(hashState).update(counterBytes).digestInto(digestBytes)
    const [high, low] = [digest.getUint32(0), digest.getUint32(4)]
    const minute = 1 + (((high % candidateCount) * twoPow32 + low) % candidateCount)
    const isSkipped = high === twoPow32 - 1 && low >= twoPow32 - skippedCount
    if (!isSkipped && isUsable(minute)) minutes.push(minute)
  }
  return minutes
}

export interface Lift {
  lift: number
  low: number
  high: number
}

/**
 * Divides the strict rate (see figures.ts) and its interval by the base rate, the mean rate at
 * control minutes. Null if the base rate is 0 or unknown.
 */
export function findLift(strictRate: number, [low, high]: Interval, baseRate: number | null): Lift | null {
  if (baseRate === null || baseRate === 0) return null
  return { lift: strictRate / baseRate, low: low / baseRate, high: high / baseRate }
}
