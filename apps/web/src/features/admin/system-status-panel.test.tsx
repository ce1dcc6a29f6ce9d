import { QueryClientProvider } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { SystemStatusPanel } from './system-status-panel.tsx'

/** Returns the text of the row "Anchor chain". */
function renderAnchorRow(anchor: Pick<AdminSystem['anchor'], 'state' | 'reason' | 'lastAnchoredAt'>): string {
  const client = createQueryClient()
  // The fields that the panel reads.
  const system = {
    startedAt: '2026-11-24T09:00:00.000Z',
    anchor,
    feed: { state: 'connected', pingMs: null, endpoint: '', lastError: null, signalsReceived: 0, signalsRefused: 0 },
    stream: { connected: 1 },
    payments: { trouble: null, behindBlocks: 0, behindSeconds: 0 },
  }
  client.setQueryData(adminQueries.system.queryKey, {
    ...system,
    feed: { ...system.feed, isQuiet: false, lastSignalAt: null },
  } as unknown as AdminSystem)
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <SystemStatusPanel />
    </QueryClientProvider>,
  )
  const [, row = ''] = /Anchor chain(.*?)<\/dd>/.exec(html) ?? []
  return row
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test('SystemStatusPanel: shows why anchoring is delayed as its own sentence, with times in the style of the page', () => {
  const reason =
    'entry 7 has the time 2026-11-24T10:00:00.123Z, which is later than the current time of the anchor chain'
  const expected = 'Entry 7 has the time 24 Nov 10:00:00, which is later than the current time of the anchor chain'
  const state = 'delayed'
  expect(renderAnchorRow({ state, reason, lastAnchoredAt: null })).toBe(`No anchor yet ${expected}`)
  expect(renderAnchorRow({ state, reason, lastAnchoredAt: '2026-11-24T09:30:00.000Z' })).toBe(
    `Last anchor 24 Nov 09:30:00 ${expected}`,
  )
})

test('SystemStatusPanel: shows that there is no anchor yet when anchoring works', () => {
  expect(renderAnchorRow({ state: 'current', reason: null, lastAnchoredAt: null })).toBe('No anchor yet')
})
