// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createVerifiedResponse } from '../../../test/support/test-response.ts'
import { createQueryClient } from '../../api/queries.ts'
import { systemToasts } from '../../ui/toast.tsx'
import type { Claim } from './claim.ts'
import type { PublishedLog } from './trust.ts'
import { useChecks } from './use-checks.ts'
import type { TrustSettings } from './use-trust.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

/** A claim with a proof file. Only these fields are read before the check. */
const claim = {
  alert: { id: 'a1', merklePath: [] },
  bundle: {},
  signature: '0x1',
  transaction: '0x2',
} as unknown as Claim
const verifiedFindings = createVerifiedResponse({})
const failedFindings = createVerifiedResponse({ valid: false, verdict: 'failed', failedStep: 1 })

/** The hook only passes `config` and `trustChoice` to the worker, which the test replaces. */
const config = {} as PublishedLog
const trustChoice = { rpcUrl: 'https://node.example', trust: {}, pin: () => ({}) } as unknown as TrustSettings
/** Result of the worker for a valid alert. */
const workerResult = {
  nodeUsage: {},
  anchor: null,
  verification: { verdict: 'verified', checks: [], step: null, blockAt: null, rungs: [{}], outcomes: [] },
}

/** Renders the hook with a server and a worker that respond only when the test tells them to. */
function openChecks() {
  const resolvers: ((response: Response | Promise<Response>) => void)[] = []
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => resolvers.push(resolve)))
  const replies: ((kind: 'progress' | 'done') => void)[] = []
  class FakeWorker extends EventTarget {
    postMessage({ id }: { id: number }) {
      replies.push((kind) =>
        this.dispatchEvent(new MessageEvent('message', { data: { id, kind, result: workerResult } })),
      )
    }
    terminate() {}
  }
  vi.stubGlobal('Worker', FakeWorker)
  const client = createQueryClient()
  const { result } = renderHook(() => useChecks(config, trustChoice), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  const shown = () => {
    const { checked, busy, failure } = result.current
    return { verdict: checked?.findings.verdict ?? null, busy, failure }
  }
  return {
    shown,
    reset: () => act(() => result.current.reset()),
    /** Starts a check and returns when the server has received it. */
    async check() {
      const requestCountBefore = resolvers.length
      act(() => result.current.check('server', claim))
      await expect.poll(() => resolvers.length).toBe(requestCountBefore + 1)
      return resolvers[requestCountBefore] ?? expect.fail('The check was not sent')
    },
    /** Starts a check in this browser and returns when the worker has received it. */
    async checkHere() {
      act(() => result.current.check('browser', claim))
      await expect.poll(() => replies.length).toBe(1)
      return (kind: 'progress' | 'done') => act(() => replies[0]?.(kind))
    },
    /** Waits until exactly `count` checks are running. */
    running: (count: number) => expect.poll(() => act(async () => client.isMutating())).toBe(count),
  }
}

test.each([
  ['succeeds', () => Response.json(verifiedFindings)],
  ['fails', () => Promise.reject(new TypeError('Failed to fetch'))],
])('useChecks: keeps the result of the newer check when the older one %s later', async (_how, createResponse) => {
  const { check, shown, running } = openChecks()
  const respondOlder = await check()
  const respondNewer = await check()
  respondNewer(Response.json(failedFindings))
  await running(1)
  expect(shown()).toEqual({ verdict: 'failed', busy: null, failure: null })
  respondOlder(createResponse())
  await running(0)
  expect(shown()).toEqual({ verdict: 'failed', busy: null, failure: null })
})

test('useChecks: ignores progress and result of an older check in the browser when a newer check has finished', async () => {
  const { check, checkHere, shown, running } = openChecks()
  const reply = await checkHere()
  const respond = await check()
  respond(Response.json(failedFindings))
  await running(1)
  reply('progress')
  expect(shown()).toEqual({ verdict: 'failed', busy: null, failure: null })
  reply('done')
  await running(0)
  expect(shown()).toEqual({ verdict: 'failed', busy: null, failure: null })
})

test('useChecks: stays busy until the newer check ends when the older check ends first', async () => {
  const { check, shown, running } = openChecks()
  const respondOlder = await check()
  const respondNewer = await check()
  respondOlder(Response.json(verifiedFindings))
  await running(1)
  expect(shown()).toEqual({ verdict: null, busy: 'server', failure: null })
  respondNewer(Response.json(failedFindings))
  await running(0)
  expect(shown()).toEqual({ verdict: 'failed', busy: null, failure: null })
})

test('useChecks: shows no result of a check that was running when the page was reset', async () => {
  const { check, reset, shown, running } = openChecks()
  const respond = await check()
  reset()
  expect(shown()).toEqual({ verdict: null, busy: null, failure: null })
  respond(Response.json(verifiedFindings))
  await running(0)
  expect(shown()).toEqual({ verdict: null, busy: null, failure: null })
})
