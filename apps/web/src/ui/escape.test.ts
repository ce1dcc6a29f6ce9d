import type { KeyboardEvent } from 'react'
import { expect, test } from 'vitest'
import { closeOnEscape } from './escape.ts'

const createKeyEvent = (key: string, defaultPrevented = false) =>
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
])('closeOnEscape: closes only on an Escape that is not handled yet: %s', (name, isPrevented, expected) => {
  let closeCount = 0
  closeOnEscape(() => {
    closeCount += 1
  })(createKeyEvent(name.split(' ')[0] ?? '', isPrevented))
  expect(closeCount).toBe(expected)
})

test('closeOnEscape: closes only the inner of two dialogs', () => {
  const closedNames: string[] = []
  const event = createKeyEvent('Escape')
  for (const name of ['inner', 'outer']) closeOnEscape(() => closedNames.push(name))(event)
  expect(closedNames).toEqual(['inner'])
})
