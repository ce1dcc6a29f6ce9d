// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { BusinessHealth } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { HealthPanel } from './health-panel.tsx'

beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function renderPanel(change: Partial<BusinessHealth>) {
  const client = createQueryClient()
  client.setQueryData(adminQueries.health.queryKey, {
    asOf: '2026-11-26T12:00:00.000Z',
    from: '2026-11-25T12:00:00.000Z',
    bands: [],
    steps: [],
    hours: [],
    types: [],
    medianToAnchorMs: null,
    ...change,
  })
  return render(
    <QueryClientProvider client={client}>
      <HealthPanel />
    </QueryClientProvider>,
  )
}

test.each<[string, BusinessHealth['steps'], string]>([
  ['no alert', [], '0'],
  ['alerts', [{ step: 3, priority: 'high', count: 2 }], '2, at most 2 in half an hour'],
])('HealthPanel: the label of the chart describes a day with %s', (_, steps, expected) => {
  renderPanel({ steps })
  expect(screen.getByRole('img', { name: `Alerts of the last 24 hours: ${expected}` })).toBeDefined()
})

test.each([
  ['ok', 'Healthy', 'No gap in the last 24 hours.'],
  [null, 'Not measured', 'Feed: no data yet'],
  ['gap', 'Feed', 'Feed: a gap now'],
] as const)('HealthPanel: for the state %s without a recorded gap, says “%s” and “%s”', (state, badge, description) => {
  renderPanel({
    bands: [
      { source: 'feed', state, gaps: [] },
      { source: 'anchors', state: 'ok', gaps: [] },
    ],
  })
  const summary = () => screen.getAllByText(description, { exact: false, selector: 'p' })
  expect(summary().map(({ textContent }) => textContent)).toEqual([`${badge}${description}`])
  fireEvent.click(screen.getByRole('radio', { name: 'Table' }))
  expect(summary().map(({ textContent }) => textContent)).toEqual([description, `${badge}${description}`])
})
