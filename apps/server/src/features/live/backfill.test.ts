import { expect, test } from 'vitest'
import { createTestAlert } from '../../../test/support/handover-test-bed.ts'
import type { Context } from '../../context.ts'
import { backfill, type History } from './backfill.ts'
import type { Connection } from './connection.ts'
import { SendQueue } from './send-queue.ts'
import { StreamSubscription } from './stream-subscription.ts'

const at = new Date('2026-01-15T12:00:00.000Z')
// The cast is safe, because a backfill reads nothing else of the context.
const ctx = { clock: { now: () => at } } as Context

test.each<[string, (subscription: StreamSubscription, sendQueue: SendQueue) => void, object, number]>([
  ['sends nothing when they have ended', (subscription) => subscription.leave(), { recovered: false }, 0],
  [
    'sends the alerts when they have not ended',
    (subscription, sendQueue) => void subscription.finishRecheck(sendQueue),
    { recovered: true, highestIndex: 7 },
    1,
  ],
])(
  'backfill: waits while the rights of the client are read again, and %s',
  async (_name, endRecheck, expected, writeCount) => {
    const writes: unknown[] = []
    const sendQueue = new SendQueue({ deliver: (batch) => writes.push(batch) })
    const streamSubscription = new StreamSubscription()
    streamSubscription.join(sendQueue, null)
    streamSubscription.setEnd(at.getTime() + 1, () => {})
    const history: History = {
      findResumeSeq: async () => 0,
      findLastDeliverySeq: async () => 1,
      loadDeliveries: async () => {
        streamSubscription.startRecheck()
        return [{ seq: 1, at, logIndex: 7, isOutcome: false, alert: createTestAlert(7) }]
      },
      loadOwedDeliveries: async () => [],
      findLogId: async () => '0x',
      getLogSize: async () => 8,
    }
    const transport = { waitForDrain: async () => {} }
    // The cast is safe, because a backfill uses only these parts of a connection.
    const connection = { streamSubscription, transport } as Connection
    const running = backfill(ctx, history, connection, sendQueue, 6, () => true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).toEqual([])
    endRecheck(streamSubscription, sendQueue)
    expect(await running).toMatchObject(expected)
    expect(writes).toHaveLength(writeCount)
  },
)
