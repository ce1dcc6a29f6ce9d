import { QueryClientProvider } from '@tanstack/react-query'
import type { AdminSystem } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { adminQueries } from './admin-queries.ts'
import { SystemFigures } from './system-figures.tsx'

/** The fields that the figures read. */
const system = {
  version: '1.0.0',
  signer: `0x${'11'.repeat(20)}`,
  anchor: { chainName: 'Avalanche', wallet: `0x${'22'.repeat(20)}`, anchorsLeft: 900, isLow: false },
  feed: { signalsMerged: 0, lastGap: null },
  log: { size: 7 },
  database: { version: '17.2', latencyMs: 1, sizeBytes: 1_000 },
  payments: { chainName: 'Ethereum', readAt: null },
}

test.each([
  ['12100000000000000000', '12.1000'],
  ['99999999999999999', '0.0999'],
])('SystemFigures: does not overstate the balance of the anchor wallet of %s wei', (balanceWei, expected) => {
  const client = createQueryClient()
  client.setQueryData(adminQueries.system.queryKey, {
    ...system,
    anchor: { ...system.anchor, balanceWei, medianToAnchorMs: null },
  } as unknown as AdminSystem)
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <SystemFigures />
    </QueryClientProvider>,
  )
  expect(html).toContain(`>${expected}<`)
})
