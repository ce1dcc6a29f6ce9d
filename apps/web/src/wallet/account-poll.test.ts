import { expect, it, vi } from 'vitest'
import { pollAccount } from './account-poll.ts'

it('the wallet is checked every 3000 ms, and never twice at once', async () => {
  vi.useFakeTimers()
  try {
    let answer = () => {}
    const check = vi.fn(() => new Promise<void>((resolve) => (answer = resolve)))
    const checksAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return check.mock.calls.length
    }
    pollAccount(check)
    expect(await checksAfter(2999)).toBe(0)
    expect(await checksAfter(1)).toBe(1)
    expect(await checksAfter(6000), 'the first has no answer yet').toBe(1)
    answer()
    expect(await checksAfter(3000)).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
