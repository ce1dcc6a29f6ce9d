import { expect, test } from 'vitest'
import { predictionOf, standInJudge } from '../test/stand-in.ts'
import { startAt } from '../test/wire.ts'
import { createOutcomeWorker, LostCandles } from './outcomes.ts'
import { type Message, openOutbox } from './store/outbox.ts'

test('outcomes: are neither sent nor tried again when the candles are lost', async () => {
  const prediction = predictionOf('kraken', 'XBTUSD', startAt)
  const outbox = openOutbox(null)
  outbox.add([{ kind: 'signal', id: 'a', text: JSON.stringify({ id: 'a', prediction }), at: startAt, prediction }])
  let nowMs = Date.parse(prediction.resolveBy)
  const requested: number[] = []
  const reported: Message[] = []
  const logged: unknown[] = []
  const worker = createOutcomeWorker({
    outbox,
    judge: standInJudge,
    concurrency: 1,
    nowMs: () => nowMs,
    report: (messages) => void reported.push(...messages),
    log: (_message, details) => void logged.push(details),
    async candles() {
      requested.push(nowMs)
      throw new LostCandles()
    },
  })
  for (let hour = 0; hour < 24; hour += 1) {
    await worker.check()
    nowMs += 3_600_000
  }
  expect(requested).toHaveLength(1)
  expect(reported).toEqual([])
  expect(logged).toEqual([{ id: 'a', error: 'The exchange no longer publishes these candles' }])
  expect(worker.overdue()).toBe(1)
})
