import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectFeed } from '@tocsin/server/features/feed/connect-feed.ts'
import { parseMessageType, parseSignal } from '@tocsin/server/features/feed/parse-signal.ts'
import { expect, onTestFinished, test } from 'vitest'
import { systemScheduler } from '../src/scheduler.ts'
import { startSignalFeed } from '../src/signal-feed.ts'
import { openOutbox } from '../src/store/outbox.ts'

async function createTestBed() {
  const folder = mkdtempSync(join(tmpdir(), 'engine-contract-'))
  const outbox = openOutbox(folder)
  const feed = await startSignalFeed({
    host: '127.0.0.1',
    port: 0,
    key: 'secret',
    outbox,
    ticks: { add: (socket) => socket.close(), readers: () => 0 },
    candles: { respond: async () => ({ status: 404, body: { error: 'None' } }) },
    nowMs: Date.now,
    messageTime: Date.now,
    schedule: systemScheduler,
    status: () => ({}),
    statusMessage: () => ({ type: 'status' }),
  })
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await feed.close()
    outbox.close()
    rmSync(folder, { recursive: true })
  })
  return { outbox, feed, stop }
}

const createSignalText = (id: string) =>
  JSON.stringify({
    id,
    asset: 'BTC/USDT',
    anomalyType: 'Price move',
    confidence: 43.5,
    regime: 'Calm',
    summary: 'Price fell 1.23% in 4 min on 5.3× usual volume.',
    priority: 'high',
    observedAt: new Date().toISOString(),
  })

test('server: gets a wrong-key error when the engine has another key', async () => {
  const { feed, stop } = await createTestBed()
  const connection = {
    endpoint: feed.url,
    apiKey: 'wrong',
    allowPrivate: true,
    onOpen() {},
    onMessages: async () => {},
  }
  expect(await connectFeed(connection, stop.signal)).toBe('The endpoint refused the API key')
})

test('server: receives 3,000 signals in order when it stores them slowly', async () => {
  const { outbox, feed, stop } = await createTestBed()
  const ids = Array.from({ length: 3_000 }, (_, index) => `s${index}`)
  outbox.add(ids.map((id) => ({ kind: 'signal', id, text: createSignalText(id), at: Date.now() })))
  const receivedIds: string[] = []
  let largestBatch = 0
  const connection = {
    endpoint: feed.url,
    apiKey: 'secret',
    allowPrivate: true,
    onOpen() {},
    async onMessages(raws: (string | null)[]) {
      largestBatch = Math.max(largestBatch, raws.length)
      await new Promise((resolve) => setImmediate(resolve))
      for (const raw of raws) {
        if (parseMessageType(raw ?? '') === 'status') continue
        const parsed = parseSignal(raw ?? '', new Date(), 'feed')
        receivedIds.push(parsed.ok ? parsed.signal.id : parsed.reason)
      }
    },
  }
  const feedEnd = connectFeed(connection, stop.signal)
  await expect.poll(() => receivedIds.length).toBe(3_000)
  expect(receivedIds).toEqual(ids)
  expect(largestBatch).toBeLessThanOrEqual(500)
  await expect.poll(outbox.waiting).toBe(0)
  stop.abort()
  expect(await feedEnd).toBe('Stopped')
})

test('server: accepts the oldest signal that the engine still sends when the server reads the signal an hour later', () => {
  const outbox = openOutbox(null)
  const at = Date.now()
  const isSent = (ageMs: number) => outbox.after(0, 1, at + ageMs).length === 1
  outbox.add([{ kind: 'signal', id: 'old', text: createSignalText('old'), at }])
  const ageMs = 86_400_000 - 3_600_000
  expect([isSent(ageMs - 1), isSent(ageMs)]).toEqual([true, false])
  expect(parseSignal(createSignalText('old'), new Date(at + ageMs + 3_600_000 - 1), 'feed')).toMatchObject({ ok: true })
})
