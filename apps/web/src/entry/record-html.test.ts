import type { PublicConfig } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { createExampleFigures, createExampleRecord } from '../../test/support/example-record.ts'
import type { RecordItem } from '../features/record/record-rows.tsx'
import { renderRecord } from './record-html.tsx'

const config = {
  demo: false,
  firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  anchor: { contract: '0x00', chainId: 43_114, rpcUrl: 'https://rpc.example' },
} as PublicConfig
const host = 'https://alerts.example'
const html = renderRecord({ config, answer: { record: createExampleRecord() }, host })
const extractWords = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

test('renderRecord: has no script, style attribute or unescaped text of a feed', () => {
  const hostileKey = '<script>alert(1)</script>'
  const record = createExampleRecord()
  record.by.type.push({ key: hostileKey, figures: createExampleFigures(1, 2) })
  const hostileHtml = renderRecord({ config, answer: { record }, host })
  expect(hostileHtml).toContain('&lt;script&gt;alert(1)')
  for (const page of [html, hostileHtml]) expect(page).not.toMatch(/ style="|<script/)
})

test.each([
  ['headline', '42.5% 520 of 1,224 came true 95% interval 38.5% to 46.5% (Wilson, effective n 979)'],
  ['the limits with the delay', 'Alerts younger than the public delay of 24 h'],
  ['the command of this site', '--from-url https://alerts.example'],
  ['tables that need a script to be chosen', 'By regime Rates by regime Regime n True Rate'],
])('renderRecord: contains %s', (_name, expected) => {
  expect(extractWords(html)).toContain(expected)
})

test.each<[PublicConfig['demoMarket'], RegExp]>([
  ['simulated', /Simulated market.*href="\/documentation#simulated-market".*No record yet/s],
  ['live', /Live market, demo log.*No record yet/s],
])('renderRecord: names the market when the product is a demo with a %s market', (demoMarket, expected) => {
  const demo: PublicConfig = { ...config, demo: true, ...(demoMarket && { demoMarket }) }
  expect(html).not.toMatch(/Simulated market|demo log/)
  expect(renderRecord({ config: demo, answer: { record: null }, host })).toMatch(expected)
})

test('renderRecord: lists the alerts behind the chosen figure, with links to them and to older ones', () => {
  const item: RecordItem = {
    ...{ logIndex: 41, leafHash: `0x${'16'.repeat(32)}`, status: 'true', problem: null, prediction: null },
    alert: {
      ...{ id: 'a-41', asset: '<b>BTC', anomalyType: 'Price move', regime: 'Calm', priority: 'high', confidence: 43.5 },
      ...{ createdAt: '2026-03-02T14:30:00.688Z', summary: 'Price fell 1.1 % in 5 min.' },
    },
    outcome: null,
    isWitnessed: true,
    controlRate: null,
  }
  const outcome = {
    logIndex: 42,
    verdict: 'came-true',
    measured: '1.5',
    createdAt: item.alert?.createdAt ?? '',
  } as const
  const unprovenItem: RecordItem = { ...item, logIndex: 40, outcome: { ...outcome, timeProven: false } }
  const provenItem: RecordItem = { ...item, logIndex: 39, outcome: { ...outcome, timeProven: true } }
  const withheldItem: RecordItem = { ...item, logIndex: 7, alert: null, status: 'withheld' }
  const selection = { by: 'type', key: 'Price move' }
  const answer = { record: createExampleRecord() }
  const items = [item, unprovenItem, provenItem, withheldItem]
  const selectionHtml = renderRecord({ config, answer, host, chosen: { selection, items, next: '7' } })
  expect(extractWords(selectionHtml)).toMatch(
    /Alerts in this count Price move .*#41 .*&lt;b&gt;BTC .*1\.1.% in 5.min.*Came true.*#40 .*Time of outcome not proven\..*#39 .*#7 /,
  )
  expect(extractWords(selectionHtml).match(/Time of outcome not proven/g)).toHaveLength(1)
  expect(selectionHtml).toContain('href="/a/41"')
  expect(selectionHtml).not.toContain('href="/a/7"')
  expect(selectionHtml).toContain('href="/track-record?by=type&amp;key=Price+move&amp;cursor=7#alerts"')
  expect(html).not.toContain('Alerts in this count')
})
