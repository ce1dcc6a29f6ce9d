// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import type { Alert } from '@tocsin/protocol'
import { afterEach, expect, test } from 'vitest'
import { type OpenEntry, useFollowed } from './use-desk.ts'

afterEach(cleanup)

/** The fields that following an alert reads. */
const alertOf = (id: string, avalancheTx: string | null = null) => ({ id, avalancheTx }) as Alert
const entryOf = (alert: Alert): OpenEntry => ({ id: alert.id, alert, isRead: true })

function follow(first: Alert) {
  const pane = document.body.appendChild(document.createElement('aside'))
  const outside = document.body.appendChild(document.createElement('main'))
  const element = { current: pane }
  const { result, rerender } = renderHook(({ alerts }) => useFollowed(alerts[0], alerts.map(entryOf), element), {
    initialProps: { alerts: [first] },
  })
  const point = (target: HTMLElement) =>
    act(() => void target.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' })))
  return {
    current: () => result.current,
    list: (alerts: Alert[]) => rerender({ alerts }),
    read: () => point(pane),
    leave: () => point(outside),
  }
}

test('useFollowed: shows the newest alert, and while the pointer is on it, the previous one', () => {
  const { current, list, read, leave } = follow(alertOf('a'))
  list([alertOf('b'), alertOf('a')])
  expect(current().followed).toEqual(alertOf('b'))
  read()
  list([alertOf('c'), alertOf('b'), alertOf('a')])
  expect(current().followed).toEqual(alertOf('b'))
  act(() => current().showNewest?.())
  expect(current().followed).toEqual(alertOf('c'))
  list([alertOf('d'), alertOf('c')])
  expect(current().followed).toEqual(alertOf('c'))
  leave()
  expect(current()).toEqual({ followed: alertOf('d'), showNewest: null })
})

test('useFollowed: the previous alert shows its current data, and the last known when it is no longer listed', () => {
  const { current, list, read } = follow(alertOf('a'))
  read()
  list([alertOf('b'), alertOf('a', '0x01')])
  expect(current().followed).toEqual(alertOf('a', '0x01'))
  list([alertOf('b')])
  expect(current().followed).toEqual(alertOf('a', '0x01'))
})
