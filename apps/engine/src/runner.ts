import type { Alert, Engine, EngineEvent, Outcome } from '@tocsin/engine'
import type { Model } from '@tocsin/proof'
import { formatMarketKey } from './market.ts'
import type { CreateEngine } from './parts.ts'
import type { Position } from './sources/trade-sequence.ts'
import type { EventStore } from './store/event-store.ts'
import { isStale, type Message, type Outbox, removePrediction } from './store/outbox.ts'

export interface RunnerOptions {
  createEngine: CreateEngine
  model: Model
  /**
   * Markets that the engine watches. The state of all other markets is removed. Empty if all
   * markets are watched.
   */
  watched?: readonly { venue: string; name: string }[]
  store: EventStore
  outbox: Outbox
  nowMs(): number
  /** Called after messages were added to the outbox. */
  onMessages(): void
  log(message: string, details: Record<string, unknown>): void
}

/** The snapshot: the state of the engine, and the state of the runner itself. */
interface RunnerState {
  engine: string
  /** The model that wrote `engine`. */
  model: Model
  positions: [string, Position][]
  eventTime: number
  /** Number of ticks, candles and gaps that the engine has ingested. */
  inputs: number
  /** Ids of the outcomes from which the engine has learnt and which the outbox still stores. */
  outcomes: string[]
}

const MAX_MESSAGE_BYTES = 64 * 1024
/**
 * Difference up to which the saved event time may be ahead of the clock without being set back. It
 * is normal up to a minute, because an exchange's clock may be ahead.
 */
const MAX_CLOCK_SKEW_MS = 60_000

/**
 * Passes events to the engine and its alerts to the outbox. After a restart it continues from the
 * snapshot and the journal. The events of the journal raise their alerts again; the outbox ignores
 * those that it already has.
 */
export function createRunner({
  createEngine,
  model,
  watched = [],
  store,
  outbox,
  nowMs,
  onMessages,
  log,
}: RunnerOptions) {
  // The cast is safe: only this module writes snapshots.
  const savedState: RunnerState | null = store.snapshot === null ? null : (JSON.parse(store.snapshot) as RunnerState)
  // A new version of the model can read the state of an earlier version. A model with other
  // settings cannot.
  const isUsable = savedState?.model.settingsHash === model.settingsHash
  if (savedState && !isUsable)
    log('the settings of the model have changed, so the engine starts without its state', { model: savedState.model })
  const engine: Engine = createEngine(isUsable ? savedState?.engine : undefined)
  const positions = new Map(savedState?.positions)
  const outcomes = new Set(savedState?.outcomes)
  let eventTime = savedState?.eventTime ?? 0
  let inputs = savedState?.inputs ?? 0
  let readyMessages: Message[] = []
  let isScheduled = false
  const counts = { alerts: 0, leftOut: 0, tooLarge: 0 }

  const applyEvent = (event: EngineEvent) => {
    if (event.type === 'tick') positions.set(formatMarketKey({ venue: event.venue, name: event.market }), event)
    if (event.type === 'outcome') outcomes.add(event.id)
    else if (event.type !== 'clock') inputs += 1
    if (event.type === 'tick' || event.type === 'clock' || event.type === 'candle') {
      eventTime = Math.max(eventTime, event.at)
    }
    for (const finding of engine.step(event)) {
      if (finding.type !== 'alert') continue
      const message = toMessage(finding, model, nowMs())
      if (Buffer.byteLength(message.text) > MAX_MESSAGE_BYTES) counts.tooLarge += 1
      else readyMessages.push(message)
    }
  }
  /**
   * Stores messages after the events that caused them. They are sent only after they are stored.
   */
  const commit = () => {
    isScheduled = false
    if (readyMessages.length === 0) return
    store.sync()
    const { storedCount, leftOutCount } = outbox.add(readyMessages)
    counts.alerts += storedCount
    counts.leftOut += leftOutCount
    if (leftOutCount > 0)
      log('dropping signals: too many messages are waiting for the server', { leftOut: leftOutCount })
    readyMessages = []
    onMessages()
  }
  const ingest = (event: EngineEvent) => {
    store.append(event)
    applyEvent(event)
    if (readyMessages.length === 0 || isScheduled) return
    isScheduled = true
    setImmediate(commit)
  }
  const save = () => {
    commit()
    const storedIds = new Set(outbox.outcomes().map(({ id }) => id))
    for (const id of outcomes) if (!storedIds.has(id)) outcomes.delete(id)
    const newestPositions = [...positions].map(([key, { number, at }]): [string, Position] => [key, { number, at }])
    const state: RunnerState = {
      engine: engine.snapshot(),
      model,
      positions: newestPositions,
      eventTime,
      inputs,
      outcomes: [...outcomes],
    }
    store.save(JSON.stringify(state))
    outbox.compact(nowMs())
  }
  const removeUnwatched = () => {
    const keys = new Set(watched.map(formatMarketKey))
    const removedMarkets = engine
      .keepMarkets(({ venue, market }) => keys.has(formatMarketKey({ venue, name: market })))
      .map(({ venue, market }) => formatMarketKey({ venue, name: market }))
    if (removedMarkets.length === 0) return
    log('these markets are no longer watched, so their state is removed', { markets: removedMarkets })
    // The journal does not contain this change.
    save()
  }
  for (const event of store.events) applyEvent(event)
  commit()
  for (const { id, text } of outbox.outcomes()) if (!outcomes.has(id)) ingest(toOutcome(id, text))
  if (watched.length > 0) removeUnwatched()

  return {
    ingest,
    commit,
    /** Adds outcomes, from which the engine learns, or candles. */
    report(messages: readonly Message[]) {
      commit()
      outbox.add(messages)
      for (const { kind, id, text } of messages) if (kind === 'outcome') ingest(toOutcome(id, text))
      onMessages()
    },
    save,
    /**
     * Sets event time back to `now` if it is ahead, because the clock was ahead before a restart.
     * Only for live markets: call it before the first event.
     */
    followClock(now: number) {
      const aheadMs = eventTime - now
      if (aheadMs <= MAX_CLOCK_SKEW_MS) return
      log('the saved event time is ahead of the clock of this machine, and is set back to it', {
        aheadMs,
      })
      engine.setBack(now)
      eventTime = now
      // The journal does not contain this change.
      save()
    },
    positions: (): ReadonlyMap<string, Position> => positions,
    eventTime: () => eventTime,
    inputs: () => inputs,
    counts: () => ({ ...counts }),
    overview: () => engine.overview(),
  }
}

export type Runner = ReturnType<typeof createRunner>

/**
 * Converts an alert to a message. Leaves out a prediction that has already started, because it
 * could not be signed in time.
 */
function toMessage({ type: _, observedAt, prediction, ...rest }: Alert, model: Model, nowMs: number): Message {
  const signal = { ...rest, observedAt: new Date(observedAt).toISOString() }
  const message = { kind: 'signal' as const, id: rest.id, at: observedAt }
  if (isStale(prediction, nowMs)) return { ...message, text: JSON.stringify(removePrediction(signal)) }
  return { ...message, text: JSON.stringify({ ...signal, prediction, model }), prediction }
}

function toOutcome(id: string, text: string): Outcome {
  const { verdict } = JSON.parse(text) as Outcome
  return { type: 'outcome', id, verdict }
}
