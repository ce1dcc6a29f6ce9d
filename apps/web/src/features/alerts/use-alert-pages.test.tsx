// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import type { Alert, ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { type AlertPage, alertQueries } from '../alert/alert-queries.ts'
import { useAlertPages } from './use-alert-pages.ts'

afterEach(cleanup)

const createdAt = '2026-11-21T12:00:00.000Z'
/** An alert with only the fields that merging and filtering read. */
const createAlert = (logIndex: number, avalancheTx: string | null = null) =>
  ({ id: `a${logIndex}`, logIndex, avalancheTx, createdAt, asset: 'ETH/USDT', priority: 'high' }) as unknown as Alert
/** Alerts with consecutive log indexes, newest first. */
const createAlerts = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_none, i) => createAlert(newest - i))
const createCount = (count: number) => ({ count, isMore: false })

function createPage(items: Alert[], readAtMs: number): AlertPage {
  const entries = items.map((each): ListedAlert => ({ id: each.id, alert: each, isRead: true }))
  const byPriority = { critical: createCount(0), high: createCount(6), medium: createCount(0), low: createCount(0) }
  return {
    items: entries,
    next: 'more',
    total: createCount(100),
    byPriority,
    lastIndex: 6,
    readAtMs,
    listKey: '{}',
  }
}

const selection = {}
const openedIds = new Set<string>()

/** Shows a list of six pages, which is too long to be refetched. */
function openLongList() {
  const client = createQueryClient()
  const listKey = alertQueries.pages(selection).queryKey
  const pages = createAlerts(6, 1).map((item) => createPage([item], 1))
  client.setQueryData(listKey, { pages, pageParams: pages.map(() => '') })
  client.setQueryData(queries.recentAlerts.queryKey, createAlerts(6, 1))
  const { result } = renderHook(() => useAlertPages(selection, openedIds), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  const expectShown = (newest: number, oldest: number) =>
    expect
      .poll(() => act(async () => result.current.entries.map(({ id }) => id)))
      .toEqual(createAlerts(newest, oldest).map(({ id }) => id))
  return {
    current: () => result.current,
    expectShown,
    recent: (list: Alert[]) => client.setQueryData(queries.recentAlerts.queryKey, list),
    read: (items: Alert[]) =>
      client.setQueryData(listKey, { pages: [{ ...createPage(items, 2), lastIndex: 20 }], pageParams: [''] }),
  }
}

test('useAlertPages: keeps the new alerts of a long list when the recent alerts are refetched', async () => {
  const { expectShown, current, recent } = openLongList()
  recent(createAlerts(18, 1))
  await expectShown(18, 1)
  recent(createAlerts(20, 11))
  await expectShown(20, 1)
  expect(current().arrived).toHaveLength(14)
  expect(current().total).toEqual(createCount(114))
})

test('useAlertPages: keeps the anchor of a listed alert when the recent alerts are refetched', async () => {
  const { expectShown, current, recent } = openLongList()
  const findAlert = (id: string) => current().entries.find((entry) => entry.id === id)?.alert
  recent([createAlert(2, '0xaa')])
  await expect.poll(() => act(async () => findAlert('a2'))).toEqual(createAlert(2, '0xaa'))
  recent(createAlerts(16, 7))
  await expectShown(16, 1)
  expect(findAlert('a2')).toEqual(createAlert(2, '0xaa'))
})

test('useAlertPages: counts no alert twice when the list is refetched', async () => {
  const { expectShown, current, recent, read } = openLongList()
  recent(createAlerts(18, 1))
  await expectShown(18, 1)
  recent(createAlerts(20, 11))
  await expectShown(20, 1)
  read(createAlerts(20, 10))
  await expectShown(20, 10)
  expect(current().arrived).toEqual([])
  expect(current().total).toEqual(createCount(100))
})
