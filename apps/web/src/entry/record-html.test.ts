import type { PublicConfig } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { exampleFigures, exampleRecord } from '../features/record/example-record.ts'
import { renderRecord } from './record-html.tsx'

const config = {
  demo: false,
  firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  anchor: { contract: '0x00', chainId: 43_114, rpcUrl: 'https://rpc.example' },
} as PublicConfig
const host = 'https://alerts.example'
const html = renderRecord({ config, answer: { record: exampleRecord() }, host })
const words = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

test('renderRecord: has no script, style attribute or unescaped text of a feed', () => {
  const hostile = '<script>alert(1)</script>'
  const record = exampleRecord()
  record.by.type.push({ key: hostile, figures: exampleFigures(1, 2) })
  const withHostile = renderRecord({ config, answer: { record }, host })
  expect(withHostile).toContain('&lt;script&gt;alert(1)')
  for (const each of [html, withHostile]) expect(each).not.toMatch(/ style="|<script/)
})

test.each([
  ['headline', '42.5% 520 of 1,224 came true 95% interval 38.5% to 46.5% (Wilson)'],
  ['the limits with the delay', 'Alerts younger than the public delay of 24 h'],
  ['the command of this site', '--from-url https://alerts.example'],
  ['tables that need a script to be chosen', 'By regime Rates by regime Regime n True Rate'],
])('renderRecord: contains %s', (_name, expected) => {
  expect(words(html)).toContain(expected)
})

test.each<[PublicConfig['demoMarket'], RegExp]>([
  ['simulated', /Simulated market.*href="\/documentation#simulated-market".*No record yet/s],
  ['live', /Live market, demo log.*No record yet/s],
])('renderRecord: says what a demo of the %s market records', (demoMarket, expected) => {
  const demo: PublicConfig = { ...config, demo: true, ...(demoMarket && { demoMarket }) }
  expect(html).not.toMatch(/Simulated market|demo log/)
  expect(renderRecord({ config: demo, answer: { record: null }, host })).toMatch(expected)
})
