import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertHorizonOver, evaluateOutcomeMessage, type Forecast, hashSignal, readSignalMessage } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import { createParts } from '../src/parts.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { playHistory } from '../src/simulation/history.ts'
import { createSimulation } from '../src/simulation/simulation.ts'
import type { EngineStatus } from '../src/status.ts'
import { createChild } from './child.ts'
import { getIds } from './product.ts'

const startMs = Date.parse('2026-03-02T14:00:00.000Z')
const seed = 5
const historyDays = 2
/** Duration of the test in minutes: long enough for the outcome of a prediction of an hour. */
const minutes = 75
/**
 * Returns the time 50 seconds into a minute of the test. The prediction of an alert that was raised
 * at the end of the minute before has not started yet.
 */
const computeClockMs = (minute: number) => startMs + minute * MINUTE_MS - 10_000
/**
 * Minutes at which the engine is killed: during the history, around the alert of the jump, and
 * around its outcomes.
 */
const killedAt = [1, 3, 4, 10, 66]

/** Upper limit of the time that the engine waits for the last candle. */
const READY_MS = 4_000

/** Returns the ids of the alerts that a product receives from an engine that is never stopped. */
async function computeExpectedIds(): Promise<string[]> {
  const parts = createParts(300)
  const simulation = createSimulation({ seed, startsAt: startMs - historyDays * 1_440 * MINUTE_MS, liveAt: startMs })
  const { recent, state } = await playHistory(simulation, parts, { schedule: systemScheduler, log() {}, write() {} })
  const engine = parts.createEngine(JSON.parse(state).engine)
  const until = computeClockMs(minutes)
  const events = [...simulation.trades(until, { eventTime: 0, positions: new Map() })]
  const findings = [...events, { type: 'clock' as const, at: until }].flatMap((event) => [...engine.step(event)])
  const pastSignals = recent.filter(({ kind }) => kind === 'signal')
  return [...pastSignals, ...findings.filter(({ type }) => type === 'alert')].map(({ id }) => id)
}

test('engine: sends each alert, outcome and part of a day’s candles once when it is killed on a simulated market', async () => {
  const data = mkdtempSync(join(tmpdir(), 'engine-simulation-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const child = createChild('real', startMs, {
    ENGINE_DATA: data,
    ENGINE_SIMULATE: String(seed),
    ENGINE_HISTORY_DAYS: String(historyDays),
  })
  const { product } = child
  const expected = await computeExpectedIds()
  /** Returns the event time of the engine once the product has received all messages, else 0. */
  const readProgress = async (): Promise<number> => {
    const address = child.url()?.replace('ws:', 'http:')
    if (address === undefined) return 0
    const response = await fetch(`${address}/status`, { headers: { authorization: 'Bearer secret' } }).catch(() => null)
    const status = (await response?.json()) as EngineStatus | undefined
    const isDone = status?.mode === 'simulated' && status.messages.waiting === 0
    return isDone ? Date.parse(status.eventTime ?? '') : 0
  }
  child.start()
  // The market begins at the first start, so the clock must not advance before it.
  await expect.poll(() => existsSync(join(data, 'simulation.json'))).toBe(true)
  for (let minute = 1; minute <= minutes; minute++) {
    child.setClock(computeClockMs(minute))
    if (killedAt.includes(minute)) {
      await child.kill()
      child.start()
    }
    // A signal that is sent after its prediction has started would lose the prediction.
    await expect.poll(readProgress, { interval: 15 }).toBe(computeClockMs(minute))
  }
  await expect.poll(() => getIds(product.signals())).toEqual(expected)
  const texts = [...new Set(product.texts)].map((text) => ({ text, message: JSON.parse(text) }))
  const signals = texts.filter(({ message }) => message.type === undefined)
  expect(signals.length).toBe(getIds(product.signals()).length)
  const decidedStartTimes: string[] = []
  for (const { text } of signals) {
    const { id, forecast } = readSignalMessage(text, 'demo')
    if (!forecast || computeEndMs(forecast) + READY_MS > computeClockMs(minutes)) continue
    const listOutcomeTexts = () =>
      [...new Set(product.texts)].filter((one) => one.startsWith(`{"type":"outcome","id":"${id}"`))
    await expect.poll(() => listOutcomeTexts().length).toBeGreaterThan(0)
    const [outcome = '', ...more] = listOutcomeTexts()
    expect(more, id).toEqual([])
    // A server makes the same checks before it signs.
    evaluateOutcomeMessage(outcome, { id, hash: hashSignal(text), prediction: forecast.prediction })
    assertHorizonOver(forecast.prediction, computeClockMs(minutes))
    decidedStartTimes.push(forecast.prediction.startsAt)
  }
  // Only the second day has candle messages: the engine warms up on the first day, and the third
  // day is not over.
  const parts = texts.flatMap(({ message }) => {
    const [[openTime] = [0]] = message.candles ?? []
    return message.type === 'candles' ? [`${message.market} ${message.day} ${openTime}`] : []
  })
  expect(new Set(parts).size).toBe(parts.length)
  expect(new Set(parts.map((part) => part.split(' ')[1]))).toEqual(new Set(['2026-03-01']))
  const liveStartTimes = decidedStartTimes.filter((startsAt) => Date.parse(startsAt) > startMs)
  expect(liveStartTimes.length).toBeGreaterThan(1)
  expect(decidedStartTimes.length).toBeGreaterThan(liveStartTimes.length)
})

function computeEndMs({ prediction }: Forecast): number {
  return Date.parse(prediction.startsAt) + prediction.horizonSeconds * 1_000
}
