// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { type AlertSelection, listPermissions, type Role } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { limitToTime, useSample } from './use-sample.ts'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const sampleEnd = '2026-11-22T14:00:00.000Z'

test.each([
  [{}, sampleEnd],
  [{ to: '2026-11-22T14:00:00.001Z' }, sampleEnd],
  [{ to: '2026-11-22T13:59:59.999Z' }, '2026-11-22T13:59:59.999Z'],
  // A day ends with its last millisecond, which is after `sampleEnd`.
  [{ to: '2026-11-22' }, sampleEnd],
  [{ to: '2026-11-21' }, '2026-11-21'],
])('limitToTime: the selection %j ends at %s', (selection, to) => {
  expect(limitToTime({ ...selection, priority: 'high' }, Date.parse(sampleEnd))).toEqual({ priority: 'high', to })
})

test.each([
  [sampleEnd, { to: sampleEnd }],
  ['2026-11-22T14:00:00.001Z', { assets: '' }],
  ['2026-11-23', { assets: '' }],
])('limitToTime: a selection that starts at %s gets the fields %j', (from, more) => {
  expect(limitToTime({ from, priority: 'high' }, Date.parse(sampleEnd))).toEqual({ from, priority: 'high', ...more })
})

type Respond = (url: string) => Response | Promise<Response>

/** @param isConfigLoaded false if the page requests the configuration */
function openSample(role: Role, chosenSelection: AlertSelection, respond: Respond, isConfigLoaded = true) {
  vi.stubGlobal('fetch', async (url: string) => respond(url))
  const client = createQueryClient()
  // Only these fields are read.
  const user = { id: 'u1', isAdmin: role !== 'user', permissions: listPermissions(role) }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  if (isConfigLoaded) client.setQueryData<object>(queries.config.queryKey, { publicDelayHours: 24 })
  const open = () =>
    renderHook(() => useSample(chosenSelection), {
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>
          <AuthProvider>{children}</AuthProvider>
        </QueryClientProvider>
      ),
    })
  return { client, open }
}

const respondUnavailable = () => new Response('', { status: 503 })

test.each([
  ['is a sample', 'user', 'the user has no plan', () => Response.json(null), true],
  ['is a sample', 'support', 'a role that may not read alerts has no plan', () => Response.json(null), true],
  ['is not limited', 'user', 'it is unknown whether the user has a plan', respondUnavailable, false],
] as const)('useSample: the selection %s for the role %s when %s', async (_what, role, _when, respond, isSample) => {
  const chosenSelection = { q: 'eth' }
  const { result } = openSample(role, chosenSelection, respond).open()
  const pendingSample = { selection: chosenSelection, unfiltered: {}, isSample: false, isPending: true, retry: null }
  expect(result.current).toEqual(pendingSample)
  await expect.poll(() => act(async () => result.current.isPending)).toBe(false)
  expect(result.current.isSample).toBe(isSample)
  expect(result.current.selection === chosenSelection).toBe(!isSample)
  expect({ ...chosenSelection, ...result.current.unfiltered }).toEqual(result.current.selection)
  expect(result.current.unfiltered).not.toHaveProperty('q')
})

test('useSample: is pending without a plan until the public delay is known, and can request it again after a failure', async () => {
  const configResolvers: ((response: Response) => void)[] = []
  const respond: Respond = (url) =>
    url === '/api/config' ? new Promise((resolve) => configResolvers.push(resolve)) : Response.json(null)
  const { client, open } = openSample('user', {}, respond, false)
  const { result } = open()
  const answerConfig = (response: Response) => configResolvers.pop()?.(response)
  const planKey = queries.activeSubscription('u1').queryKey
  await expect.poll(() => act(async () => client.getQueryData(planKey))).toBeNull()
  expect(result.current).toMatchObject({ isPending: true, retry: null })

  answerConfig(respondUnavailable())
  await expect.poll(() => act(async () => typeof result.current.retry)).toBe('function')
  expect(result.current).toMatchObject({ isSample: false, isPending: true })

  act(() => result.current.retry?.())
  answerConfig(Response.json({ publicDelayHours: 24 }))
  await expect.poll(() => act(async () => result.current.isPending)).toBe(false)
  expect(result.current).toMatchObject({ isSample: true, retry: null })
})

test('useSample: the selection is not limited for a role that may read alerts', () => {
  const { result } = openSample('auditor', {}, () => Response.json(null)).open()
  expect(result.current).toMatchObject({ isSample: false, isPending: false })
})

test('useSample: limits alerts to those older than 24 hours when a plan ends on an open page, and keeps this limit current', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.parse(sampleEnd) })
  const { client, open } = openSample('user', {}, respondUnavailable)
  const planKey = queries.activeSubscription('u1').queryKey
  client.setQueryData<object>(planKey, { id: 's-1' })
  const { result } = open()
  expect(result.current.isSample).toBe(false)
  const computeEndsAgoMs = () => Date.now() - Date.parse(result.current.selection.to ?? '')
  vi.setSystemTime(Date.parse(sampleEnd) + 72 * HOUR_MS)
  client.setQueryData(planKey, null)
  await expect.poll(() => act(async () => result.current.isSample)).toBe(true)
  expect(computeEndsAgoMs()).toBeGreaterThanOrEqual(24 * HOUR_MS)
  expect(computeEndsAgoMs()).toBeLessThan(24 * HOUR_MS + MINUTE_MS)
  for (const hours of [0.5, 2.5]) {
    vi.setSystemTime(Date.parse(sampleEnd) + (72 + hours) * HOUR_MS)
    act(() => void vi.advanceTimersByTime(1000))
    expect(computeEndsAgoMs()).toBeGreaterThanOrEqual(24 * HOUR_MS)
    expect(computeEndsAgoMs()).toBeLessThan(25 * HOUR_MS)
  }
})
