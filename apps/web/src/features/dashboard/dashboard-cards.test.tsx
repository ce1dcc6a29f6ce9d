// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { AlertSelection, ReadableAlert, SystemStatus } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { type AlertPage, alertQueries } from '../alert/alert-queries.ts'
import { LiveInsights } from './dashboard-cards.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const getSample = (logIndex: number) => getAlert(logIndex, { asset: `A${logIndex}` })
const getLocked = (logIndex: number): ReadableAlert => {
  const { priority, createdAt } = getSample(logIndex)
  return { id: `locked-${logIndex}`, locked: true, priority, createdAt, logIndex }
}
/** A page of alerts with only the fields that the panel reads. */
const getPage = (...logIndexes: number[]) =>
  ({
    items: logIndexes.map((logIndex) => ({ id: `alert-${logIndex}`, alert: getSample(logIndex), isRead: true })),
    next: null,
  }) as unknown as AlertPage

type Respond = (url: string) => Promise<Response>
const respondUnavailable: Respond = async () => new Response('', { status: 503 })

/** Opens the panel on a page that has loaded these lists. */
function openPanel(lists: [AlertSelection, AlertPage][], respond = respondUnavailable, isConfigLoaded = true) {
  vi.stubGlobal('fetch', respond)
  const client = createQueryClient()
  if (isConfigLoaded) client.setQueryData<object>(queries.config.queryKey, { publicDelayHours: 24 })
  for (const [selection, page] of lists)
    client.setQueryData(alertQueries.pages(selection).queryKey, { pages: [page], pageParams: [''] })
  const alerts = { last24Hours: 12, criticalLast24Hours: 1 }
  client.setQueryData(queries.status.queryKey, { coverage: 'subscribed', alerts } as SystemStatus)
  const recent = (list: ReadableAlert[]) => client.setQueryData(queries.recentAlerts.queryKey, list)
  recent([])
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <LiveInsights selection={{}} />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
  return { recent, assets: () => screen.queryAllByText(/^A\d+$/).map(({ textContent }) => textContent) }
}

test('LiveInsights: shows the newest alerts and the count of the last 24 hours even if a filter matches no alert', async () => {
  const { recent, assets } = openPanel([
    [{}, getPage(6, 5, 4, 3, 2, 1)],
    [{ priority: ['low'] }, getPage()],
  ])
  expect(assets()).toEqual(['A6', 'A5', 'A4', 'A3', 'A2'])
  expect(screen.getByText('12 in 24 h')).toBeDefined()
  recent([getLocked(9), getSample(8), getSample(6)])
  await expect.poll(() => act(async () => assets())).toEqual(['A8', 'A6', 'A5', 'A4', 'A3'])
})

test('LiveInsights: has five placeholder rows while the newest alerts load', () => {
  openPanel([], () => new Promise(() => {}))
  expect(screen.getByRole('status', { name: 'Loading insights' }).childElementCount).toBe(5)
})

test('LiveInsights: loads the newest alerts again on demand when they could not be loaded', async () => {
  const answers = [new Response('', { status: 503 }), Response.json(getPage(2, 1))]
  const { assets } = openPanel([], async (url) => answers.shift() ?? respondUnavailable(url))
  await screen.findByText('Failed to fetch alerts')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(assets).toEqual(['A2', 'A1'])
})

test('LiveInsights: loads the configuration again on demand when all alerts are locked and it could not be loaded', async () => {
  const lockedPage = { ...getPage(), items: [{ id: 'locked-3', alert: getLocked(3), isRead: true }] }
  const requestedUrls: string[] = []
  const respond: Respond = (url) => {
    requestedUrls.push(url)
    return respondUnavailable(url)
  }
  openPanel([[{}, lockedPage]], respond, false)
  await screen.findByText('Failed to fetch alerts')
  expect(screen.queryByText('No alerts yet')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(() => requestedUrls.filter((url) => url === '/api/config')).toHaveLength(2)
})

test('LiveInsights: says that there is no alert yet when the list without filters is empty', () => {
  openPanel([[{}, getPage()]])
  expect(screen.getByText('No alerts yet')).toBeDefined()
})
