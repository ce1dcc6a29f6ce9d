import { QueryClientProvider } from '@tanstack/react-query'
import type { PublicConfig } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { MarketCell } from './status-line.tsx'

type Demo = Pick<PublicConfig, 'demo' | 'demoMarket'>

test.each<[Demo, string]>([
  [{ demo: false }, ''],
  [{ demo: true, demoMarket: 'simulated' }, 'Simulated market'],
  [{ demo: true, demoMarket: 'live' }, 'Live market, demo log'],
])('MarketCell: with %j it says "%s"', (config, words) => {
  const client = createQueryClient()
  client.setQueryData(queries.config.queryKey, config as PublicConfig)
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MarketCell />
    </QueryClientProvider>,
  )
  expect(html.replace(/<[^>]*>/g, '')).toBe(words)
})
