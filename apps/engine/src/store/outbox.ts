import { join } from 'node:path'
import type { Prediction } from '@tocsin/engine'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { writeFileAtomic } from './atomic-file.ts'
import { createMemoryLines, type LineFile, openLineFile } from './line-file.ts'

/** A message of the signal protocol. Its text never changes, because its hash is signed. */
export interface Message {
  kind: 'signal' | 'outcome' | 'candles'
  /** Id of the signal, for an outcome too. For candles: market, day and part. */
  id: string
  text: string
  /** Milliseconds since 1970: `observedAt` of a signal, creation of other messages. */
  at: number
  /** Only for a signal. */
  prediction?: Prediction
}

export interface StoredMessage extends Message {
  /** Position in the send order. */
  sequence: number
  /** True if a server has received it. */
  isReceived: boolean
}

export interface OpenPrediction {
  id: string
  /** The signal as it was sent. */
  text: string
  prediction: Prediction
}

type Line =
  | { add: Message & { sequence: number } }
  | { offered: number }
  | { withdrawn: { id: string; text: string } }
  | { received: number }
  | { outcomeFor: string }

/**
 * Maximum age of a signal that is sent. The server rejects signals that were observed more than a
 * day ago. The last hour is left for signals that wait in a connection whose server reads slowly.
 */
const MAX_SIGNAL_AGE_MS = 23 * HOUR_MS
/** Time before the start of a prediction that the server needs to sign the signal. */
const SIGNING_MS = 1_000
/**
 * Time for which received outcomes are stored. They are sent again on each connection, for a
 * server that was disconnected.
 */
const OUTCOME_RETENTION_MS = 7 * 24 * HOUR_MS
const UNRECEIVED_RETENTION_MS = 30 * 24 * HOUR_MS
/**
 * Time for which a signal is stored if its prediction has an outcome. After the end of a day, the
 * predictions of that day determine which candles are sent.
 */
const PREDICTION_RETENTION_MS = 72 * HOUR_MS
const CANDLES_RETENTION_MS = 48 * HOUR_MS
/**
 * Maximum number of waiting messages. Beyond it, new signals are left out, so their predictions are
 * not published.
 */
const MAX_WAITING = 20_000

/**
 * Stores messages for the connected Tocsin servers, on disk before they are sent. A message is
 * added once: a signal that the engine repeats after a restart is recognised by its id.
 * @param folder null stores the messages in memory only
 * @param maxSignalAgeMs maximum age of a signal that is sent
 */
export function openOutbox(folder: string | null, maxSignalAgeMs = MAX_SIGNAL_AGE_MS) {
  const path = folder === null ? null : join(folder, 'outbox.jsonl')
  // Messages in memory are not sent to servers, so their number is not limited.
  const maxWaiting = path === null ? Number.POSITIVE_INFINITY : MAX_WAITING
  let file: LineFile = path === null ? createMemoryLines() : openLineFile(path)
  let storedMessages: StoredMessage[] = []
  /** Signals whose prediction has no outcome, by id. */
  const openSignals = new Map<string, StoredMessage>()
  const keys = new Set<string>()
  const withdrawnIds = new Set<string>()
  let nextSequence = 1
  let offeredTo = 0
  let receivedTo = 0
  /** Number of stored messages that no server has received. */
  let waitingCount = 0

  const countWaiting = () => {
    waitingCount = storedMessages.filter(({ isReceived }) => !isReceived).length
  }
  const withdrawPrediction = ({ id, text }: { id: string; text: string }) => {
    storedMessages = storedMessages.flatMap((message) => {
      if (message.id !== id) return [message]
      const { prediction: _, ...rest } = message
      // Drop an outcome of the signal. It has not been sent, because it follows the unsent signal.
      return message.kind === 'signal' ? [{ ...rest, text }] : []
    })
    openSignals.delete(id)
    withdrawnIds.add(id)
    countWaiting()
  }
  const applyLine = (line: Line) => {
    if ('add' in line) {
      const message = { ...line.add, isReceived: false }
      storedMessages.push(message)
      waitingCount += 1
      keys.add(formatKey(message))
      if (message.kind === 'outcome') openSignals.delete(message.id)
      else if (message.prediction) openSignals.set(message.id, message)
      nextSequence = Math.max(nextSequence, message.sequence + 1)
    } else if ('offered' in line) {
      offeredTo = Math.max(offeredTo, line.offered)
      // Skip the numbers of offered messages that have been deleted: a new message with such a
      // number would count as offered.
      nextSequence = Math.max(nextSequence, offeredTo + 1)
    } else if ('withdrawn' in line) withdrawPrediction(line.withdrawn)
    else if ('received' in line) {
      receivedTo = Math.max(receivedTo, line.received)
      offeredTo = Math.max(offeredTo, receivedTo)
      nextSequence = Math.max(nextSequence, receivedTo + 1)
    } else {
      keys.add(formatKey({ kind: 'outcome', id: line.outcomeFor }))
      openSignals.delete(line.outcomeFor)
    }
  }
  const writeLine = (line: Line) => {
    file.append(line)
    applyLine(line)
  }
  // The cast is safe: the file contains only lines that this module wrote.
  for (const line of file.values) applyLine(line as Line)
  const markReceived = () => {
    for (const message of storedMessages) message.isReceived = message.sequence <= receivedTo
    countWaiting()
  }
  markReceived()

  const computeRetentionMs = ({ kind, id, sequence, prediction, isReceived }: StoredMessage): number => {
    if (kind !== 'signal') {
      if (!isReceived) return UNRECEIVED_RETENTION_MS
      return kind === 'outcome' ? OUTCOME_RETENTION_MS : CANDLES_RETENTION_MS
    }
    // No server has the prediction of this signal, so no server needs an outcome.
    if (!prediction || sequence > offeredTo) return 0
    return openSignals.has(id) ? UNRECEIVED_RETENTION_MS : PREDICTION_RETENTION_MS
  }
  const listRetained = (nowMs: number): StoredMessage[] => {
    const isRetained = (message: StoredMessage) =>
      nowMs - message.at < Math.max(maxSignalAgeMs, computeRetentionMs(message))
    const neverSentSignals = storedMessages.filter(
      (one) => one.kind === 'signal' && one.sequence > offeredTo && !isRetained(one),
    )
    const droppedIds = new Set(neverSentSignals.map(({ id }) => id))
    return storedMessages.filter(
      (message) => isRetained(message) && !(message.kind === 'outcome' && droppedIds.has(message.id)),
    )
  }
  const listAfter = (sequence: number, limit: number, nowMs: number): StoredMessage[] => {
    const firstIndex = storedMessages.findIndex((message) => message.sequence > sequence)
    const foundMessages: StoredMessage[] = []
    for (
      let messageIndex = firstIndex;
      messageIndex >= 0 && messageIndex < storedMessages.length && foundMessages.length < limit;
      messageIndex++
    ) {
      const message = storedMessages[messageIndex]
      if (message && (message.kind !== 'signal' || nowMs - message.at < maxSignalAgeMs)) foundMessages.push(message)
    }
    return foundMessages
  }
  return {
    /**
     * Writes new messages to the disk.
     * @returns the numbers of messages that were stored, and of signals that were left out because
     *   too many messages wait
     */
    add(messages: readonly Message[]): { storedCount: number; leftOutCount: number } {
      let storedCount = 0
      let leftOutCount = 0
      for (const message of messages) {
        // The outcome may have been requested before its prediction was withdrawn.
        if (keys.has(formatKey(message)) || (message.kind === 'outcome' && withdrawnIds.has(message.id))) continue
        if (message.kind === 'signal' && waitingCount >= maxWaiting) {
          leftOutCount += 1
          continue
        }
        writeLine({ add: { ...message, sequence: nextSequence } })
        storedCount += 1
      }
      file.sync()
      return { storedCount, leftOutCount }
    },
    /**
     * Adds messages of the history and marks them as sent, so that `offer` does not withdraw
     * predictions that have already started.
     */
    addHistory(messages: readonly Message[]) {
      for (const message of messages)
        if (!keys.has(formatKey(message))) writeLine({ add: { ...message, sequence: nextSequence } })
      writeLine({ offered: nextSequence - 1 })
      file.sync()
    },
    /** Messages after a position in send order, without signals that are too old. */
    after: listAfter,
    /**
     * Returns the messages to send now. A prediction whose period started before its signal was
     * first offered is withdrawn, because a prediction that is published late does not count. From
     * its first offer on, a message never changes.
     */
    offer(sequence: number, limit: number, nowMs: number): StoredMessage[] {
      const listLateSignals = (messages: readonly StoredMessage[]) =>
        messages.filter((one) => one.sequence > offeredTo && one.prediction && isStale(one.prediction, nowMs))
      let batch = listAfter(sequence, limit, nowMs)
      // A withdrawal also drops an outcome, so that further messages move into the batch.
      for (let late = listLateSignals(batch); late.length > 0; late = listLateSignals(batch)) {
        for (const { id, text } of late)
          writeLine({ withdrawn: { id, text: JSON.stringify(removePrediction(JSON.parse(text))) } })
        batch = listAfter(sequence, limit, nowMs)
      }
      const lastSequence = batch.at(-1)?.sequence ?? 0
      if (lastSequence > offeredTo) {
        writeLine({ offered: lastSequence })
        file.sync()
      }
      return batch
    },
    /** Records that a server has received all messages up to this position. */
    receive(sequence: number) {
      if (sequence <= receivedTo || sequence >= nextSequence) return
      writeLine({ received: sequence })
      file.flush()
      markReceived()
    },
    openPredictions: (): OpenPrediction[] =>
      [...openSignals.values()].flatMap(({ id, text, prediction }) => (prediction ? [{ id, text, prediction }] : [])),
    /**
     * Returns all stored predictions, with or without an outcome, except predictions that `offer`
     * would withdraw. Offered predictions are stored for at least `PREDICTION_RETENTION_MS`.
     */
    predictions: (nowMs: number): Prediction[] =>
      storedMessages.flatMap(({ prediction, sequence }) =>
        prediction && (sequence <= offeredTo || !isStale(prediction, nowMs)) ? prediction : [],
      ),
    has: (kind: Message['kind'], id: string): boolean => keys.has(formatKey({ kind, id })),
    /** Returns the stored outcomes, oldest first. */
    outcomes: (): StoredMessage[] => storedMessages.filter(({ kind }) => kind === 'outcome'),
    waiting: (): number => waitingCount,
    size: (): number => storedMessages.length,
    /** Deletes messages that no server can use any more. */
    compact(nowMs: number) {
      const remainingMessages = listRetained(nowMs)
      if (path === null || remainingMessages.length === storedMessages.length) return
      storedMessages = remainingMessages
      countWaiting()
      const signalsWithOutcome = storedMessages.filter(
        ({ kind, id }) => kind === 'signal' && keys.has(formatKey({ kind: 'outcome', id })),
      )
      const lines: Line[] = [
        ...storedMessages.map(({ isReceived: _, ...add }) => ({ add })),
        ...signalsWithOutcome.map(({ id }) => ({ outcomeFor: id })),
        { offered: offeredTo },
        { received: receivedTo },
      ]
      file.close()
      writeFileAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      file = openLineFile(path)
      keys.clear()
      openSignals.clear()
      for (const message of storedMessages) {
        keys.add(formatKey(message))
        if (message.prediction) openSignals.set(message.id, message)
      }
      for (const { id } of signalsWithOutcome) {
        keys.add(formatKey({ kind: 'outcome', id }))
        openSignals.delete(id)
      }
    },
    close: () => file.close(),
  }
}

export type Outbox = ReturnType<typeof openOutbox>

function formatKey({ kind, id }: { kind: string; id: string }): string {
  return `${kind} ${id}`
}

/** True if a signal that is sent now would be signed after its prediction has started. */
export function isStale({ startsAt }: Prediction, nowMs: number): boolean {
  return nowMs > Date.parse(startsAt) - SIGNING_MS
}

/**
 * Returns a signal without its prediction. A price of another market than `asset` is removed too,
 * because only the prediction names that market.
 */
export function removePrediction(message: Record<string, unknown>): Record<string, unknown> {
  const isPriceOfAsset = String(message.asset).endsWith(`/${message.quote}`)
  const removedKeys = ['prediction', 'model', ...(isPriceOfAsset ? [] : ['price', 'quote', 'venue'])]
  return Object.fromEntries(Object.entries(message).filter(([key]) => !removedKeys.includes(key)))
}
