import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { compileProgram } from './compile-program.ts'
import { startFloor, startProduct, writePlaceholderSubscribers } from './fanout/measure.ts'
import { prepareComparisonServers } from './fanout/peers.ts'
import type { Server } from './fanout/servers.ts'
import { findRegressions } from './table/find-regressions.ts'
import { type Candidate, type FanOut, IN_FLIGHT_ALERTS, measureFanOut, measureRate } from './table/phases.ts'
import { formatNumber, formatTable, type RowHead, Samples, type Table } from './table/table.ts'

/**
 * Measures the product, a minimal C server (the floor) and other WebSocket servers in one run, and
 * prints one table. Each repetition measures all of them one after the other, so that other load
 * affects all of them. Linux only; needs a C compiler.
 * Usage: npm run bench [-- --repetitions 5 --receivers 500,5000,10000 --seconds 10 --save --check]
 * --save stores the table in bench/table.json. --check compares the figures of the product with
 * the stored table and fails if one became worse by more than 15 %.
 */
const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '5' },
    receivers: { type: 'string', default: '500,5000,10000' },
    /** Duration of the measurement at a fixed rate. */
    seconds: { type: 'string', default: '10' },
    save: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const repetitions = readNumber(values.repetitions)
const receiverCounts = values.receivers.split(',').map(readNumber)
const FIXED_RATE_LOAD = { receivers: 1_000, perSecond: 50, seconds: readNumber(values.seconds) }
const MIN_REPETITIONS = 5
const TOLERANCE = 0.15
const FLOOR = 'floor (C)'
const PRODUCT = 'Tocsin'
/**
 * With fewer receivers, the memory of the connections is smaller than the variation that the
 * garbage collector causes.
 */
const MIN_MEMORY_RECEIVERS = 5_000
const TABLE_FILE = join(import.meta.dirname, 'table.json')

if (values.save && repetitions < MIN_REPETITIONS) {
  throw new Error(`A stored table needs at least ${MIN_REPETITIONS} repetitions`)
}
if (values.check && !existsSync(TABLE_FILE)) {
  throw new Error('There is no stored table. Store one with: npm run bench -- --save')
}

const table = await measureAll()
const { start, end } = table.load
console.log(
  `${table.date}, ${table.machine}, node ${table.node}, load average ${start.toFixed(1)} to ${end.toFixed(1)}; ` +
    `${repetitions} repetitions, median (lowest to highest)\n`,
)
console.log(formatTable(table))
if (values.check) await checkRegressions()
if (values.save && process.exitCode !== 1) await writeFile(TABLE_FILE, `${JSON.stringify(table, null, 2)}\n`)

function readNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`"${text}" is not a positive number`)
  return value
}

async function measureAll(): Promise<Table> {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
  const withSubscriberFile = (start: () => Promise<Server>) => async (count: number) => {
    const file = await writePlaceholderSubscribers({ dir }, count)
    return { server: await start(), file }
  }
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  try {
    const subscribers = compileProgram(dir, 'fanout/subscribers')
    const dependencies = { database, chain, dir, subscribers, floor: compileProgram(dir, 'fanout/floor') }
    const candidates: Candidate[] = [
      { name: FLOOR, protocol: 'websocket', start: withSubscriberFile(() => startFloor(dependencies)) },
      { name: PRODUCT, protocol: 'websocket', start: (count) => startProduct(dependencies, count) },
    ]
    for (const { name, version, protocol, start } of await prepareComparisonServers(printMissing)) {
      candidates.push({ name: `${name} ${version}`, protocol, start: withSubscriberFile(start) })
    }
    const loadAtStart = loadavg()[0] ?? 0
    const samples = await measureRepetitions(dependencies.subscribers, candidates)
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} x ${cpus()[0]?.model}`,
      node: process.version,
      load: { start: loadAtStart, end: loadavg()[0] ?? 0 },
      repetitions,
      candidates: candidates.map(({ name }) => name),
      rows: samples.summarise(),
    }
  } finally {
    await Promise.all([database.stop(), chain.stop()])
    await rm(dir, { recursive: true, force: true })
  }
}

function printMissing(name: string, reason: string): void {
  console.log(`${name} is left out: ${reason}`)
}

/**
 * Measures all candidates one after the other. Each repetition starts with a different candidate.
 * If a candidate other than the floor and the product fails, it is not measured again.
 */
async function measureRepetitions(program: string, candidates: readonly Candidate[]): Promise<Samples> {
  const samples = new Samples()
  const failedNames = new Set<string>()
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const first = repetition % candidates.length
    const order = [...candidates.slice(first), ...candidates.slice(0, first)]
    const tryMeasure = async <T>(name: string, description: string, measure: () => Promise<T>): Promise<T | null> => {
      if (failedNames.has(name)) return null
      console.error(`repetition ${repetition + 1} of ${repetitions}: ${description}, ${name}`)
      try {
        return await measure()
      } catch (error) {
        if (name === FLOOR || name === PRODUCT) throw error
        failedNames.add(name)
        printMissing(name, error instanceof Error ? error.message : String(error))
        return null
      }
    }
    for (const receivers of receiverCounts) {
      const figuresByCandidate = new Map<string, FanOut>()
      for (const candidate of order) {
        const measure = () => measureFanOut(program, candidate, receivers)
        const figures = await tryMeasure(candidate.name, `${receivers} receivers`, measure)
        if (figures) figuresByCandidate.set(candidate.name, figures)
      }
      addRound(samples, figuresByCandidate, receivers)
    }
    for (const candidate of order) {
      const measure = () => measureRate(program, candidate, FIXED_RATE_LOAD.receivers, FIXED_RATE_LOAD)
      const figures = await tryMeasure(candidate.name, `${FIXED_RATE_LOAD.perSecond} alerts per second`, measure)
      if (!figures) continue
      const name = `${formatCount(FIXED_RATE_LOAD.receivers)} receivers, ${FIXED_RATE_LOAD.perSecond} alerts/s`
      samples.add(createLowerIsBetterHead(`${name}: CPU`, 'cores'), candidate.name, figures.cores)
      samples.add(createLowerIsBetterHead(`${name}: 99th percentile`, 'ms'), candidate.name, figures.p99Ms)
    }
  }
  return samples
}

/** Adds the figures of one repetition and one number of receivers. */
function addRound(samples: Samples, figuresByCandidate: ReadonlyMap<string, FanOut>, receivers: number): void {
  const lastOfFloorMs = figuresByCandidate.get(FLOOR)?.lastMs ?? Number.NaN
  const count = `${formatCount(receivers)} receivers`
  const saturated = `${count}: saturated, ${IN_FLIGHT_ALERTS} alerts outstanding`
  for (const [candidate, figures] of figuresByCandidate) {
    const add = (head: RowHead, value: number) => samples.add(head, candidate, value)
    add(createLowerIsBetterHead(`${count}: last`, 'ms'), figures.lastMs)
    add(createLowerIsBetterHead(`${count}: last, compared with the floor`, '×'), figures.lastMs / lastOfFloorMs)
    add(createLowerIsBetterHead(`${count}: commit to first byte`, 'ms'), figures.firstMs)
    add(createLowerIsBetterHead(`${count}: CPU per delivery`, 'µs'), figures.cpuUs)
    add({ name: saturated, unit: 'deliveries/s', isHigherBetter: true }, figures.perSecond)
    add(createLowerIsBetterHead(`${count}: CPU per delivery, saturated`, 'µs'), figures.saturatedCpuUs)
    add(createLowerIsBetterHead(`${count}: CPU to connect and authenticate`, 'µs'), figures.connectCpuUs)
    if (receivers >= MIN_MEMORY_RECEIVERS)
      add(createLowerIsBetterHead(`${count}: memory per connection`, 'KB'), figures.memoryKb)
  }
}

function createLowerIsBetterHead(name: string, unit: string): RowHead {
  return { name, unit, isHigherBetter: false }
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Prints the figures that became worse, and sets the exit code. */
async function checkRegressions(): Promise<void> {
  // The file was written by this program.
  const before: Table = JSON.parse(await readFile(TABLE_FILE, 'utf8'))
  const formatMachine = ({ machine, node }: Table) => `${machine}, node ${node}`
  console.log(`\nCompared with the table of ${before.date}:`)
  if (formatMachine(before) !== formatMachine(table))
    console.log(`That table was measured on ${formatMachine(before)}.`)
  const regressions = findRegressions(before, table, PRODUCT, TOLERANCE)
  for (const { row, earlierMedian: earlier, currentMedian } of regressions) {
    const change =
      currentMedian === null
        ? 'was not measured'
        : `is now ${formatNumber(currentMedian)}, before ${formatNumber(earlier)}`
    console.log(`- ${row.name}, ${row.unit}: ${change}`)
  }
  if (regressions.length === 0) console.log(`No figure of ${PRODUCT} became worse by more than ${TOLERANCE * 100} %.`)
  else process.exitCode = 1
}
