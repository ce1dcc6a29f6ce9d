import { QueryClientProvider } from '@tanstack/react-query'
import type { PublicConfig, SystemStatus } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { MarketCell, RecordCell } from './status-line.tsx'

const render = (cell: ReactNode, config: Demo) => {
  const client = createQueryClient()
  client.setQueryData(queries.config.queryKey, config as PublicConfig)
  client.setQueryData(queries.status.queryKey, { measured: { successRate: 39.81, successSample: 412 } } as SystemStatus)
  const html = renderToStaticMarkup(<QueryClientProvider client={client}>{cell}</QueryClientProvider>)
  return html.replace(/<[^>]*>/g, '')
}

type Demo = Pick<PublicConfig, 'demo' | 'demoMarket'>

test.each<[Demo, string]>([
  [{ demo: false }, ''],
  [{ demo: true, demoMarket: 'simulated' }, 'Simulated market'],
  [{ demo: true, demoMarket: 'live' }, 'Live market, demo log'],
])('MarketCell: with %j it says "%s"', (config, words) => {
  expect(render(<MarketCell />, config)).toBe(words)
})

test.each<[Demo, string]>([
  [{ demo: false }, 'Record39.8% came true, n 412'],
  [{ demo: true, demoMarket: 'simulated' }, 'Record39.8% simulated market|came true, n 412'],
  [{ demo: true, demoMarket: 'live' }, 'Record39.8% live market, demo log|came true, n 412'],
])('RecordCell: with %j it says "%s"', (config, words) => {
  // Phones show the part before the bar, wider screens the one behind it.
  expect(render(<RecordCell />, config)).toBe(words.replace('|', ''))
})
