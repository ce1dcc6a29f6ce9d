// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import type { ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { VirtualRows } from './virtual-rows.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

/** Entries with only the fields that the list reads. */
const entries = Array.from({ length: 100 }, (_none, index) => {
  const id = `a${index}`
  return { id, alert: { id, logIndex: 100 - index, priority: 'high', asset: 'ETH/USDT' }, isRead: true }
}) as unknown as ListedAlert[]

test('VirtualRows: scrolls once each time a row becomes the target, as soon as the row is loaded', () => {
  const scrollBy = vi.spyOn(Element.prototype, 'scrollBy').mockImplementation(() => {})
  const list = { current: null }
  const renderRows = (targetId: string | null, count = 100) => (
    <VirtualRows
      {...{
        list,
        targetId,
        entries: entries.slice(0, count),
        rowPx: 45,
        total: 100,
        listKey: '{}',
        isMoreComing: false,
      }}
      onNearEnd={() => {}}
      renderRow={() => null}
    />
  )
  const { rerender } = render(renderRows(null, 50))
  rerender(renderRows('a80', 50))
  expect(scrollBy).toHaveBeenCalledTimes(0)
  rerender(renderRows('a80'))
  rerender(renderRows('a80', 99))
  expect(scrollBy).toHaveBeenCalledTimes(1)
  rerender(renderRows(null))
  rerender(renderRows('a80'))
  expect(scrollBy).toHaveBeenCalledTimes(2)
})
