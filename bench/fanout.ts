import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { compileProgram } from './compile-program.ts'
import {
  type DeliveryFigures,
  type Dependencies,
  measureFloor,
  measurePeer,
  measureProduct,
  measureSlowReaders,
} from './fanout/measure.ts'
import { prepareComparisonServers } from './fanout/peers.ts'

/**
 * Measures how long an alert takes to reach all subscribers of the product, of a broadcast loop
 * with the package ws, and of a minimal C server. The three are measured in turn, so that other
 * load affects all of them. Then measures the product with 500 and 10,000 subscribers, and with
 * 10,000 subscribers of which 1,000 never read. The subscribers run in a separate process, which
 * needs a C compiler.
 * Usage: node --import tsx bench/fanout.ts [subscribers = 5000] [runs = 3]
 */
const SUBSCRIBER_COUNT = Number(process.argv[2] ?? 5_000)
const RUNS = Number(process.argv[3] ?? 3)

type MeasuredServer = readonly [name: string, measure: (count: number) => Promise<DeliveryFigures>]

const dir = await mkdtemp(join(tmpdir(), 'tocsin-fanout-'))
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const dependencies: Dependencies = {
  database,
  chain,
  dir,
  subscribers: compileProgram(dir, 'fanout/subscribers'),
  floor: compileProgram(dir, 'fanout/floor'),
}
try {
  console.log(describeMachine())
  console.log('milliseconds from the commit, medians')
  const comparisonServers = await prepareComparisonServers(
    (name, reason) => console.log(`${name} is left out: ${reason}`),
    ['ws'],
  )
  const kinds: MeasuredServer[] = [
    ['floor (C)', (count) => measureFloor(dependencies, count)],
    ...comparisonServers.map((peer): MeasuredServer => [peer.name, (count) => measurePeer(dependencies, peer, count)]),
    ['the product', (count) => measureProduct(dependencies, count)],
  ]
  const runsByName = new Map<string, DeliveryFigures[]>()
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, measure] of kinds)
      runsByName.set(name, [...(runsByName.get(name) ?? []), await measure(SUBSCRIBER_COUNT)])
  }
  for (const [name, measured] of runsByName) printRow(name, SUBSCRIBER_COUNT, getMedian(measured))
  for (const count of [500, 10_000]) printRow('the product', count, await measureProduct(dependencies, count))
  const { readerFigures, disconnectedAfterSeconds, memoryGrowthMiB } = await measureSlowReaders(
    dependencies,
    10_000,
    1_000,
  )
  printRow('1,000 never read', 10_000, readerFigures)
  console.log(
    `disconnected ${disconnectedAfterSeconds.toFixed(1)} s after the first unread alert; RSS grew by at most ${memoryGrowthMiB.toFixed(0)} MiB`,
  )
  console.log(`load average ${loadavg().map((load) => load.toFixed(1))} at the end`)
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}

function getMedian(measured: DeliveryFigures[]): DeliveryFigures {
  const getMedianOf = (key: keyof DeliveryFigures) => {
    const values = measured.map((each) => each[key]).sort((a, b) => a - b)
    return values[Math.floor(values.length / 2)] ?? 0
  }
  return {
    firstMs: getMedianOf('firstMs'),
    medianMs: getMedianOf('medianMs'),
    p99Ms: getMedianOf('p99Ms'),
    lastMs: getMedianOf('lastMs'),
    deliveriesPerSecond: getMedianOf('deliveriesPerSecond'),
    kbPerConnection: getMedianOf('kbPerConnection'),
  }
}

function printRow(
  name: string,
  count: number,
  { firstMs, medianMs, p99Ms, lastMs, deliveriesPerSecond, kbPerConnection }: DeliveryFigures,
): void {
  const times = [firstMs, medianMs, p99Ms, lastMs].map((ms) => ms.toFixed(1).padStart(8)).join('')
  const saturationText =
    `${Math.round(deliveriesPerSecond / 1_000)}k/s`.padStart(9) + `${kbPerConnection.toFixed(1)} KB`.padStart(10)
  console.log(
    `${name.padEnd(18)}${String(count).padStart(7)} first, median, p99, last${times} saturated${saturationText} each`,
  )
}
