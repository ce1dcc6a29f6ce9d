import { HOUR_MS } from '@tocsin/protocol/durations'
import { refusedSignals } from '@tocsin/server/db/schema/feed.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { createSelectedReader } from '@tocsin/server/features/record/selected-alerts.ts'
import { createTrackRecords } from '@tocsin/server/features/record/track-record.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import { findHead } from '@tocsin/server/features/tlog/store.ts'
import { createTestContext, fakeClock, startTestDatabase, testConfig } from '@tocsin/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createParts } from '../src/parts.ts'
import { systemScheduler } from '../src/scheduler.ts'
import { playHistory } from '../src/simulation/history.ts'
import { createSimulation } from '../src/simulation/simulation.ts'
import type { Message } from '../src/store/outbox.ts'

/**
 * Time from the creation of an outcome or candle message until the product receives it. By then,
 * its candles have been published.
 */
const OUTCOME_DELAY_MS = 3_000
/** Start of the history. The engine warms up on the first day. */
const startsAt = Date.parse('2026-03-01T00:00:00.000Z')
const liveAt = startsAt + 50 * HOUR_MS

/** Creates a product whose clock the test sets. Anchor blocks get their time from this clock. */
async function createProduct() {
  const database = await startTestDatabase()
  const clock = fakeClock(new Date(startsAt))
  const config = testConfig({ databaseUrl: await database.createDatabase(), demo: true, feed: { cooldownSeconds: 0 } })
  const { ctx, close } = await createTestContext(config, clock)
  onTestFinished(async () => {
    await close()
    await database.stop()
  })
  await ensureKeyList(ctx)
  let blockNumber = 0
  const records = createTrackRecords()
  return {
    /** Receives a message at a time and anchors the log. */
    async receive(text: string, at: number) {
      clock.set(new Date(at))
      await receiveSignals(ctx, createIssuer(ctx), [text], new AbortController().signal)
      const { size, root } = await findHead(ctx.db)
      blockNumber += 1
      const hash = `0x${blockNumber.toString(16).padStart(64, '0')}`
      const anchor = { size, root, blockNumber, blockHash: hash, txHash: hash, blockAt: clock.now() }
      // If the message has added no entry, there already is an anchor of this size.
      await ctx.db.insert(anchors).values(anchor).onConflictDoNothing()
    },
    async record() {
      const record = await records.find(ctx, 'demo')
      if (!record) return null
      const readPage = await createSelectedReader(ctx, record, { origin: 'demo', set: 'with-controls' })
      return {
        ...record,
        controlRates: (await readPage(record.asOf.size, 10_000)).flatMap((one) => one.controlRate ?? []),
      }
    },
    refused: () => ctx.db.select().from(refusedSignals),
  }
}

/** Sends the engine's history to a product. Returns the product's record as of two days later. */
async function readRecord(messages: readonly Message[]) {
  const productServer = await createProduct()
  for (const { kind, text, at } of messages)
    await productServer.receive(text, kind === 'signal' ? at : at + OUTCOME_DELAY_MS)
  // Adds alerts on the following days, each with an anchor. The blocks of these anchors select the
  // control minutes and make the earlier alerts public.
  const { prediction: _, model: __, ...withoutModel } = JSON.parse(messages[0]?.text ?? '')
  for (let hour = 1; hour < 60; hour += 3) {
    const at = liveAt + hour * HOUR_MS
    await productServer.receive(
      JSON.stringify({ ...withoutModel, id: `later-${hour}`, observedAt: new Date(at).toISOString() }),
      at,
    )
  }
  expect((await productServer.refused()).map(({ reason }) => reason)).toEqual([])
  return productServer.record()
}

test('server: shows a lift in its track record only when the engine has sent the candles of the day', async () => {
  const simulation = createSimulation({ seed: 18, startsAt, liveAt })
  const dependencies = { schedule: systemScheduler, log() {}, write() {} }
  const { recent: messages } = await playHistory(simulation, createParts(300), dependencies)
  const predictionCount = messages.filter(({ prediction }) => prediction).length
  expect(predictionCount).toBeGreaterThan(10)

  const recordWithoutCandles = await readRecord(messages.filter(({ kind }) => kind !== 'candles'))
  expect(recordWithoutCandles?.overall).toMatchObject({ strict: { n: predictionCount }, baseRate: null, lift: null })

  const record = await readRecord(messages)
  const { strict, statuses, withoutControls, baseRate, lift } = record?.overall ?? {}
  // Predictions of the last day have no controls, because the history ends before the candles of
  // that day are sent.
  const lastDayPredictions = messages.filter(
    ({ prediction }) => prediction && prediction.startsAt >= '2026-03-03',
  ).length
  expect([strict?.n, statuses?.overdue, statuses?.late, withoutControls]).toEqual([
    predictionCount,
    0,
    0,
    lastDayPredictions,
  ])
  const rates = record?.controlRates ?? []
  expect(rates.map(({ minutes }) => minutes)).toEqual(
    Array.from({ length: predictionCount - lastDayPredictions }, () => 20),
  )
  expect(baseRate).toBeCloseTo(rates.reduce((sum, { cameTrue }) => sum + cameTrue / 20, 0) / rates.length, 9)
  expect(lift?.lift).toBeCloseTo((strict?.rate ?? 0) / (baseRate ?? 0), 9)
})
