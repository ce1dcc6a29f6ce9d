import { utf8ToBytes } from '@noble/hashes/utils'
import { expect, it } from 'vitest'
import { listMembers } from '../../test/support/test-record.ts'
import { bytesToHex, type Hex, hexToBytes } from '../hex.ts'
import { decodeStatement } from '../statement.ts'
import { hashLeaf } from '../tree.ts'
import vectors from '../vectors/record.json'
import { type CandleSource, getDaySpan } from './candle-source.ts'
import { parseCandles } from './candles.ts'
import type { Figures } from './figures.ts'
import type { RecordEntry } from './record-entry.ts'
import { computeRecord, type RecordInput, recomputeWithoutArchive, type TrackRecord } from './track-record.ts'

const toHex = (text: string): Hex => bytesToHex(hexToBytes(text))
const entries: RecordEntry[] = vectors.entries.map(({ index, leafHash, bytes, message }) => ({
  index,
  leafHash: toHex(leafHash),
  statement: bytes === null ? null : decodeStatement(utf8ToBytes(bytes)),
  message,
}))
const archive: CandleSource = {
  isArchive: true,
  read: ({ venue, market }, day) => {
    const file = vectors.archive.find((one) => one.venue === venue && one.market === market && one.day === day)
    return file ? parseCandles(file.candles, getDaySpan(day)) : null
  },
}
const input: RecordInput = {
  entries,
  anchors: vectors.anchors.map((anchor) => ({ ...anchor, blockHash: toHex(anchor.blockHash) })),
  publicDelayMs: vectors.publicDelayMs,
  origin: 'feed',
  candles: archive,
}
const record = computeRecord(input)

function expectFigures(figures: Figures, { interval, ...expected }: { interval: number[] | null }) {
  expect(figures).toMatchObject(expected)
  expect(figures.interval?.length).toBe(interval?.length)
  for (const [at, bound] of (interval ?? []).entries()) expect(figures.interval?.[at]).toBeCloseTo(bound, 9)
}

it('record.json: has entries with their leaf hashes', () => {
  for (const { bytes, leafHash } of vectors.entries) {
    if (bytes !== null) expect(bytesToHex(hashLeaf(utf8ToBytes(bytes)))).toBe(leafHash)
  }
})

it.each(vectors.alerts)('record.json: gives alert $index the status $status', ({ index, outcome, ...expected }) => {
  const alert = record.alerts.find((one) => one.index === index)
  expect(alert).toMatchObject(expected)
  if (outcome === null) {
    expect(alert?.outcome).toBeNull()
    return
  }
  const { isValid, ...fields } = outcome
  expect(alert?.outcome).toMatchObject(fields)
  expect(alert?.outcome?.problem === null).toBe(isValid)
})

it.each<[name: 'withArchive' | 'withoutArchive', found: TrackRecord]>([
  ['withArchive', record],
  ['withoutArchive', recomputeWithoutArchive(record)],
  ['withoutArchive', computeRecord({ ...input, candles: null })],
])('record.json: %s has the figures that computeRecord returns', (name, { overall, coverage }) => {
  const { coverage: expectedCoverage, ...expected } = vectors[name]
  expectFigures(overall, expected)
  expect(coverage).toEqual(expectedCoverage)
})

it.each(Object.keys(vectors.by))('record.json: has the table by %s that computeRecord returns', (name) => {
  const tables: Record<string, { key: unknown; figures: Figures }[]> = { ...record.by }
  const expected: Record<string, { key: unknown; indexes: number[]; interval: number[] | null }[]> = vectors.by
  const rows = tables[name] ?? []
  expect(rows).toHaveLength(expected[name]?.length ?? -1)
  for (const [at, { key, indexes, ...figures }] of (expected[name] ?? []).entries()) {
    const row = rows[at]
    expect([row?.key, listMembers(record, name, key)]).toEqual([key, indexes])
    if (row) expectFigures(row.figures, figures)
  }
})
