import type { PublicConfig, SystemStatus } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PerformanceView } from './performance-card.tsx'

const noMeasurements: SystemStatus['measured'] = {
  averageConfidence: null,
  confidenceSample: 0,
  successRate: null,
  successSample: 0,
  successInterval: null,
}
const renderCard = (measured: Partial<SystemStatus['measured']> = {}, config: Demo = { demo: false }) =>
  renderToStaticMarkup(
    <PerformanceView status={{ measured: { ...noMeasurements, ...measured }, coverage: 'public' }} config={config} />,
  )
type Demo = Pick<PublicConfig, 'demo' | 'demoMarket'>
const extractWords = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

test('PerformanceView: shows “Not measured yet” and no interval when there are no measurements', () => {
  const text = extractWords(renderCard())
  expect(text.match(/Not measured yet/g)).toHaveLength(2)
  expect(text).not.toContain('95%')
})

test('PerformanceView: does not say that nothing is measured while the status is unknown', () => {
  const text = extractWords(renderToStaticMarkup(<PerformanceView status={undefined} config={{ demo: false }} />))
  expect(text).not.toContain('Not measured yet')
  expect(text).toContain('Measured —')
})

test('PerformanceView: shows the measured rate with n and interval beside the baseline, and links to the record', () => {
  const html = renderCard({
    successRate: 42.48,
    successSample: 1224,
    successInterval: [39.74, 45.27],
    averageConfidence: 41.7,
  })
  expect(extractWords(html)).toContain('Published baseline 94.2% Measured, n 1,224 42.5% 95%: 39.7% to 45.3%')
  expect(extractWords(html)).toContain('0.417')
  expect(html).toContain('href="/track-record"')
})

test.each([
  [69.9, '69.90%'],
  [85, '50.00%'],
])('PerformanceView: draws an average confidence of %d at %s of the width of the scale', (averageConfidence, x) => {
  expect(renderCard({ averageConfidence, confidenceSample: 9 })).toContain(`x1="${x}" x2="${x}" y1="2"`)
})

test.each<[Demo, string]>([
  [{ demo: false }, 'Market performance Track record'],
  [{ demo: true, demoMarket: 'simulated' }, 'Market performance Simulated market Track record'],
  [{ demo: true, demoMarket: 'live' }, 'Market performance Live market, demo log Track record'],
])('PerformanceView: names the market of the figures only in a demo: %j', (config, expected) => {
  expect(extractWords(renderCard({ successRate: 42.48 }, config))).toContain(expected)
})
