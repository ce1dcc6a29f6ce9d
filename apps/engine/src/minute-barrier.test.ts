import type { EngineEvent } from '@tocsin/engine'
import { expect, test } from 'vitest'
import { createMinuteBarrier } from './minute-barrier.ts'

const createTick = (at: number): EngineEvent => ({
  type: 'tick',
  venue: 'okx',
  market: 'BTC/USDT',
  number: at,
  count: 1,
  at,
  price: 1,
  amount: 1,
  takerSide: 'buy',
})
const createClockEvent = (at: number): EngineEvent => ({ type: 'clock', at })
const gap = { type: 'gap', venue: 'okx', market: 'BTC/USDT', from: 59_000, to: 60_000 } as const

function describeEvent(event: EngineEvent): string {
  if (event.type === 'gap') return event.restarted ? 'restart' : 'gap'
  return `${event.type} ${'at' in event ? event.at : ''}`
}

function createTestBed(resumedAt = 0) {
  const passed: string[] = []
  const checked: number[] = []
  const state = { isReady: true }
  const barrier = createMinuteBarrier({
    resumedAt,
    pass: (event) => void passed.push(describeEvent(event)),
    isReady(boundary) {
      checked.push(boundary)
      return state.isReady
    },
  })
  return { barrier, passed, checked, state }
}

test('minute barrier: passes events of the current minute immediately when a market is behind', () => {
  const { barrier, passed, state } = createTestBed()
  state.isReady = false
  for (const event of [createTick(1_000), createClockEvent(2_000), createTick(59_999), gap]) barrier.push(event)
  expect(passed).toEqual(['tick 1000', 'clock 2000', 'tick 59999', 'gap'])
})

test('minute barrier: delays events of the next minute but passes late events when a market is behind', () => {
  const { barrier, passed, state, checked } = createTestBed()
  barrier.push(createTick(1_000))
  state.isReady = false
  for (const event of [
    createTick(60_000),
    createClockEvent(60_500),
    createTick(60_400),
    createTick(58_000),
    gap,
    createClockEvent(61_000),
  ])
    barrier.push(event)
  barrier.release()
  expect(passed).toEqual(['tick 1000', 'tick 58000', 'gap'])
  expect(new Set(checked)).toEqual(new Set([60_000]))
  state.isReady = true
  barrier.release()
  expect(passed.slice(3)).toEqual(['tick 60000', 'tick 60400', 'clock 61000'])
})

test('minute barrier: passes a gap immediately, but a restart of trade numbers only after earlier queued trades', () => {
  const { barrier, passed, state } = createTestBed()
  barrier.push(createTick(1_000))
  state.isReady = false
  for (const event of [createTick(60_000), { ...gap, to: 61_001, restarted: true } as const, createTick(61_000)])
    barrier.push(event)
  expect(passed).toEqual(['tick 1000', 'gap'])
  state.isReady = true
  barrier.release()
  expect(passed.slice(2)).toEqual(['tick 60000', 'restart', 'tick 61000'])
})

test('minute barrier: checks readiness once for each minute when events of several minutes wait', () => {
  const { barrier, passed, state, checked } = createTestBed()
  barrier.push(createTick(1_000))
  state.isReady = false
  for (const event of [createTick(60_000), createTick(121_000), createTick(119_000), createClockEvent(121_500)])
    barrier.push(event)
  state.isReady = true
  checked.length = 0
  barrier.release()
  expect(passed).toEqual(['tick 1000', 'tick 60000', 'tick 119000', 'tick 121000', 'clock 121500'])
  expect(checked).toEqual([60_000, 120_000])
})

test('minute barrier: delays the first clock event after a restart until all markets have caught up', () => {
  const { barrier, passed, state, checked } = createTestBed(30_000)
  state.isReady = false
  for (const event of [createClockEvent(200_000), createTick(31_000)]) barrier.push(event)
  expect(passed).toEqual(['tick 31000'])
  state.isReady = true
  barrier.release()
  expect(passed).toEqual(['tick 31000', 'clock 200000'])
  expect([...new Set(checked)]).toEqual([60_000, 180_000])
})

test('minute barrier: drops a waiting clock event when a later one has an earlier time', () => {
  const { barrier, passed, state } = createTestBed()
  barrier.push(createTick(1_000))
  state.isReady = false
  for (const event of [createClockEvent(180_000), createClockEvent(2_000)]) barrier.push(event)
  state.isReady = true
  barrier.release()
  expect(passed).toEqual(['tick 1000', 'clock 2000'])
})

test('minute barrier: defers the readiness check until the current event is processed', async () => {
  const { barrier, passed, checked } = createTestBed()
  barrier.push(createTick(1_000))
  barrier.push(createTick(60_000))
  barrier.push(createTick(60_001))
  expect([passed, checked]).toEqual([['tick 1000'], []])
  await Promise.resolve()
  expect([passed, checked]).toEqual([['tick 1000', 'tick 60000', 'tick 60001'], [60_000]])
})
