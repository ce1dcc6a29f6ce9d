import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import type { ChannelDelivery, Destination } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { ChannelLedger } from './channel-ledger.tsx'
import { ledgerQuery } from './channel-queries.ts'

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
const destination = { id: 'd-1', name: 'Bot', state: 'on' } as Destination
const alert = { logIndex: 40, asset: 'BTC/USDT', anomalyType: 'Price move', priority: 'high' } as const

function renderRow(change: Partial<ChannelDelivery>): string {
  const at = '2026-03-02T15:32:04.000Z'
  const result = { state: 'delivered', reason: 'Accepted with 200', nextAt: null, deliveredAt: at, tookMs: 12 } as const
  const row: ChannelDelivery = { id: 1, logIndex: 40, alert, event: 'alert', createdAt: at, attempts: [], ...result }
  const client = createQueryClient()
  const { queryKey } = ledgerQuery(destination.id, 'all')
  client.setQueryData(queryKey, { pages: [[{ ...row, ...change }]], pageParams: [null] })
  return renderToStaticMarkup(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router}>
          <ChannelLedger destination={destination} />
        </RouterContextProvider>
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
}

test.each<[string, Partial<ChannelDelivery>, link: RegExp]>([
  ['an alert', {}, /<a [^>]*href="\/a\/40"[^>]*>#40<\/a>/],
  ['an outcome', { logIndex: 57, event: 'outcome' }, /<a [^>]*href="\/a\/40"[^>]*>#57<\/a>/],
  ['an entry that may not be read', { logIndex: 57, alert: null }, /<a [^>]*href="\/a\/57"[^>]*>#57<\/a>/],
])('ChannelLedger: links the row of %s to the page of its alert', (_name, change, link) => {
  expect(renderRow(change)).toMatch(link)
})
