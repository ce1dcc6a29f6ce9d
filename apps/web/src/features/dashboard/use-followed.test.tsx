// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import type { Alert } from '@tocsin/protocol'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { ReadableEntry } from '../alerts/use-alert-pages.ts'
import { useShownAlert } from './use-dashboard.ts'

afterEach(cleanup)

/** An alert with only the fields that `useShownAlert` reads or the tests compare. */
const createAlert = (id: string, avalancheTx: string | null = null) => ({ id, avalancheTx }) as Alert
const createEntry = (alert: Alert): ReadableEntry => ({ id: alert.id, alert, isRead: true })

function renderShownAlert(first: Alert) {
  const pane = document.body.appendChild(document.createElement('aside'))
  const outsideElement = document.body.appendChild(document.createElement('main'))
  onTestFinished(() => {
    pane.remove()
    outsideElement.remove()
  })
  const element = { current: pane }
  const { result, rerender } = renderHook(({ alerts }) => useShownAlert(alerts[0], alerts.map(createEntry), element), {
    initialProps: { alerts: [first] },
  })
  const movePointer = (target: HTMLElement) =>
    act(() => void target.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' })))
  return {
    current: () => result.current,
    list: (alerts: Alert[]) => rerender({ alerts }),
    read: () => movePointer(pane),
    leave: () => movePointer(outsideElement),
  }
}

test('useShownAlert: shows the newest alert, but keeps the previous one while the pointer is over the pane', () => {
  const { current, list, read, leave } = renderShownAlert(createAlert('a'))
  list([createAlert('b'), createAlert('a')])
  expect(current().followed).toEqual(createAlert('b'))
  read()
  list([createAlert('c'), createAlert('b'), createAlert('a')])
  expect(current().followed).toEqual(createAlert('b'))
  act(() => current().showNewest?.())
  expect(current().followed).toEqual(createAlert('c'))
  list([createAlert('d'), createAlert('c')])
  expect(current().followed).toEqual(createAlert('c'))
  leave()
  expect(current()).toEqual({ followed: createAlert('d'), showNewest: null })
})

test('useShownAlert: while the pointer is over the pane, updates the shown alert, and keeps it after its removal from the list', () => {
  const { current, list, read } = renderShownAlert(createAlert('a'))
  read()
  list([createAlert('b'), createAlert('a', '0x01')])
  expect(current().followed).toEqual(createAlert('a', '0x01'))
  list([createAlert('b')])
  expect(current().followed).toEqual(createAlert('a', '0x01'))
})
