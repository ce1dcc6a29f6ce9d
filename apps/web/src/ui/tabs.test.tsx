// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Tabs } from './tabs.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('Tabs: the list is scrolled to the active tab, including when another one becomes active', () => {
  const scrolled: string[] = []
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function (this: HTMLElement) {
    scrolled.push(this.textContent)
  })
  const tabs = (['first', 'second', 'last'] as const).map((value) => ({ value, label: value, panel: null }))
  const show = (value: 'first' | 'last') => <Tabs label="Areas" value={value} onChange={() => {}} tabs={tabs} />
  const { rerender } = render(show('last'))
  rerender(show('first'))
  expect(scrolled).toEqual(['last', 'first'])
})
