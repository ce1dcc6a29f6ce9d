// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { type AlertSelection, listPermissions, type Role } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { limitTo, useSample } from './use-sample.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const until = '2026-11-22T14:00:00.000Z'

test.each([
  [{}, until],
  [{ to: '2026-11-22T14:00:00.001Z' }, until],
  [{ to: '2026-11-22T13:59:59.999Z' }, '2026-11-22T13:59:59.999Z'],
  // A day ends with its last millisecond, which is after `until`.
  [{ to: '2026-11-22' }, until],
  [{ to: '2026-11-21' }, '2026-11-21'],
])('limitTo: the selection %j ends at %s', (selection, to) => {
  expect(limitTo({ ...selection, priority: 'high' }, Date.parse(until))).toEqual({ priority: 'high', to })
})

test.each([
  [until, { to: until }],
  ['2026-11-22T14:00:00.001Z', { assets: '' }],
  ['2026-11-23', { assets: '' }],
])('limitTo: a selection that starts at %s gets the fields %j', (from, more) => {
  expect(limitTo({ from, priority: 'high' }, Date.parse(until))).toEqual({ from, priority: 'high', ...more })
})

function renderSample(role: Role, chosen: AlertSelection, respond: () => Response) {
  vi.stubGlobal('fetch', async () => respond())
  const client = createQueryClient()
  // Only these fields are read.
  const user = { id: 'u1', isAdmin: role !== 'user', permissions: listPermissions(role) }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData<object>(queries.config.queryKey, { publicDelayHours: 24 })
  return renderHook(() => useSample(chosen), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={client}>
        <AuthProvider>{children}</AuthProvider>
      </QueryClientProvider>
    ),
  })
}

const unavailable = () => new Response('', { status: 503 })

test.each([
  ['is a sample', 'user', 'the user has no plan', () => Response.json(null), true],
  ['is a sample', 'support', 'a role that may not read alerts has no plan', () => Response.json(null), true],
  ['is not limited', 'user', 'it is unknown whether the user has a plan', unavailable, false],
] as const)('useSample: the selection %s for the role %s when %s', async (_what, role, _when, respond, isSample) => {
  const chosen = { q: 'eth' }
  const { result } = renderSample(role, chosen, respond)
  expect(result.current).toEqual({ selection: chosen, unfiltered: {}, isSample: false, isPending: true })
  await expect.poll(() => act(async () => result.current.isPending)).toBe(false)
  expect(result.current.isSample).toBe(isSample)
  expect(result.current.selection === chosen).toBe(!isSample)
  expect({ ...chosen, ...result.current.unfiltered }).toEqual(result.current.selection)
  expect(result.current.unfiltered).not.toHaveProperty('q')
})

test('useSample: the selection is not limited for a role that may read alerts', () => {
  const { result } = renderSample('auditor', {}, () => Response.json(null))
  expect(result.current).toMatchObject({ isSample: false, isPending: false })
})
