import { describe, expect, test } from 'vitest'
import { ApiError } from './api.ts'
import { NotConfirmed, runConfirmed } from './confirmed.ts'

const refusalOf = (status: number, code: string) =>
  new ApiError(status, JSON.stringify({ success: false, code, message: code, requestId: 'r' }), '')
const reauthentication = refusalOf(403, 'reauthentication_required')

/** A call that fails with these in turn and then answers. */
function callThatFails(...errors: Error[]) {
  const left = [...errors]
  return async () => {
    const error = left.shift()
    if (error) throw error
    return 'answer'
  }
}

describe('what is thrown, and how often the person was asked', () => {
  test.each([
    ['another refusal', [refusalOf(403, 'forbidden')], false, 'forbidden', 0],
    ['no answer at all', [new TypeError('offline')], false, 'offline', 0],
    ['a confirmation that the person declined', [reauthentication], true, 'You did not confirm', 1],
    ['a call that fails after it', [reauthentication, refusalOf(409, 'last_way_in')], false, 'last_way_in', 1],
    ['a server that wants it twice', [reauthentication, reauthentication], false, 'reauthentication_required', 1],
  ])('%s', async (_case, errors, isDeclined, message, times) => {
    let asked = 0
    const ask = async () => {
      asked += 1
      if (isDeclined) throw new NotConfirmed()
    }
    await expect(runConfirmed(callThatFails(...errors), ask)).rejects.toThrow(message)
    expect(asked).toBe(times)
  })
})

test.each([
  ['nothing to confirm', [], 0],
  ['confirmed once', [reauthentication], 1],
])('%s: the answer comes', async (_case, errors, times) => {
  let asked = 0
  const answer = await runConfirmed(callThatFails(...errors), async () => {
    asked += 1
  })
  expect([answer, asked]).toEqual(['answer', times])
})
