import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineEvent, Tick } from '@tocsin/engine'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, onTestFinished, test } from 'vitest'
import { formatMarketKey } from '../market.ts'
import type { Position } from '../sources/trade-sequence.ts'
import type { MarketState } from './simulated-market.ts'
import { startSimulatedSource } from './simulated-source.ts'
import { createSimulation, openSimulation } from './simulation.ts'

const liveAt = Date.parse('2026-03-02T14:00:00.000Z')
const market = { seed: 18, startsAt: liveAt - 20 * MINUTE_MS, liveAt }
const noPositions = { eventTime: 0, positions: new Map<string, Position>() }

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-simulation-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const pickTicks = (events: Iterable<EngineEvent>) => [...events].filter((event): event is Tick => event.type === 'tick')

test('simulation: refuses a folder of another seed, and a damaged file', () => {
  const folder = createTemporaryFolder()
  openSimulation(folder, { seed: 18, historyDays: 1 }, liveAt)
  expect(() => openSimulation(folder, { seed: 19, historyDays: 1 }, liveAt)).toThrow(/simulated market of seed 18/)
  writeFileSync(join(folder, 'simulation.json'), '{"seed":18')
  expect(() => openSimulation(folder, { seed: 18, historyDays: 1 }, liveAt)).toThrow(/simulation.json is damaged/)
})

test('simulation: continues the same market when it is opened again later', () => {
  const folder = createTemporaryFolder()
  const [first, second] = [liveAt + 7, liveAt + 86_400_000].map((nowMs) =>
    openSimulation(folder, { seed: 18, historyDays: 1 }, nowMs),
  )
  const until = liveAt + MINUTE_MS
  expect([first?.liveAt, second?.liveAt]).toEqual([liveAt, liveAt])
  expect([...(second?.trades(until, noPositions) ?? [])]).toEqual([...(first?.trades(until, noPositions) ?? [])])
})

test('simulation: returns each trade once when it is polled repeatedly', () => {
  const expected = pickTicks(createSimulation(market).trades(liveAt + 5 * MINUTE_MS, noPositions))
  expect(expected.length).toBeGreaterThan(100)
  expect(expected.every(({ at }) => at >= liveAt && at <= liveAt + 5 * MINUTE_MS)).toBe(true)
  const simulation = createSimulation(market)
  const piecewiseTicks = Array.from({ length: 500 }, (_, piece) =>
    pickTicks(simulation.trades(liveAt + piece * 601, noPositions)),
  ).flat()
  expect(piecewiseTicks).toEqual(expected.filter(({ at }) => at <= liveAt + 499 * 601))
})

test.each([0, 1, 17, 90])('simulation: continues after the last known trade when %i trades are known', (count) => {
  const until = liveAt + 5 * MINUTE_MS
  const allTicks = pickTicks(createSimulation(market).trades(until, noPositions))
  const positions = new Map<string, Position>()
  for (const tick of allTicks.slice(0, count))
    positions.set(formatMarketKey({ venue: tick.venue, name: tick.market }), tick)
  const eventTime = allTicks[count - 1]?.at ?? 0
  expect(pickTicks(createSimulation(market).trades(until, { eventTime, positions }))).toEqual(allTicks.slice(count))
})

test('simulation: returns the candles of its history and of completed minutes', async () => {
  const simulation = createSimulation(market)
  const events = [...simulation.history()]
  const [from, to] = [market.startsAt / 1_000, liveAt / 1_000 + 120]
  await expect(simulation.candles('simulated', 'BTCUSDT', from, to)).rejects.toThrow(/not published these candles yet/)
  for (const _ of simulation.trades(liveAt + 2 * MINUTE_MS, noPositions)) {
    // Generating all trades publishes their candles. The trades themselves are not used.
  }
  const rows = await simulation.candles('simulated', 'BTCUSDT', from, to)
  expect(rows.map(([openTime]) => openTime)).toEqual(Array.from({ length: 22 }, (_, minute) => from + 60 * minute))
  const closes = events.filter(({ market: name }) => name === 'BTC/USDT').map(({ close }) => close)
  expect(rows.slice(0, 20).map((row) => Number(row[4]))).toEqual(closes)
  await expect(simulation.candles('binance', 'BTCUSDT', from, to)).rejects.toThrow(/no candles of binance BTCUSDT/)
  await expect(simulation.candles('simulated', 'SHIBUSDT', from, to)).rejects.toThrow(/no candles/)
})

test('simulated source: stops before it has caught up when the engine is stopped', async () => {
  const events: EngineEvent[] = []
  const runner = {
    ingest: (event: EngineEvent) => void events.push(event),
    eventTime: () => 0,
    positions: () => new Map(),
  }
  const stop = new AbortController()
  const clock = { nowMs: () => liveAt + 12 * 60 * MINUTE_MS }
  const source = startSimulatedSource(createSimulation(market), runner, clock, () => {}, stop.signal)
  source.advance()
  stop.abort()
  await source.idle()
  expect(events.length).toBeGreaterThan(0)
  expect(events.filter(({ type }) => type === 'clock')).toEqual([])
})

const days = { seed: 18, startsAt: liveAt - 4 * DAY_MS, liveAt }

/** Generates the history and returns the states that were saved. */
function playDays(): MarketState[] {
  const savedStates: MarketState[] = []
  const simulation = createSimulation(days, { load: () => null, save: (state) => void savedStates.push(state) })
  for (const _ of simulation.history()) {
    // Generating the history saves the states. The candles themselves are not used.
  }
  pickTicks(simulation.trades(liveAt + MINUTE_MS, noPositions))
  return savedStates
}

test('simulation: generates the same trades and candles when it resumes from a saved state', async () => {
  const savedStates = playDays()
  expect(savedStates.map(({ at }) => at)).toEqual([days.startsAt + DAY_MS])
  const knownPositions = { eventTime: liveAt + MINUTE_MS, positions: new Map<string, Position>() }
  const replayFromState = async (load: () => MarketState | null) => {
    const simulation = createSimulation(days, { load, save: () => {} })
    const ticks = pickTicks(simulation.trades(liveAt + 3 * MINUTE_MS, knownPositions))
    const candles = ['BTCUSDT', 'LINKUSDT'].map((symbol) =>
      simulation.candles('simulated', symbol, (liveAt - 3 * DAY_MS) / 1_000 + 180, liveAt / 1_000 + 120),
    )
    return { ticks, candles: await Promise.all(candles) }
  }
  const expected = await replayFromState(() => null)
  expect(expected.ticks.length).toBeGreaterThan(100)
  const storedState: MarketState = JSON.parse(JSON.stringify(savedStates[0]))
  expect(await replayFromState(() => structuredClone(storedState))).toEqual(expected)

  const changedState = structuredClone(storedState)
  changedState.random.words[0] += 1
  const { ticks } = await replayFromState(() => changedState)
  expect(ticks, 'the state is used').not.toEqual(expected.ticks)
  const tooNewState = { ...changedState, at: changedState.at + MINUTE_MS + 60 * MINUTE_MS }
  expect(await replayFromState(() => tooNewState), 'candles of three days are needed').toEqual(expected)
})

test('simulation: replays from the beginning when the stored state is damaged or has another start time', () => {
  const openFolder = (folder: string) => openSimulation(folder, { seed: 18, historyDays: 4 }, liveAt)
  const folder = createTemporaryFolder()
  const path = join(folder, 'simulation-state.json')
  const until = liveAt + MINUTE_MS
  const expected = pickTicks(openFolder(folder).trades(until, noPositions))
  const writtenState = JSON.parse(readFileSync(path, 'utf8'))
  expect(writtenState.state.at).toBe(liveAt - 3 * DAY_MS)
  writtenState.state.random.words[0] += 1
  for (const content of ['{', JSON.stringify({ ...writtenState, startsAt: writtenState.startsAt - 1 })]) {
    writeFileSync(path, content)
    expect(pickTicks(openFolder(folder).trades(until, noPositions)), content.slice(0, 40)).toEqual(expected)
  }
  writeFileSync(path, JSON.stringify(writtenState))
  expect(pickTicks(openFolder(folder).trades(until, noPositions)), 'a valid state is used').not.toEqual(expected)
})
