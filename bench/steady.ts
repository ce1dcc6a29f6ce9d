import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { compileProgram } from './compile-program.ts'
import { measureSteadyLoad } from './fanout/measure.ts'

/**
 * Publishes one alert per second to many subscribers and measures the delivery times. The
 * subscribers run in a separate process, which needs a C compiler.
 * Usage: node --import tsx bench/steady.ts [subscribers = 10000] [seconds = 600]
 */
const SUBSCRIBER_COUNT = Number(process.argv[2] ?? 10_000)
const SECONDS = Number(process.argv[3] ?? 600)

const dir = await mkdtemp(join(tmpdir(), 'tocsin-steady-'))
const subscribers = compileProgram(dir, 'fanout/subscribers')
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
try {
  console.log(describeMachine())
  const steadyFigures = await measureSteadyLoad(
    { database, chain, dir, subscribers, floor: '' },
    SUBSCRIBER_COUNT,
    SECONDS,
  )
  const { alerts, medianMs, worstP99Ms, worstLastMs, rssMiB, cores } = steadyFigures
  console.log(
    `load average at the end ${loadavg()[0]?.toFixed(1)}; ${SUBSCRIBER_COUNT} subscribers, ${alerts} alerts in ${SECONDS} s, each reached all of them; median ${medianMs.toFixed(1)} ms, worst 99 % ${worstP99Ms.toFixed(1)} ms, worst last ${worstLastMs.toFixed(1)} ms`,
  )
  console.log(
    `RSS MiB at a quarter, half, three quarters, end: ${rssMiB.map(Math.round).join(', ')}; ${cores.toFixed(2)} cores`,
  )
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}
