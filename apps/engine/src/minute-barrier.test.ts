import type { EngineEvent } from '@tocsin/engine'
import { expect, test } from 'vitest'
import { createMinuteBarrier } from './minute-barrier.ts'

const tick = (at: number): EngineEvent => ({
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
const clock = (at: number): EngineEvent => ({ type: 'clock', at })
const gap = { type: 'gap', venue: 'okx', market: 'BTC/USDT', from: 59_000, to: 60_000 } as const

function describe(event: EngineEvent): string {
  if (event.type === 'gap') return event.restarted ? 'restart' : 'gap'
  return `${event.type} ${'at' in event ? event.at : ''}`
}

function createBed(resumedAt = 0) {
  const passed: string[] = []
  const checked: number[] = []
  const state = { isReady: true }
  const barrier = createMinuteBarrier({
    resumedAt,
    pass: (event) => void passed.push(describe(event)),
    isReady(boundary) {
      checked.push(boundary)
      return state.isReady
    },
  })
  return { barrier, passed, checked, state }
}

test('minute barrier: passes events of the current minute immediately when a market is behind', () => {
  const { barrier, passed, state } = createBed()
  state.isReady = false
  for (const event of [tick(1_000), clock(2_000), tick(59_999), gap]) barrier.push(event)
  expect(passed).toEqual(['tick 1000', 'clock 2000', 'tick 59999', 'gap'])
})

test('minute barrier: holds events of the next minute and passes late ones when a market is behind', () => {
  const { barrier, passed, state, checked } = createBed()
  barrier.push(tick(1_000))
  state.isReady = false
  for (const event of [tick(60_000), clock(60_500), tick(60_400), tick(58_000), gap, clock(61_000)]) barrier.push(event)
  barrier.release()
  expect(passed).toEqual(['tick 1000', 'tick 58000', 'gap'])
  expect(new Set(checked)).toEqual(new Set([60_000]))
  state.isReady = true
  barrier.release()
  expect(passed.slice(3)).toEqual(['tick 60000', 'tick 60400', 'clock 61000'])
})

test('minute barrier: restarts trade numbers after earlier trades that wait, but passes the gap immediately', () => {
  const { barrier, passed, state } = createBed()
  barrier.push(tick(1_000))
  state.isReady = false
  for (const event of [tick(60_000), { ...gap, to: 61_001, restarted: true } as const, tick(61_000)])
    barrier.push(event)
  expect(passed).toEqual(['tick 1000', 'gap'])
  state.isReady = true
  barrier.release()
  expect(passed.slice(2)).toEqual(['tick 60000', 'restart', 'tick 61000'])
})

test('minute barrier: checks readiness once for each minute when events of several minutes wait', () => {
  const { barrier, passed, state, checked } = createBed()
  barrier.push(tick(1_000))
  state.isReady = false
  for (const event of [tick(60_000), tick(121_000), tick(119_000), clock(121_500)]) barrier.push(event)
  state.isReady = true
  checked.length = 0
  barrier.release()
  expect(passed).toEqual(['tick 1000', 'tick 60000', 'tick 119000', 'tick 121000', 'clock 121500'])
  expect(checked).toEqual([60_000, 120_000])
  expect(barrier.waiting()).toBe(0)
})

test('minute barrier: holds the first clock event while markets catch up after the engine has resumed', () => {
  const { barrier, passed, state, checked } = createBed(30_000)
  state.isReady = false
  for (const event of [clock(200_000), tick(31_000)]) barrier.push(event)
  expect(passed).toEqual(['tick 31000'])
  state.isReady = true
  barrier.release()
  expect(passed).toEqual(['tick 31000', 'clock 200000'])
  expect([...new Set(checked)]).toEqual([60_000, 180_000])
})

test('minute barrier: defers the readiness check until the current event is processed', async () => {
  const { barrier, passed, checked } = createBed()
  barrier.push(tick(1_000))
  barrier.push(tick(60_000))
  barrier.push(tick(60_001))
  expect([passed, checked]).toEqual([['tick 1000'], []])
  await Promise.resolve()
  expect([passed, checked]).toEqual([['tick 1000', 'tick 60000', 'tick 60001'], [60_000]])
})
