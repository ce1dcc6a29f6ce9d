// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../api/queries.ts'
import { usePreferences, useSavePreferences } from './preferences.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const savedPreferences = { ...defaultPreferences, soundVolume: 7 }

/** A call that ends only when it is aborted. */
const waitUntilAborted = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('useSavePreferences: refetches the preferences when saving a change during the initial load fails', async () => {
  let loadCount = 0
  vi.stubGlobal('fetch', async (_url: string, { method, signal }: RequestInit) => {
    if (method !== 'GET') return new Response('', { status: 503 })
    loadCount += 1
    return loadCount === 1 ? waitUntilAborted(signal) : Response.json(savedPreferences)
  })
  const client = createQueryClient()
  const { result } = renderHook(() => ({ ...usePreferences(), save: useSavePreferences() }), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  await expect.poll(() => loadCount).toBe(1)
  act(() => result.current.save({ density: 'compact' }))
  await expect.poll(() => act(async () => result.current.isSettled)).toBe(true)
  expect(result.current.preferences).toEqual(savedPreferences)
})
