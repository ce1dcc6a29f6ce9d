import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import {
  createExampleEmptyRecord,
  createExampleFigures,
  createExampleRecord,
} from '../../../test/support/example-record.ts'
import type { PublicRecord } from './record-texts.ts'
import { RecordView } from './record-view.tsx'
import { createPoints, formatBand } from './reliability-layout.ts'

const renderRecord = (record: PublicRecord) => renderToStaticMarkup(<RecordView record={record} />)
const extractWords = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

test('RecordView: shows “No outcomes yet” and no success rate when there are no outcomes', () => {
  const text = extractWords(renderRecord(createExampleEmptyRecord()))
  expect(text).toContain('No outcomes yet 2 open, 5 not public yet.')
  expect(text).not.toContain('Strict success rate')
})

test.each([
  ['42.5% 520 of 1,224 came true 95% interval 38.5% to 46.5% (Wilson, effective n 979)'],
  ['Lift 6.1× 7.0% at random minutes; 95%: 5.6× to 6.5×'],
  ['Did not come true 693 counted'],
  ['Void 9 counted as not true; without 42.8%'],
  ['Open 1 verdict to come'],
  ['Overdue 2 counted as not true'],
  ['Not counted 44 41 no prediction, 3 not public yet'],
  ['Brier score 0.2240 base rate alone 0.2452, skill 0.0865'],
  ['Spiegelhalter z −0.6800 p 0.50, within ±1.96'],
  ['As of block 71,205,007'],
  ['Witnessed 42.3%'],
  ['with an outcome whose stated time the anchors do not prove: 0'],
  ['All models together. The newest model, engine 1.4.0, has n 306 . A new model does not reset the headline figures.'],
])('RecordView: shows %s', (expected) => {
  expect(extractWords(renderRecord(createExampleRecord()))).toContain(expected)
})

test('RecordView: links each number to the list of the alerts that it counts', () => {
  const html = renderRecord(createExampleRecord())
  for (const selection of [
    'set=counted',
    'status=true',
    'status=overdue',
    'status=late',
    'status=void',
    'status=open',
    'status=pending',
    'status=no-prediction',
    'status=withheld',
    'set=outside',
    'set=without-void',
    'set=with-controls',
    'set=witnessed',
    'set=episodes',
    'set=time-not-proven',
    'set=predicted',
    'set=calibrated',
    'set=uncalibrated',
    'by=bin&amp;key=40',
    'by=type&amp;key=Price+move',
    'by=type&amp;key=Price+move&amp;set=counted',
    'by=type&amp;key=Price+move&amp;status=true',
    'by=month&amp;key=2026-11&amp;set=counted',
    `by=model&amp;key=engine+1.4.0+0x${'2f'.repeat(32)}&amp;set=counted`,
  ]) {
    expect(html).toContain(`href="/track-record?${selection}#alerts"`)
  }
})

test('RecordView: links the number of outcomes of an uncalibrated model to the alerts with these outcomes', () => {
  const record = createExampleRecord()
  const html = renderRecord({ ...record, calibration: { ...record.calibration, bins: [] } })
  expect(html).toContain('href="/track-record?by=resolved&amp;key=engine+Market-wide#alerts"')
})

test('RecordView: links every figure in the rate tables to the alerts that it counts', () => {
  const tables = renderRecord(createExampleRecord()).match(/<caption[^>]*>Rates by .*?<\/table>/gs) ?? []
  const cells = tables.flatMap((table) => table.match(/<td.*?<\/td>/gs) ?? [])
  const textsOutsideLinks = cells.map((cell) => extractWords(cell.replace(/<(a|svg) .*?<\/\1>/gs, '')))
  expect(cells.length).toBeGreaterThan(20)
  expect(new Set(textsOutsideLinks)).toEqual(new Set(['', 'n', '—', 'n under 30']))
})

test('RecordView: shows no comparison for fewer than 30 alerts, and lists venues without a known archive', () => {
  const record = createExampleRecord({ overall: createExampleFigures(520, 1224, { unknownVenues: ['my-venue'] }) })
  const text = extractWords(renderRecord(record))
  expect(text).toMatch(/Rush orders not calibrated yet n 12 4 33\.3% .*? — n under 30/)
  expect(text).toContain('No public archive of candles is known for my-venue.')
})

test('RecordView: has a table as the text alternative to the diagram', () => {
  expect(extractWords(renderRecord(createExampleRecord()))).toContain('70 to 80% 28 73.2% 85.7% 56.8% to 89.6%')
})

test('RecordView: lists the figures of each bin in the label of the diagram, and puts no link inside the diagram', () => {
  const html = renderRecord(createExampleRecord())
  const [, name = '', picture = ''] =
    /<svg role="img" aria-label="(Reliability[^"]*)".*?>(.*?)<\/svg><a /s.exec(html) ?? []
  expect(name).toMatch(
    /^Reliability of 1,213 predictions by confidence\. 10 to 20%: predicted 16\.2%, came true 16\.1%, n 62\./,
  )
  expect(name).toContain(' 70 to 80%: predicted 73.2%, came true 85.7%, n 28.')
  expect(picture).toContain('<polygon')
  expect(picture).not.toContain('<a ')
})

test('createPoints and formatBand: omit empty bins and return the closed polygon of the chance band', () => {
  const createBin = (from: number, n: number, shown: number, cameTrue: number) => {
    return { from, n, shown, cameTrue, chanceBand: [shown - 0.1, shown + 0.1] as [number, number] }
  }
  const points = createPoints([createBin(0, 0, 0, 0), createBin(20, 10, 0.25, 0), createBin(50, 20, 0.5, 0.5)])
  expect(points.map(({ x, y, bar }) => [x, y, bar])).toEqual([
    [0.25, 0, 0.5],
    [0.5, 0.5, 1],
  ])
  expect(points[0]?.whisker[1]).toBeCloseTo(0.278, 3)
  expect(formatBand(points)).toBe('25.00,65.00 50.00,40.00 50.00,60.00 25.00,85.00')
})
