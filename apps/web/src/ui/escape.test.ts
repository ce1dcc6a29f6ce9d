import type { KeyboardEvent } from 'react'
import { expect, test } from 'vitest'
import { closeOnEscape } from './escape.ts'

const press = (key: string, defaultPrevented = false) =>
  ({
    key,
    defaultPrevented,
    preventDefault() {
      this.defaultPrevented = true
    },
  }) as KeyboardEvent

test.each([
  ['Escape', false, 1],
  ['Escape that another layer has handled', true, 0],
  ['Enter', false, 0],
])('closeOnEscape: closes only on an Escape that is not handled yet: %s', (name, isHandled, expected) => {
  let closed = 0
  closeOnEscape(() => {
    closed += 1
  })(press(name.split(' ')[0] ?? '', isHandled))
  expect(closed).toBe(expected)
})

test('closeOnEscape: closes only the inner of two dialogs', () => {
  const closed: string[] = []
  const event = press('Escape')
  for (const name of ['inner', 'outer']) closeOnEscape(() => closed.push(name))(event)
  expect(closed).toEqual(['inner'])
})
