import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { compileProgram } from './compile-program.ts'
import { type FloodBehaviour, type FloodFigures, flood } from './fanout/flooder.ts'
import { publishOne, startProduct, startSubscribers } from './fanout/measure.ts'
import type { Server } from './fanout/servers.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures how one client that floods the stream affects the others. For each kind of flood, rounds
 * with and without the flood alternate, so that other load affects both equally. Needs a C
 * compiler.
 * Usage: node --import tsx bench/flood.ts [subscribers = 1000] [rounds = 6] [alerts = 60]
 */
const SUBSCRIBER_COUNT = Number(process.argv[2] ?? 1_000)
const ROUNDS = Number(process.argv[3] ?? 6)
const ALERTS = Number(process.argv[4] ?? 60)
/** Number of missed alerts that the flooder requests: close to the limit of a backfill. */
const MISSED_ALERT_COUNT = 900
/**
 * Pause between two alerts. It is not a multiple of the flood's interval, so that the alerts are
 * issued at different times within the interval.
 */
const PAUSE_MS = 83

const dir = await mkdtemp(join(tmpdir(), 'tocsin-flood-'))
const subscribers = compileProgram(dir, 'fanout/subscribers')
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
try {
  console.log(
    `${describeMachine()}; ${SUBSCRIBER_COUNT} subscribers, ${ROUNDS} rounds of ${ALERTS} alerts without and with`,
  )
  // Each line of the file has the cookie and wallet of one client. The flooder uses the last line.
  const { server, file } = await startProduct({ database, chain, dir, subscribers, floor: '' }, SUBSCRIBER_COUNT + 1)
  await server.publish(MISSED_ALERT_COUNT)
  const normalSubscribers = await startSubscribers({ subscribers }, server.port, {
    count: SUBSCRIBER_COUNT,
    slow: 0,
    alertsPerReport: 1,
    file,
  })
  const [cookie = '', walletAddress = ''] = (await readFile(file, 'utf8')).trim().split('\n').at(-1)?.split(' ') ?? []
  let publishedCount = MISSED_ALERT_COUNT
  const createAuthMessage = (extraFields: object = {}) =>
    JSON.stringify({ type: 'authenticate', walletAddress, ...extraFields })
  const createResumeMessage = () => createAuthMessage({ lastIndex: publishedCount - MISSED_ALERT_COUNT })
  const kinds: [string, () => FloodBehaviour][] = [
    [
      'authenticates, 1,000 a second',
      () => ({ message: createAuthMessage(), perSecond: 1_000, maxMessages: Infinity, isRelentless: false }),
    ],
    [
      'authenticates within the limit',
      () => ({ message: createAuthMessage(), perSecond: 1_000, maxMessages: 100, isRelentless: false }),
    ],
    [
      'the same, and requests 900 alerts',
      () => ({ message: createResumeMessage(), perSecond: 1_000, maxMessages: 100, isRelentless: false }),
    ],
    [
      'authenticates, 100,000 a second',
      () => ({ message: createAuthMessage(), perSecond: 100_000, maxMessages: Infinity, isRelentless: false }),
    ],
    [
      'malformed, reconnects immediately',
      () => ({ message: '{"type":', perSecond: 1_000, maxMessages: Infinity, isRelentless: true }),
    ],
  ]
  const publishAndMeasure = async () => {
    publishedCount += 1
    return (await publishOne(server, normalSubscribers)).slice(4)
  }
  for (const [name, behaviour] of kinds) {
    await compareWithFlood(name, server, publishAndMeasure, () => flood(server.port, cookie, behaviour()))
  }
  normalSubscribers.stop()
  await server.stop()
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}

async function compareWithFlood(
  name: string,
  server: Server,
  publish: () => Promise<number[]>,
  begin: () => () => Promise<FloodFigures>,
): Promise<void> {
  const baselineTimes: number[][] = []
  const floodedTimes: number[][] = []
  const floodFigures: FloodFigures[] = []
  const cpuUs = { quiet: 0, flooded: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const isFlooded of round % 2 === 0 ? [false, true] : [true, false]) {
      const cpuUsBefore = await server.getCpuUs()
      const stop = isFlooded ? begin() : null
      const times = await publishMany(publish)
      if (stop) floodFigures.push(await stop())
      cpuUs[isFlooded ? 'flooded' : 'quiet'] += (await server.getCpuUs()) - cpuUsBefore
      ;(isFlooded ? floodedTimes : baselineTimes).push(times)
    }
  }
  const sumFigures = (key: keyof FloodFigures) => floodFigures.reduce((total, figures) => total + figures[key], 0)
  console.log(`${name}; load average ${loadavg()[0]?.toFixed(1)}`)
  for (const share of [0.5, 0.99, 1]) {
    const [withoutFloodMs, withFloodMs] = [
      computePercentile(baselineTimes.flat(), share),
      computePercentile(floodedTimes.flat(), share),
    ]
    const ratios = baselineTimes.map(
      (times, round) => computePercentile(floodedTimes[round] ?? [], share) / computePercentile(times, share),
    )
    console.log(
      `  ${share * 100} % of deliveries within ${withoutFloodMs.toFixed(1)} ms without, ${withFloodMs.toFixed(1)} ms with it (${(withFloodMs / withoutFloodMs).toFixed(2)}); the rounds' ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`,
    )
  }
  console.log(
    `  ${sumFigures('messages')} messages, ${sumFigures('accepted')} sockets, ${sumFigures('refused')} refused; a socket lived ${Math.max(...floodFigures.map((one) => one.longestOpenMs)).toFixed(0)} ms at most; server ${(cpuUs.flooded / 1_000).toFixed(0)} ms of CPU instead of ${(cpuUs.quiet / 1_000).toFixed(0)}`,
  )
}

/** Publishes the alerts and returns all percentiles of the delivery times of each alert, in ms. */
async function publishMany(publish: () => Promise<number[]>): Promise<number[]> {
  const times: number[] = []
  for (let alert = 0; alert < ALERTS; alert += 1) {
    times.push(...(await publish()))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return times
}
