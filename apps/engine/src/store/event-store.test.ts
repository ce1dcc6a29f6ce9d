import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineEvent } from '@tocsin/engine'
import { expect, onTestFinished, test } from 'vitest'
import { openEventStore } from './event-store.ts'

const createClockEvent = (at: number): EngineEvent => ({ type: 'clock', at })
const tick: EngineEvent = {
  type: 'tick',
  venue: 'kraken',
  market: 'BTC/USD',
  number: 12,
  count: 3,
  at: 1_772_461_860_134,
  price: 61_204.11,
  amount: 1e-8,
  takerSide: 'sell',
}

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function readStoredContents(folder: string) {
  const store = openEventStore(folder)
  const storedContents = { snapshot: store.snapshot, events: [...store.events] }
  store.close()
  return storedContents
}

test.each(['{"journal":1', '{"journal":"1","state":"a"}', '[]', ''])(
  'event store: refuses to open when the snapshot is %o',
  (content) => {
    const folder = createTemporaryFolder()
    writeFileSync(join(folder, 'snapshot.json'), content)
    expect(() => openEventStore(folder)).toThrow(/snapshot.json is damaged/)
  },
)

test('event store: refuses to open when the snapshot exists but cannot be read', () => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'snapshot.json'))
  expect(() => openEventStore(folder)).toThrow('EISDIR')
})

test('event store: refuses to open when a line before the last is damaged', () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'journal-0.jsonl'), '{"type":"clock","at":1}\n{"ty\n{"type":"clock","at":3}\n')
  expect(() => openEventStore(folder)).toThrow(/journal-0.jsonl is damaged at line 2/)
})

test('event store: drops an incomplete last line that a crash has left', () => {
  const folder = createTemporaryFolder()
  const store = openEventStore(folder)
  store.append(tick)
  store.append(createClockEvent(2))
  store.close()
  appendFileSync(join(folder, 'journal-0.jsonl'), '{"type":"clo')
  expect(readStoredContents(folder)).toEqual({ snapshot: null, events: [tick, createClockEvent(2)] })
  const reopenedStore = openEventStore(folder)
  reopenedStore.append(createClockEvent(3))
  reopenedStore.close()
  expect(readStoredContents(folder).events).toEqual([tick, createClockEvent(2), createClockEvent(3)])
})

test('event store: returns only events after the snapshot when one was saved', () => {
  const folder = createTemporaryFolder()
  const store = openEventStore(folder)
  store.append(createClockEvent(1))
  store.save('one')
  store.append(createClockEvent(2))
  store.close()
  expect(readStoredContents(folder)).toEqual({ snapshot: 'one', events: [createClockEvent(2)] })
  expect(readdirSync(folder).sort()).toEqual(['journal-1.jsonl', 'snapshot.json'])
})

test('event store: loses and repeats nothing when it is killed between any two steps of a save', () => {
  const folder = createTemporaryFolder()
  const store = openEventStore(folder)
  store.append(createClockEvent(1))
  store.flush()
  const contentBefore = readFileSync(join(folder, 'journal-0.jsonl'))
  store.save('one')
  store.append(createClockEvent(2))
  store.close()
  const snapshot = readFileSync(join(folder, 'snapshot.json'))
  // State after a kill before the snapshot was renamed: the next journal exists already.
  writeFileSync(join(folder, 'journal-0.jsonl'), contentBefore)
  writeFileSync(join(folder, 'snapshot.json.new'), snapshot.subarray(0, 5))
  rmSync(join(folder, 'snapshot.json'))
  expect(readStoredContents(folder)).toEqual({ snapshot: null, events: [createClockEvent(1), createClockEvent(2)] })
  // State after a kill before the old journal was deleted.
  writeFileSync(join(folder, 'snapshot.json'), snapshot)
  expect(readStoredContents(folder)).toEqual({ snapshot: 'one', events: [createClockEvent(2)] })
})

test('event store: returns the newest snapshot and no events after a save', () => {
  const store = openEventStore(createTemporaryFolder())
  expect([store.snapshot, [...store.events]]).toEqual([null, []])
  store.append({ type: 'clock', at: 1 })
  store.save('state')
  expect([store.snapshot, [...store.events]]).toEqual(['state', []])
  store.close()
})
