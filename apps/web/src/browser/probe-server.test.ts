// @vitest-environment happy-dom
import { onlineManager } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { awaitServer } from './probe-server.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // Fake timers do not advance `AbortSignal.timeout`.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((timeoutMs) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), timeoutMs)
    return controller.signal
  })
})
afterEach(() => {
  // `awaitServer` pauses the queries of later tests too, because files share their modules.
  onlineManager.setOnline(true)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('awaitServer: waits for the response to a request before it sends the next one', async () => {
  const responders: ((response: Response) => void)[] = []
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => responders.push(resolve)))
  const stop = awaitServer()
  await vi.advanceTimersByTimeAsync(9000)
  expect(responders).toHaveLength(1)
  responders[0]?.(new Response(null, { status: 503 }))
  await vi.advanceTimersByTimeAsync(3000)
  expect(responders).toHaveLength(2)
  responders[1]?.(new Response('{}'))
  stop()
})

test('awaitServer: sends the next request when the server does not respond in time', async () => {
  const signals: AbortSignal[] = []
  vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const stop = awaitServer()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(signals).toHaveLength(2)
  stop()
})
