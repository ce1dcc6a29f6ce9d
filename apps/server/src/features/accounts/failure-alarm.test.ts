import { fakeClock } from '@tocsin/testkit'
import { expect, test } from 'vitest'
import { FailureAlarm } from './failure-alarm.ts'

function recordFailures(times: number, everyMs: number) {
  const clock = fakeClock()
  const alarm = new FailureAlarm()
  let alarmCount = 0
  for (let time = 0; time < times; time++) {
    if (alarm.record(clock.now())) alarmCount += 1
    clock.advance(everyMs)
  }
  return { said: alarmCount, alarm, clock }
}

test.each([
  ['a few failures', 99, 1, 0],
  ['many failures over a long time', 1_000, 1_000, 0],
  ['many failures within a minute', 100, 500, 1],
  ['an attack that lasts 15 minutes', 9_000, 100, 2],
])('FailureAlarm: logs the expected number of alarms for %s', (_what, times, everyMs, expectedAlarms) => {
  const outcome = recordFailures(times, everyMs)
  expect(outcome.said).toBe(expectedAlarms)
  expect(outcome.alarm.total).toBe(times)
})

test('FailureAlarm: ends one minute after the last failures', () => {
  const { alarm, clock } = recordFailures(200, 10)
  expect(alarm.isRaised(clock.now())).toBe(true)
  clock.advance(60_000)
  expect(alarm.isRaised(clock.now())).toBe(false)
})
