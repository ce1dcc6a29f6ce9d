import { expect, test } from 'vitest'
import { type IssuedBatch, IssuedDeliveries, type IssuedDelivery } from './issued-deliveries.ts'

const createBatch = (after: number, last: number): IssuedBatch => ({
  previousSeq: after,
  lastSeq: last,
  // The tests use only `seq` and `logIndex`.
  deliveries: () =>
    Array.from(
      { length: last - after },
      (_, index) => ({ seq: after + index + 1, logIndex: after + index }) as IssuedDelivery,
    ),
})
const getSeqs = (deliveries: readonly IssuedDelivery[] | null) => deliveries?.map(({ seq }) => seq) ?? null

async function storeBatches(issued: IssuedDeliveries, ...batches: IssuedBatch[]): Promise<void> {
  for (const batch of batches) issued.registerCommit(Promise.resolve(batch))
  await issued.waitForCommits()
}

test.each([
  ['are taken directly after the cursor', 4, 9, [5, 6]],
  ['are not taken when one before them is unknown', 3, 9, null],
  ['are not taken again behind the cursor', 5, 9, null],
  ['are not taken before all of them are announced', 4, 5, null],
])('issued deliveries: %s', async (_name, cursor, announcedSeq, expected) => {
  const issued = new IssuedDeliveries()
  await storeBatches(issued, createBatch(4, 6))
  expect(getSeqs(issued.drainAfter(cursor, announcedSeq))).toEqual(expected)
})

test('issued deliveries: are taken once each, in order', async () => {
  const issued = new IssuedDeliveries()
  await storeBatches(issued, createBatch(0, 1), createBatch(1, 3))
  expect(getSeqs(issued.drainAfter(0, 3))).toEqual([1])
  expect(issued.drainAfter(0, 3)).toBeNull()
  expect(getSeqs(issued.drainAfter(1, 3))).toEqual([2, 3])
})

test('issued deliveries: waitForCommits() waits for a pending commit, and a failed commit adds nothing', async () => {
  const issued = new IssuedDeliveries()
  expect(issued.waitForCommits()).toBeNull()
  let failCommit = (_reason: Error) => {}
  issued.registerCommit(
    new Promise((_resolve, reject) => {
      failCommit = reject
    }),
  )
  const settled = issued.waitForCommits()
  failCommit(new Error('The connection broke'))
  await settled
  expect(issued.waitForCommits()).toBeNull()
  expect(issued.drainAfter(0, 1)).toBeNull()
})

test('issued deliveries: clear() drops the deliveries of finished and of pending commits', async () => {
  const issued = new IssuedDeliveries()
  await storeBatches(issued, createBatch(0, 1))
  issued.registerCommit(Promise.resolve(createBatch(1, 2)))
  issued.clear()
  await issued.waitForCommits()
  expect(issued.drainAfter(0, 2)).toBeNull()
  expect(issued.drainAfter(1, 2)).toBeNull()
  await storeBatches(issued, createBatch(2, 3))
  expect(getSeqs(issued.drainAfter(2, 3))).toEqual([3])
})

test('issued deliveries: only deliveries of the newest transactions are kept', async () => {
  const issued = new IssuedDeliveries()
  await storeBatches(issued, ...Array.from({ length: 20 }, (_, index) => createBatch(index, index + 1)))
  expect(issued.drainAfter(0, 20)).toBeNull()
  expect(getSeqs(issued.drainAfter(19, 20))).toEqual([20])
})
