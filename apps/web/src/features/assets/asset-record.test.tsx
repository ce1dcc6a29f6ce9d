import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import type { PublicConfig } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { recordQueries } from '../prediction/record-queries.ts'
import { AssetRecord } from './asset-record.tsx'
import { assetRecordQuery } from './asset-record-query.ts'

const asset = 'ETH/USDT'
const figures = { strict: { count: 2, n: 3, rate: 2 / 3 }, interval: { low: 0.2, high: 0.9 } }

function renderRecord(types: string[]): string {
  const client = createQueryClient()
  client.setQueryData(queries.config.queryKey, { demo: false } as PublicConfig)
  client.setQueryData(recordQueries.record('feed').queryKey, {
    record: { by: { asset: [{ key: asset, figures }] } },
  } as never)
  client.setQueryData(assetRecordQuery('feed', asset).queryKey, {
    items: types.map((anomalyType) => ({ alert: { anomalyType }, status: 'true' })),
    isWhole: true,
  } as never)
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <AssetRecord asset={asset} />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
}

test('AssetRecord: each type links to the alerts of the asset with this type', () => {
  const html = renderRecord(['Volume spike', 'Depeg & gap'])
  const links = [...html.matchAll(/<a [^>]*href="(\/notifications[^"]*)"[^>]*>([^<]*)<\/a>/g)]
  const linkTargets = links.map(([, href = '', type]) => {
    const search = new URL(href.replaceAll('&amp;', '&'), 'http://localhost').searchParams
    return [type, search.get('asset'), search.get('type')]
  })
  expect(linkTargets.sort()).toEqual([
    ['Depeg &amp; gap', asset, 'Depeg & gap'],
    ['Volume spike', asset, 'Volume spike'],
  ])
})

test('AssetRecord: predictions without a type have a dash instead of a link', () => {
  const html = renderRecord([''])
  expect(html).toContain('—')
  expect(html).not.toContain('href="/notifications')
})
