// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { showsAllAttribute } from '../live/listed-alert.ts'
import { DashboardList } from './dashboard-list.tsx'
import type { Dashboard } from './use-dashboard.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** A dashboard with only the fields that the list reads while it has no rows. */
const dashboard = {
  ...{ searchParams: {}, list: { current: null }, linked: { id: null }, isPending: false },
  live: { shownItems: [], waitingCount: 0, isPaused: false },
  pages: { data: undefined, isError: false },
}

test.each([
  ['is marked', 'it is loaded', { pages: { data: { pages: [] } } }, true],
  ['is not marked', 'it is loading', {}, false],
  ['is not marked', 'it failed to load', { pages: { data: undefined, isError: true } }, false],
  ['is not marked', 'its watchlist is loading', { pages: { data: { pages: [] } }, isPending: true }, false],
  ['is not marked', 'it is filtered', { pages: { data: { pages: [] } }, searchParams: { q: 'eth' } }, false],
])('DashboardList: %s as a list that shows every new alert when %s', (_how, _when, change, isMarked) => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  const { container } = render(
    <QueryClientProvider client={client}>
      <DashboardList dashboard={{ ...dashboard, ...change } as unknown as Dashboard} isSideBySide selectedId={null} />
    </QueryClientProvider>,
  )
  expect(container.querySelector(`[${showsAllAttribute}]`) !== null).toBe(isMarked)
})
