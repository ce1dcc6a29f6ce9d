import { describe, expect, test } from 'vitest'
import { ApiError } from '../api/api.ts'
import { ReauthenticationDeclined, retryAfterReauthentication } from './reauthentication.ts'

const createApiError = (status: number, code: string) =>
  new ApiError(status, JSON.stringify({ success: false, code, message: code, requestId: 'r' }), '')
const reauthentication = createApiError(403, 'reauthentication_required')

/** A call that throws these errors in order and then succeeds. */
function createFailingCall(...errors: Error[]) {
  const remainingErrors = [...errors]
  return async () => {
    const error = remainingErrors.shift()
    if (error) throw error
    return 'answer'
  }
}

describe('retryAfterReauthentication: throws after at most one prompt when', () => {
  test.each([
    ['the call fails with another code', [createApiError(403, 'forbidden')], false, 'forbidden', 0],
    ['the server is unreachable', [new TypeError('offline')], false, 'offline', 0],
    ['the user declines to confirm', [reauthentication], true, 'Your identity was not confirmed', 1],
    [
      'the call fails after the confirmation',
      [reauthentication, createApiError(409, 'last_way_in')],
      false,
      'last_way_in',
      1,
    ],
    [
      'the server requires a second confirmation',
      [reauthentication, reauthentication],
      false,
      'reauthentication_required',
      1,
    ],
  ])('%s', async (_case, errors, isDeclined, message, prompts) => {
    let promptCount = 0
    const askConfirmation = async () => {
      promptCount += 1
      if (isDeclined) throw new ReauthenticationDeclined()
    }
    await expect(retryAfterReauthentication(createFailingCall(...errors), askConfirmation)).rejects.toThrow(message)
    expect(promptCount).toBe(prompts)
  })
})

test.each([
  ['no confirmation is required', [], 0],
  ['the user confirms', [reauthentication], 1],
])('retryAfterReauthentication: returns the result when %s', async (_case, errors, prompts) => {
  let promptCount = 0
  const result = await retryAfterReauthentication(createFailingCall(...errors), async () => {
    promptCount += 1
  })
  expect([result, promptCount]).toEqual(['answer', prompts])
})
