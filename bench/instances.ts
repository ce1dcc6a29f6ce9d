import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { compileProgram } from './compile-program.ts'
import { type Dependencies, measureInstances } from './fanout/measure.ts'

/**
 * Measures how long an alert takes to reach the subscribers of one instance and of two instances.
 * All instances and subscribers run on this machine, so two instances need four cores to be as fast
 * as one instance on two cores. Needs a C compiler.
 * Usage: node --import tsx bench/instances.ts [subscribers of an instance = 2500] [runs = 3]
 */
const SUBSCRIBER_COUNT = Number(process.argv[2] ?? 2_500)
const RUNS = Number(process.argv[3] ?? 3)

const dir = await mkdtemp(join(tmpdir(), 'tocsin-instances-'))
const subscribers = compileProgram(dir, 'fanout/subscribers')
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const dependencies: Dependencies = { database, chain, dir, subscribers, floor: '' }
try {
  console.log(describeMachine())
  console.log('milliseconds from the commit: first, median, 99th percentile, last; medians of 30 alerts')
  for (let run = 0; run < RUNS; run += 1) {
    for (const [instances, count] of [
      [1, SUBSCRIBER_COUNT],
      [2, SUBSCRIBER_COUNT],
      [1, 2 * SUBSCRIBER_COUNT],
    ] as const) {
      const instanceTimes = await measureInstances(dependencies, count, instances)
      const texts = instanceTimes.map((times) => times.map((ms) => ms.toFixed(1)).join(', '))
      console.log(`${instances} x ${count}: ${texts.join(' | ')}`)
    }
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)} at the end`)
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}
