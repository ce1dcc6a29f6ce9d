// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
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
  pages: { data: undefined },
  retry: null,
}
const loadedPages = { data: { pages: [] } }

function renderList(change: object) {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  return render(
    <QueryClientProvider client={client}>
      <DashboardList dashboard={{ ...dashboard, ...change } as unknown as Dashboard} isSideBySide selectedId={null} />
    </QueryClientProvider>,
  )
}

test.each([
  ['is marked', 'it is loaded', { pages: loadedPages }, true],
  ['is not marked', 'it is loading', {}, false],
  ['is not marked', 'it failed to load', { retry: () => {} }, false],
  ['is not marked', 'its watchlist is loading', { pages: loadedPages, isPending: true }, false],
  ['is not marked', 'it is filtered', { pages: loadedPages, searchParams: { q: 'eth' } }, false],
])('DashboardList: %s as a list that shows every new alert when %s', (_how, _when, change, isMarked) => {
  const { container } = renderList(change)
  expect(container.querySelector(`[${showsAllAttribute}]`) !== null).toBe(isMarked)
})

test('DashboardList: offers “Try again” when alerts are loaded, but it failed to load which of them to show', () => {
  const retry = vi.fn()
  renderList({ pages: loadedPages, isPending: true, retry })
  expect(screen.getByText('Failed to fetch alerts')).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(retry).toHaveBeenCalledOnce()
})
