import { expect, it, vi } from 'vitest'
import { pollAccount } from './account-poll.ts'

it('pollAccount: checks the wallet every 3000 ms and skips a check while one is pending', async () => {
  vi.useFakeTimers()
  try {
    let finish = () => {}
    const check = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)))
    const checksAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return check.mock.calls.length
    }
    pollAccount(check)
    expect(await checksAfter(2999)).toBe(0)
    expect(await checksAfter(1)).toBe(1)
    expect(await checksAfter(6000), 'the first check is pending').toBe(1)
    finish()
    expect(await checksAfter(3000)).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
