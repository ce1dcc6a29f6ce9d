// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { PulseLine } from './pulse-line.tsx'

afterEach(cleanup)

const nowMs = Date.UTC(2026, 10, 21, 14)
const alerts = [1, 2].map((hours) => ({
  id: `alert-${hours}`,
  priority: 'low' as const,
  at: new Date(nowMs - hours * 3_600_000).toISOString(),
}))

function renderLine() {
  const onSelect = vi.fn()
  render(<PulseLine alerts={alerts} gaps={[]} now={nowMs} span="6h" onSelect={onSelect} />)
  return { onSelect, options: screen.getAllByRole('option') }
}

test('PulseLine: a click on an option selects its alert, and a click outside the options selects nothing', () => {
  const { onSelect, options } = renderLine()
  fireEvent.click(screen.getByRole('listbox'))
  expect(onSelect).not.toHaveBeenCalled()
  const [, newest] = options
  if (newest) fireEvent.click(newest)
  expect(onSelect.mock.calls).toEqual([['alert-1']])
  expect(options.map((option) => option.getAttribute('aria-selected'))).toEqual(['false', 'true'])
})

test('PulseLine: options have no click handlers, so the number of listeners does not grow with the alerts', () => {
  const { options } = renderLine()
  expect(options.map(({ onclick }) => onclick)).toEqual([null, null])
})
