// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Tabs } from './tabs.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('Tabs: scrolls to the active tab on the first render and when another tab becomes active', () => {
  const scrolledTabs: string[] = []
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function (this: HTMLElement) {
    scrolledTabs.push(this.textContent)
  })
  const tabs = (['first', 'second', 'last'] as const).map((value) => ({ value, label: value, panel: null }))
  const renderTabs = (value: 'first' | 'last') => <Tabs label="Areas" value={value} onChange={() => {}} tabs={tabs} />
  const { rerender } = render(renderTabs('last'))
  rerender(renderTabs('first'))
  expect(scrolledTabs).toEqual(['last', 'first'])
})
