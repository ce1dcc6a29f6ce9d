import { expect, test } from 'vitest'
import { IssuedDeliveries } from '../../issued-deliveries.ts'
import { createChannelPause } from './channel-pause.ts'

/** Creates a channel pause with a test clock. `isOver` returns whether no pause is running. */
function createTestPause(nowMs: () => number, receivers = 5_000) {
  const issued = new IssuedDeliveries()
  issued.countReceivers = () => receivers
  const pausesMs: number[] = []
  const stop = new AbortController()
  const channelPause = createChannelPause({ issued }, stop.signal, {
    nowMs,
    pauseThread: (ms) => void pausesMs.push(ms),
  })
  const isOver = async () => {
    let isDone = false
    void channelPause.waitForEnd().then(() => {
      isDone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    return isDone
  }
  return { issued, channelPause, isOver, stop, paused: pausesMs }
}

test('createChannelPause: channel deliveries pause after an alert, and resume 110 ms later', async () => {
  let now = 1_000
  const { channelPause, isOver } = createTestPause(() => now)
  expect(await isOver()).toBe(true)
  channelPause.begin()
  expect(await isOver()).toBe(false)
  now += 110
  expect(await isOver()).toBe(true)
})

test('createChannelPause: channel deliveries pause as soon as the commit of an alert begins', async () => {
  const { issued, isOver } = createTestPause(() => 1_000)
  let commit = () => {}
  issued.registerCommit(
    new Promise((resolve) => {
      commit = () => resolve(null)
    }),
  )
  expect(await isOver()).toBe(false)
  commit()
  await issued.waitForCommits()
  expect(await isOver()).toBe(false)
})

test('createChannelPause: channel deliveries do not wait for a commit that takes longer than the pause', async () => {
  let now = 1_000
  const { issued, isOver } = createTestPause(() => now)
  issued.registerCommit(new Promise(() => {}))
  now += 110
  expect(await isOver()).toBe(true)
})

test('createChannelPause: channel deliveries run between two pauses even when alerts follow each other closely', async () => {
  let now = 1_000
  const { channelPause, isOver } = createTestPause(() => now)
  channelPause.begin()
  now += 110
  channelPause.begin()
  expect(await isOver()).toBe(true)
  now += 110
  channelPause.begin()
  expect(await isOver()).toBe(false)
})

test('createChannelPause: the pause of channel deliveries ends when the server stops', async () => {
  const { channelPause, isOver, stop } = createTestPause(() => 1_000)
  channelPause.begin()
  stop.abort()
  expect(await isOver()).toBe(true)
})

test.each([
  [1_000, 22],
  [5_000, 110],
  [100_000, 110],
])(
  'createChannelPause: with %d subscribers of the live stream, channel deliveries pause for %d ms',
  async (receivers, ms) => {
    let now = 1_000
    const { channelPause, isOver, paused } = createTestPause(() => now, receivers)
    channelPause.begin()
    expect(paused).toEqual([ms])
    now += ms
    expect(await isOver()).toBe(true)
  },
)

test('createChannelPause: without subscribers of the live stream, channel deliveries do not pause', async () => {
  const { channelPause, isOver } = createTestPause(() => 1_000, 0)
  channelPause.begin()
  expect(await isOver()).toBe(true)
})

test('createChannelPause: the sending thread is paused when a commit begins', () => {
  const { issued, paused } = createTestPause(() => 1_000)
  issued.registerCommit(Promise.resolve(null))
  expect(paused).toEqual([110])
})
