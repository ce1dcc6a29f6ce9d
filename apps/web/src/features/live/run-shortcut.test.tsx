// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { type Alert, defaultPreferences } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { CompactRow } from '../alerts/compact-row.tsx'
import { DashboardRow } from '../alerts/dashboard-row.tsx'
import type { Prediction } from '../prediction/prediction-names.ts'
import { activateControl, runShortcut } from './run-shortcut.ts'
import type { ShortcutKeys } from './shortcuts.ts'

const recordClick = (event: MouseEvent) => {
  const link = event.target instanceof Element ? event.target.getAttribute('href') : null
  if (link === null) return
  openedHrefs.push(link)
  event.preventDefault()
}
/** Links that were clicked. `recordClick` prevents the navigation. */
const openedHrefs: string[] = []

afterEach(() => {
  cleanup()
  document.removeEventListener('click', recordClick, { capture: true })
  openedHrefs.length = 0
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.1,
  candleSeconds: 60,
  horizonSeconds: 300,
  venue: 'binance',
  market: 'BTCUSDT',
  startsAt: '2026-11-21T14:01:00.000Z',
  resolveBy: '2026-11-21T14:30:00.000Z',
}
const newestAlert = getAlert(2, { asset: 'BTC/USDT', prediction })
const olderAlert = getAlert(1, { asset: 'ETH/USDT', prediction: { ...prediction, market: 'ETHUSDT' } })

const rows = {
  DeskRow: (alert: Alert) => (
    <DashboardRow
      key={alert.id}
      alert={alert}
      isRead
      layout="comfortable"
      rowPx={64}
      isSelected={alert === newestAlert}
      isTabStop
      onSelect={() => {}}
    />
  ),
  CompactRow: (alert: Alert) => (
    <CompactRow
      key={alert.id}
      entry={{ id: alert.id, alert, isRead: true }}
      layout="line"
      rowPx={45}
      isOpen={false}
      onToggle={() => {}}
    />
  ),
}

/** Renders the controls of the newest alert, as if it were open, and the rows of all alerts. */
function openList(row: (alert: Alert) => ReactNode, alerts: readonly Alert[] = [newestAlert, olderAlert]) {
  // Shortcuts click only visible controls, but elements have no layout box in this environment, so
  // simulate one.
  vi.spyOn(HTMLElement.prototype, 'getClientRects').mockReturnValue([new DOMRect()] as unknown as DOMRectList)
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit = {}) => {
    if (url !== '/api/settings/preferences') return new Response('', { status: 503 })
    return Response.json({ ...defaultPreferences, ...(typeof body === 'string' ? JSON.parse(body) : {}) })
  })
  document.addEventListener('click', recordClick, { capture: true })
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  const onWatchNewest = vi.fn()
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <a href="/verification?alert=alert-2" data-keys="v">
          Check proof
        </a>
        <a href="https://www.binance.com/en/trade/BTC_USDT" data-keys="o">
          Open on Binance
        </a>
        <button type="button" data-keys="w" onClick={onWatchNewest}>
          Watch
        </button>
        {alerts.map(row)}
      </RouterContextProvider>
    </QueryClientProvider>,
  )
  return {
    onWatchNewest,
    press: (keys: ShortcutKeys) => act(async () => runShortcut(keys)),
    watchlist: () => client.getQueryData(queries.preferences.queryKey)?.watchlist,
    /** Waits until the row of the alert has loaded its link to the market. */
    marketOf: ({ id }: Alert) =>
      expect
        .poll(() => act(async () => document.querySelector(`[data-alert-row="${id}"] ~ [hidden] > [data-keys="o"]`)))
        .not.toBeNull(),
  }
}

test.each(['DeskRow', 'CompactRow'] as const)(
  'runShortcut: v, o and w act on the focused %s, also if the page has opened another alert',
  async (kind) => {
    const { press, marketOf, watchlist, onWatchNewest } = openList(rows[kind])
    await press('j')
    await press('j')
    expect(document.activeElement?.getAttribute('data-alert-row')).toBe(olderAlert.id)
    await marketOf(olderAlert)
    for (const keys of ['v', 'o', 'w'] as const) expect(await press(keys)).toBe(true)
    expect(openedHrefs).toEqual([`/verification?alert=${olderAlert.id}`, 'https://www.binance.com/en/trade/ETH_USDT'])
    await expect.poll(() => act(async () => watchlist())).toEqual(['ETH/USDT'])
    expect(onWatchNewest).not.toHaveBeenCalled()
  },
)

test('runShortcut: the o key opens no page when the focused alert has no market link', async () => {
  const { press } = openList(rows.DeskRow, [newestAlert, getAlert(1, { asset: 'ETH/USDT' })])
  await press('j')
  await press('j')
  expect(await press('o')).toBe(false)
  expect(openedHrefs).toEqual([])
})

test('activateControl: acts on the open alert also while a row has the focus', async () => {
  const { press, onWatchNewest } = openList(rows.DeskRow)
  await press('j')
  await act(async () => activateControl('w'))
  expect(onWatchNewest).toHaveBeenCalledOnce()
  screen.getByText('Watch').focus()
  await press('w')
  expect(onWatchNewest).toHaveBeenCalledTimes(2)
})
