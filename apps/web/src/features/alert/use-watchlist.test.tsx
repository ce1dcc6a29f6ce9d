// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { useWatchlist } from './use-watchlist.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/**
 * @param knownWatchlist the watchlist that this tab has loaded, or null
 * @param savedWatchlist the watchlist on the server
 */
function openWatchlist(knownWatchlist: string[] | null, savedWatchlist: string[]) {
  const server = { watchlist: savedWatchlist, changes: 0 }
  vi.stubGlobal('fetch', async (_url: string, { method, body }: RequestInit) => {
    if (method !== 'GET') {
      server.watchlist = JSON.parse(String(body)).watchlist
      server.changes += 1
    }
    return Response.json({ ...defaultPreferences, watchlist: server.watchlist })
  })
  const client = createQueryClient()
  if (knownWatchlist)
    client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, watchlist: knownWatchlist })
  const { result } = renderHook(() => useWatchlist(), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return {
    server,
    shown: () => result.current.watchlist,
    isKnown: () => result.current.isKnown,
    toggle: (...assets: string[]) => act(() => assets.forEach(result.current.toggle)),
    saved: () => expect.poll(() => act(async () => client.isMutating())).toBe(0),
  }
}

test.each([
  ['adds an asset to', 'SOL', ['BTC', 'SOL']],
  ['removes an asset from', 'ETH', ['BTC']],
])('useWatchlist: %s the saved watchlist, and keeps changes by another device', async (_what, asset, expected) => {
  const { server, shown, toggle, saved } = openWatchlist(['ETH'], asset === 'ETH' ? ['ETH', 'BTC'] : ['BTC'])
  toggle(asset)
  await saved()
  expect(server.watchlist).toEqual(expected)
  expect(shown()).toEqual(expected)
})

test('useWatchlist: keeps both changes when two assets are added at the same time', async () => {
  const { server, toggle, saved } = openWatchlist([], [])
  toggle('BTC', 'ETH')
  await saved()
  expect(server.watchlist).toEqual(['BTC', 'ETH'])
})

test('useWatchlist: changes nothing when the watchlist is not loaded', async () => {
  const { server, isKnown, toggle, saved } = openWatchlist(null, ['BTC'])
  expect(isKnown()).toBe(false)
  toggle('ETH')
  await saved()
  await expect.poll(isKnown).toBe(true)
  expect(server).toEqual({ watchlist: ['BTC'], changes: 0 })
})
