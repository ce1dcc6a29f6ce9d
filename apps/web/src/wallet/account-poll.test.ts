import { expect, it, vi } from 'vitest'
import { pollAccount } from './account-poll.ts'

it('pollAccount: checks the wallet every 3000 ms and skips a check while one is pending', async () => {
  vi.useFakeTimers()
  try {
    let finishCheck = () => {}
    const check = vi.fn(() => new Promise<void>((resolve) => (finishCheck = resolve)))
    const countChecksAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return check.mock.calls.length
    }
    pollAccount(check)
    expect(await countChecksAfter(2999)).toBe(0)
    expect(await countChecksAfter(1)).toBe(1)
    expect(await countChecksAfter(6000), 'the first check is pending').toBe(1)
    finishCheck()
    expect(await countChecksAfter(3000)).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
