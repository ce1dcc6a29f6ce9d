import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Prediction } from '../engine.ts'
import { writeFileAtomic } from './atomic-file.ts'
import { type LineFile, openLineFile } from './line-file.ts'

/** A message of the signal protocol. Its text never changes, because its hash is signed. */
export interface Message {
  kind: 'signal' | 'outcome'
  /** The signal's id, in an outcome too. */
  id: string
  text: string
  /** Milliseconds since 1970: `observedAt` of a signal, creation of an outcome. */
  at: number
  /** Of a signal. */
  prediction?: Prediction
}

export interface Kept extends Message {
  /** Position in the order of sending. */
  sequence: number
  /** True if a product has received it. */
  isReceived: boolean
}

export interface OpenPrediction {
  id: string
  /** The signal as it was sent. */
  text: string
  prediction: Prediction
}

type Line = { add: Message & { sequence: number } } | { received: number } | { outcomeFor: string }

const HOUR_MS = 3_600_000
/** The product rejects signals that were observed more than a day ago. */
const SIGNAL_KEPT_MS = 24 * HOUR_MS
/** Repeated on each connection, for a product that was away. */
const OUTCOME_KEPT_MS = 7 * 24 * HOUR_MS
const UNRECEIVED_OUTCOME_KEPT_MS = 30 * 24 * HOUR_MS
/** Beyond it new signals are not sent. Their predictions were never published. */
const MAX_WAITING = 20_000

/**
 * Messages for the products, on disk before they are sent. A message is added once: a signal that
 * the engine repeats after a restart is recognised by its id.
 */
export function openOutbox(folder: string) {
  const path = join(folder, 'outbox.jsonl')
  let file: LineFile = openLineFile(path)
  let kept: Kept[] = []
  const keys = new Set<string>()
  let next = 1
  let receivedTo = 0

  const apply = (line: Line) => {
    if ('add' in line) {
      kept.push({ ...line.add, isReceived: false })
      keys.add(keyOf(line.add))
      next = line.add.sequence + 1
    } else if ('received' in line) {
      receivedTo = Math.max(receivedTo, line.received)
      next = Math.max(next, receivedTo + 1)
    } else keys.add(keyOf({ kind: 'outcome', id: line.outcomeFor }))
  }
  // Only lines that this module wrote.
  for (const line of file.values) apply(line as Line)
  const markReceived = () => {
    for (const message of kept) message.isReceived = message.sequence <= receivedTo
  }
  markReceived()

  const isKept = (message: Kept, nowMs: number): boolean => {
    const age = nowMs - message.at
    if (message.kind === 'signal') {
      const isOpen = message.prediction !== undefined && !keys.has(keyOf({ kind: 'outcome', id: message.id }))
      return age < (isOpen ? UNRECEIVED_OUTCOME_KEPT_MS : SIGNAL_KEPT_MS)
    }
    return age < (message.isReceived ? OUTCOME_KEPT_MS : UNRECEIVED_OUTCOME_KEPT_MS)
  }
  return {
    /**
     * Writes new messages to the disk.
     * @returns how many signals were left out because too many wait
     */
    add(messages: readonly Message[]): number {
      let left = 0
      let waiting = next - 1 - receivedTo
      for (const message of messages) {
        if (keys.has(keyOf(message))) continue
        if (message.kind === 'signal' && waiting >= MAX_WAITING) {
          left += 1
          continue
        }
        const line: Line = { add: { ...message, sequence: next } }
        file.append(line)
        apply(line)
        waiting += 1
      }
      file.sync()
      return left
    },
    /** Messages after a position, in the order of sending, without signals that are too old. */
    after(sequence: number, limit: number, nowMs: number): Kept[] {
      const first = kept.findIndex((message) => message.sequence > sequence)
      const found: Kept[] = []
      for (let at = first; at >= 0 && at < kept.length && found.length < limit; at++) {
        const message = kept[at]
        if (message && (message.kind === 'outcome' || nowMs - message.at < SIGNAL_KEPT_MS)) found.push(message)
      }
      return found
    },
    /** A product has received everything up to this position. */
    receive(sequence: number) {
      if (sequence <= receivedTo || sequence >= next) return
      receivedTo = sequence
      file.append({ received: sequence })
      file.flush()
      markReceived()
    },
    openPredictions(): OpenPrediction[] {
      return kept.flatMap(({ kind, id, text, prediction }) => {
        if (kind !== 'signal' || !prediction || keys.has(keyOf({ kind: 'outcome', id }))) return []
        return [{ id, text, prediction }]
      })
    },
    /** Outcomes that are still kept, oldest first. */
    outcomes: (): Kept[] => kept.filter(({ kind }) => kind === 'outcome'),
    waiting: (): number => kept.filter(({ isReceived }) => !isReceived).length,
    size: (): number => kept.length,
    /** Drops messages that no product can use any more. */
    compact(nowMs: number) {
      const remaining = kept.filter((message) => isKept(message, nowMs))
      if (remaining.length === kept.length) return
      kept = remaining
      const settled = kept.filter(({ kind, id }) => kind === 'signal' && keys.has(keyOf({ kind: 'outcome', id })))
      const lines: Line[] = [
        ...kept.map(({ isReceived: _, ...add }) => ({ add })),
        ...settled.map(({ id }) => ({ outcomeFor: id })),
        { received: Math.min(receivedTo, next - 1) },
      ]
      file.close()
      writeFileAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      file = openLineFile(path)
      keys.clear()
      for (const message of kept) keys.add(keyOf(message))
      for (const { id } of settled) keys.add(keyOf({ kind: 'outcome', id }))
    },
    close: () => file.close(),
  }
}

export type Outbox = ReturnType<typeof openOutbox>

function keyOf({ kind, id }: { kind: string; id: string }): string {
  return `${kind} ${id}`
}

/** SHA-256 of a message as it is sent. */
export function hashText(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
