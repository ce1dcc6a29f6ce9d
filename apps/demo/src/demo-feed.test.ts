import { type Signal, signal } from '@tocsin/protocol'
import type { Scheduler } from '@tocsin/server/scheduler.ts'
import { fakeClock } from '@tocsin/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type DemoFeed, startDemoFeed } from './demo-feed.ts'
import { makeSignal } from './demo-signal.ts'

const apiKey = 'key-of-the-feed'

/** A linear congruential generator, for reproducible numbers. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

describe('a generated signal', () => {
  const random = createRandom(7)
  const { now } = fakeClock()
  const signals = Array.from({ length: 2_000 }, () => makeSignal(random, now()))

  it('is valid according to the protocol', () => {
    for (const made of signals) expect(signal.safeParse(made).error).toBeUndefined()
  })

  it('differs each time, and is the same for the same random numbers', () => {
    expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length)
    expect(new Set(signals.map(({ summary }) => summary)).size).toBeGreaterThan(1_800)
    expect(makeSignal(createRandom(3), now())).toEqual(makeSignal(createRandom(3), now()))
  })

  it('has every priority, higher ones more rarely and with higher confidence', () => {
    const of = (priority: Signal['priority']) => signals.filter((made) => made.priority === priority)
    const average = (some: Signal[]) => some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length
    const [low, medium, high, critical] = [of('low'), of('medium'), of('high'), of('critical')]
    expect(critical.length).toBeGreaterThan(20)
    expect(critical.length).toBeLessThan(high.length)
    expect(high.length).toBeLessThan(medium.length)
    expect(average(low)).toBeLessThan(average(medium))
    expect(average(high)).toBeLessThan(average(critical))
  })
})

describe('the demo feed', () => {
  let feed: DemoFeed | undefined
  afterEach(() => feed?.close())

  it.each([
    ['no key', {}],
    ['another key', { authorization: 'Bearer another' }],
    ['the bare key', { authorization: apiKey }],
  ])('refuses %s', async (_name, headers) => {
    feed = await startDemoFeed({ apiKey })
    const ws = new WebSocket(feed.url, { headers })
    const [, response] = await new Promise<[unknown, { statusCode?: number | undefined }]>((resolve) =>
      ws.on('error', () => {}).on('unexpected-response', (request, answer) => resolve([request, answer])),
    )
    expect(response.statusCode).toBe(401)
    ws.terminate()
  })

  it('sends a signal after eight seconds, then every 20 to 60', async () => {
    const delays: number[] = []
    const scheduled: (() => void)[] = []
    const schedule: Scheduler = {
      after(delayMs, run) {
        delays.push(delayMs)
        scheduled.push(run)
        return () => {}
      },
      every: () => () => {},
    }
    feed = await startDemoFeed({ apiKey, random: createRandom(1), schedule })
    const ws = new WebSocket(feed.url, { headers: { authorization: `Bearer ${apiKey}` } })
    await new Promise((resolve) => ws.on('open', resolve))
    for (let sent = 0; sent < 50; sent++) {
      const message = new Promise<string>((resolve) => ws.once('message', (data) => resolve(data.toString())))
      scheduled.shift()?.()
      expect(signal.parse(JSON.parse(await message)).id).toMatch(/^demo-/)
    }
    const [first, ...rest] = delays
    expect(first).toBe(8_000)
    expect(Math.min(...rest)).toBeGreaterThanOrEqual(20_000)
    expect(Math.max(...rest)).toBeLessThan(60_000)
  })
})
