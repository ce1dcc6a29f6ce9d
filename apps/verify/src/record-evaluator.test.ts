import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ControlTask, RecordAnchor } from '@tocsin/proof'
import { expect, onTestFinished, test } from 'vitest'
import { CannotCheck, UsageProblem } from './outcome.ts'
import { createRecordEvaluator } from './record-evaluator.ts'

const DAY = '2026-03-02'
/** Number of markets. The evaluator caches the candles of only 100 markets for a day. */
const MARKETS = 101

/** Writes an archive in which all markets have the same candles of one day. */
async function createArchive(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-archive-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const start = Date.parse(`${DAY}T00:00:00.000Z`) / 1_000
  const rows = Array.from({ length: 1_440 }, (_, index) => [start + index * 60, '100', '110', '90', '100', '1'])
  for (const { prediction } of tasks) {
    const marketFolder = join(folder, prediction.venue, prediction.market)
    await mkdir(marketFolder, { recursive: true })
    await writeFile(join(marketFolder, `${DAY}.json`), JSON.stringify(rows))
  }
  return folder
}

const tasks = Array.from(
  { length: MARKETS },
  (_, index): ControlTask => ({
    index,
    leafHash: `0x${String(index).padStart(64, '0')}`,
    prediction: {
      metric: 'maxExcursion',
      comparison: 'gte',
      threshold: 1,
      venue: 'binance',
      market: `M${index}USDT`,
      candleSeconds: 60,
      startsAt: `${DAY}T14:31:00.000Z`,
      horizonSeconds: 300,
      resolveBy: `${DAY}T14:40:00.000Z`,
    },
  }),
)
/**
 * The block hash of the first anchor selects the control minutes. The block number of the second
 * anchor shows that the first block is confirmed.
 */
const anchors = [1, 20].map(
  (blockNumber): RecordAnchor => ({
    size: blockNumber,
    blockNumber,
    blockAt: '2026-03-03T00:05:00.000Z',
    blockHash: `0x${'ab'.repeat(32)}`,
  }),
)

const createEvaluator = (candles: string) =>
  createRecordEvaluator({ candles, serverUrl: 'http://127.0.0.1:9', timeoutMs: 1_000 })

test('record evaluator: refuses an archive folder that does not exist', async () => {
  const folder = join(await createArchive(), 'candels')
  expect(() => createEvaluator(folder)).toThrow(UsageProblem)
  expect(() => createEvaluator(folder)).toThrow(/The folder “\S+candels” of --candles cannot be read/)
})

test('record evaluator: measures nothing for a market without a file, but fails when a file cannot be read', async () => {
  const folder = await createArchive()
  const path = join(folder, 'binance/M1USDT', `${DAY}.json`)
  await rm(path)
  const rates = await createEvaluator(folder).measure(tasks.slice(0, 3), anchors)
  expect(rates.map(([index]) => index)).toEqual([0, 2])
  // A folder cannot be read as a file, not even by root.
  await mkdir(path)
  const measurement = createEvaluator(folder).measure(tasks.slice(0, 3), anchors)
  await expect(measurement).rejects.toThrow(CannotCheck)
  await expect(measurement).rejects.toThrow(/The archive's file “\S+\.json” cannot be read \(EISDIR\)/)
})

test('record evaluator: measures every market of a day, even when their candles do not fit into memory', async () => {
  const rates = await createEvaluator(await createArchive()).measure(tasks, anchors)
  expect(rates.map(([index]) => index)).toEqual(tasks.map(({ index }) => index))
})
