import { expect, test } from 'vitest'
import {
  consumeAttempt,
  createEmptyWindow,
  createLimitSubject,
  LOGIN_LIMIT,
  MAIL_LIMIT,
  refundAttempt,
} from './credential-limit.ts'

const start = new Date('2026-01-01T00:00:00.000Z')
const atSecond = (seconds: number) => new Date(start.getTime() + seconds * 1000)

/** Returns the seconds at which an attempt is allowed if one attempt is made every second. */
function listAllowedSeconds(rule: typeof LOGIN_LIMIT, seconds: number): number[] {
  let state = createEmptyWindow(start, rule)
  const allowed: number[] = []
  for (let second = 0; second < seconds; second++) {
    const attempt = consumeAttempt(state, rule, atSecond(second))
    if (!attempt.allowed) continue
    state = attempt.next
    allowed.push(second)
  }
  return allowed
}

test('LOGIN_LIMIT: delays attempts increasingly and allows at most 20 an hour', () => {
  const allowed = listAllowedSeconds(LOGIN_LIMIT, 3600)
  expect(allowed.slice(0, 9)).toEqual([0, 1, 2, 3, 4, 6, 10, 18, 34])
  expect(allowed.length).toBeLessThanOrEqual(20)
  expect(allowed.length).toBeGreaterThan(10)
})

test('consumeAttempt: rejects the 21st attempt until the window ends', () => {
  const fullWindow = { ...createEmptyWindow(start, LOGIN_LIMIT), tries: 20, blockedUntil: start }
  expect(consumeAttempt(fullWindow, LOGIN_LIMIT, atSecond(60))).toEqual({ allowed: false, waitMs: 3_540_000 })
  expect(consumeAttempt(fullWindow, LOGIN_LIMIT, atSecond(3600)).allowed).toBe(true)
})

test('MAIL_LIMIT: allows three emails without delay and three more an hour later', () => {
  expect(listAllowedSeconds(MAIL_LIMIT, 7200)).toEqual([0, 1, 2, 3600, 3601, 3602])
})

test('refundAttempt: returns successful attempts to the quota', () => {
  let state = createEmptyWindow(start, LOGIN_LIMIT)
  for (let round = 0; round < 50; round++) {
    const attempt = consumeAttempt(state, LOGIN_LIMIT, start)
    if (!attempt.allowed) throw new Error(`refused in round ${round}`)
    state = refundAttempt(attempt.next)
  }
  expect(state.tries).toBe(0)
})

test('consumeAttempt: allows free and refunded attempts on an instance whose clock is five minutes behind', () => {
  const first = consumeAttempt(createEmptyWindow(atSecond(300), LOGIN_LIMIT), LOGIN_LIMIT, atSecond(300))
  if (!first.allowed) throw new Error('refused')
  const second = consumeAttempt(first.next, LOGIN_LIMIT, start)
  if (!second.allowed) throw new Error('refused by the clock of another instance')
  expect(consumeAttempt(refundAttempt(second.next), LOGIN_LIMIT, start).allowed).toBe(true)
})

test('createLimitSubject: contains no address and differs by purpose and device', () => {
  const subjects = [
    createLimitSubject('login', 'ann@example.com', ''),
    createLimitSubject('login', 'ann@example.com', 'device'),
    createLimitSubject('mail', 'ann@example.com', ''),
    createLimitSubject('login', 'bob@example.com', ''),
  ]
  expect(new Set(subjects).size).toBe(4)
  expect(subjects.join()).not.toContain('ann')
})
