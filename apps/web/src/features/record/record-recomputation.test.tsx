// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { PublicConfig } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import type { RecomputeResult } from '../proof/proof-task.ts'
import { RecordRecomputation, RecordRecomputationView } from './record-recomputation.tsx'

afterEach(() => vi.unstubAllGlobals())

const successfulResult: RecomputeResult = {
  difference: null,
  entryCount: 1_412,
  outcomeCount: 305,
  figures: {
    strict: { n: 306, count: 135, rate: 135 / 306 },
    interval: [0.387, 0.497],
    timesNotProven: 3,
    baseRate: 0.0817,
    lift: { lift: 5.4, low: 4.7, high: 6.1 },
  },
  unchecked: ['Random minutes.'],
  nodeUsage: { rpcUrl: 'https://node.example/key', requestCount: 3, problem: null, tookMs: 594.2 },
}
const renderWords = (change: Partial<RecomputeResult>) =>
  renderToStaticMarkup(
    <RecordRecomputationView result={{ ...successfulResult, ...change }} since="2026-10-23T13:17:00.000Z" />,
  )
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

test.each<[string, Partial<RecomputeResult>, RegExp]>([
  [
    'the entry that differs',
    { difference: 'Entry 7 is false, and this site counts it as true' },
    /The recomputed record differs Entry 7 is false, and this site counts it as true\. .*44\.1%, 135 of 306/,
  ],
  [
    'no figures of another log',
    { figures: null, difference: 'Entry 2 is missing' },
    /^(?!.*(Strict rate|The same figures)).*Entry 2 is missing\./,
  ],
  ['the figures', {}, /The same figures as this site .*Entries checked 1,412 Outcomes measured again 305 /],
  ['the interval', {}, /44\.1%, 135 of 306 95% interval 38\.7% to 49\.7%/],
  ['outcomes whose time is not proven', {}, /Times of outcomes not proven 3 Rate at random/],
  ['base rate and lift', {}, /Rate at random minutes, computed here 8\.2% Lift, computed here 5\.4×/],
  [
    'what is not checked',
    {},
    /Not checked here Random minutes\. The chain was queried through node\.example\. 594 ms\./,
  ],
  [
    'that no node was asked',
    { nodeUsage: { ...successfulResult.nodeUsage, requestCount: 0 } },
    /The chain was not queried\./,
  ],
])('RecordRecomputationView: shows %s', (_name, change, expected) => {
  expect(renderWords(change)).toMatch(expected)
})

test('RecordRecomputation: cancels its requests when the user leaves the page', async () => {
  vi.stubGlobal(
    'Worker',
    class extends EventTarget {
      terminate() {}
    },
  )
  const signals: (AbortSignal | null | undefined)[] = []
  vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
    signals.push(signal)
    return new Promise(() => {})
  })
  const address = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'
  // Cast: contains only the fields that the component reads.
  const config = { anchor: { chainId: 1, contract: address, rpcUrl: null }, firstSigner: address } as PublicConfig
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <RecordRecomputation config={config} origin="feed" run={1} />
    </QueryClientProvider>,
  )
  await expect.poll(() => signals.length).toBe(1)
  unmount()
  expect(signals[0]?.aborted).toBe(true)
})
