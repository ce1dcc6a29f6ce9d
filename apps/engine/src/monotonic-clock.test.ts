import { expect, test } from 'vitest'
import { createMonotonicClock } from './monotonic-clock.ts'

function createTestBed() {
  const machine = { wall: 1_000_000, elapsed: 0 }
  const clock = createMonotonicClock(
    () => machine.wall,
    () => machine.elapsed,
  )
  return { machine, clock }
}

test('monotonic clock: keeps advancing when the machine’s clock is set back', () => {
  const { machine, clock } = createTestBed()
  machine.wall -= 3_600_000
  machine.elapsed += 250
  expect([clock.nowMs(), clock.setBackMs()]).toEqual([1_000_250, 3_600_250])
})

test('monotonic clock: follows the machine’s clock when that clock is set forward', () => {
  const { machine, clock } = createTestBed()
  machine.wall += 3_600_000
  machine.elapsed += 1
  expect([clock.nowMs(), clock.setBackMs()]).toEqual([4_600_000, 0])
})

test('monotonic clock: never goes back when the machine’s clock goes back and forth', () => {
  const { machine, clock } = createTestBed()
  const times = [500, -3_000, 2_000, -10, 5_000].map((step) => {
    machine.wall += step
    machine.elapsed += 1
    return clock.nowMs()
  })
  expect(times).toEqual([...times].sort((a, b) => a - b))
})
