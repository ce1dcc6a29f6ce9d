import type { createRecordReader, Prediction, RecordAnchor } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import type { RecordEvaluator } from './record-evaluator.ts'
import { createRecordWork } from './record-work.ts'

const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 300,
  resolveBy: '2026-03-02T14:40:00.000Z',
}
/** Anchors at intervals of one hour. */
const anchors = Array.from({ length: 72 }, (_, index): RecordAnchor => {
  const blockAt = new Date(Date.parse('2026-03-01T00:30:00.000Z') + index * HOUR_MS).toISOString()
  return { size: index + 1, blockNumber: index, blockAt, blockHash: `0x${String(index).padStart(64, '0')}` }
})

async function readGivenAnchors(startsAt: string): Promise<readonly RecordAnchor[]> {
  const givenAnchors: (readonly RecordAnchor[])[] = []
  const evaluator: RecordEvaluator = {
    evaluate: async () => [],
    async measure(_tasks, someAnchors) {
      givenAnchors.push(someAnchors)
      return [[7, { minutes: 20, cameTrue: 3 }]]
    },
  }
  // This test evaluates nothing, so it needs no reader.
  const work = createRecordWork([evaluator], {} as ReturnType<typeof createRecordReader>, anchors)
  await work.measure({ index: 7, leafHash: '0x', prediction: { ...prediction, startsAt } })
  expect(await work.finish()).toEqual(new Map([[7, { minutes: 20, cameTrue: 3 }]]))
  expect(givenAnchors).toHaveLength(1)
  return givenAnchors[0] ?? []
}

test('record work: gives the evaluator only the first anchor after the day of the prediction and the newest anchor', async () => {
  expect(await readGivenAnchors('2026-03-01T14:31:00.000Z')).toEqual([anchors[24], anchors[71]])
  expect(await readGivenAnchors('2026-03-02T00:00:00.000Z')).toEqual([anchors[48], anchors[71]])
  expect(await readGivenAnchors('2026-03-03T23:31:00.000Z')).toEqual([])
})
