import { QueryClientProvider } from '@tanstack/react-query'
import type { BusinessHealth } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { HealthPanel } from './health-panel.tsx'

test.each<[string, BusinessHealth['steps'], string]>([
  ['no alert', [], '0'],
  ['alerts', [{ step: 3, priority: 'high', count: 2 }], '2, at most 2 in half an hour'],
])('HealthPanel: the label of the chart describes a day with %s', (_, steps, expected) => {
  const client = createQueryClient()
  client.setQueryData(adminQueries.health.queryKey, {
    asOf: '2026-11-26T12:00:00.000Z',
    from: '2026-11-25T12:00:00.000Z',
    bands: [],
    steps,
    hours: [],
    types: [],
    medianToAnchorMs: null,
  })
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <HealthPanel />
    </QueryClientProvider>,
  )
  expect(html).toContain(`aria-label="Alerts of the last 24 hours: ${expected}"`)
})
