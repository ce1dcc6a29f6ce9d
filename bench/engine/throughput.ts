/**
 * Measures the trades per second through the engine core on one CPU core and the memory per market.
 * For comparison, also measures a C program that only builds the same bars.
 * Usage: node --expose-gc --import tsx bench/engine/throughput.ts [millions of trades] [runs]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Engine, type Tick } from '@tocsin/engine'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'

const MARKETS = 10
/** Number of markets in the measurement of memory. */
const MANY_MARKETS = 200
const BATCH = 100_000
const START_MS = Date.parse('2026-03-02T00:00:00.000Z')
/** Time between two trades: about ten trades per second and market. */
const TRADE_INTERVAL_MS = 10

const millions = Number(process.argv[2] ?? 10)
const runCount = Number(process.argv[3] ?? 3)

/**
 * Creates a batch with trades of all markets in turn. `advanceBatch` reuses its objects for the
 * next batch, with later times and numbers.
 */
function createBatch(markets: number): Tick[] {
  const names = Array.from({ length: markets }, (_, i) => `A${i}/USDT`)
  const random = createRandom(1)
  const prices = names.map(() => 100)
  return Array.from({ length: BATCH }, (_, i) => {
    const market = i % markets
    prices[market] = (prices[market] ?? 100) * (1 + 0.0001 * (random() - 0.5))
    const price = prices[market] ?? 100
    const takerSide = random() < 0.5 ? 'buy' : 'sell'
    const number = Math.floor(i / markets)
    const at = START_MS + i * TRADE_INTERVAL_MS
    return {
      type: 'tick',
      venue: 'binance',
      market: names[market] ?? '',
      number,
      count: 1,
      at,
      price,
      amount: random(),
      takerSide,
    }
  })
}

function advanceBatch(batch: Tick[], markets: number): void {
  for (const tick of batch) {
    tick.number += BATCH / markets
    tick.at += BATCH * TRADE_INTERVAL_MS
  }
}

function readHeapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function measureSpeed(): void {
  const batch = createBatch(MARKETS)
  const engine = createEngine()
  let busyUs = 0
  for (let doneTicks = 0; doneTicks < millions * 1e6; doneTicks += BATCH) {
    busyUs += feedBatch(engine, batch)
    advanceBatch(batch, MARKETS)
  }
  const size = formatKib(engine.snapshot().length / MARKETS)
  console.log(`  ${((millions * 1e6) / busyUs).toFixed(1)} M trades/s of CPU time, snapshot ${size} a market`)
}

/**
 * Measures the heap of an engine per market. With many markets, fixed costs and noise hardly affect
 * the result.
 */
function measureMemory(): void {
  const batch = createBatch(MANY_MARKETS)
  warmUp(batch)
  advanceBatch(batch, MANY_MARKETS)
  const heapBefore = readHeapBytes()
  const engine = createEngine()
  for (let doneTicks = BATCH; doneTicks <= 10e6; doneTicks += BATCH) {
    feedBatch(engine, batch)
    advanceBatch(batch, MANY_MARKETS)
    if (doneTicks === 1e6 || doneTicks === 5e6 || doneTicks === 10e6) {
      console.log(
        `  after ${doneTicks / 1e6} M trades ${formatKib((readHeapBytes() - heapBefore) / MANY_MARKETS)} a market`,
      )
    }
  }
  console.log(`  snapshot ${formatKib(engine.snapshot().length / MANY_MARKETS)} a market`)
}

/** A separate function, so that no stack frame of the caller keeps the warm-up engine in memory. */
function warmUp(batch: readonly Tick[]): void {
  feedBatch(createEngine(), batch)
}

/** Runs the engine over a batch and returns the CPU time in microseconds. */
function feedBatch(engine: Engine, batch: readonly Tick[]): number {
  const cpuBefore = process.cpuUsage()
  for (const tick of batch) engine.step(tick)
  const { user, system } = process.cpuUsage(cpuBefore)
  return user + system
}

const formatKib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`

console.log(`engine core, ${MARKETS} markets, ${millions} M trades`)
for (let run = 0; run < runCount; run++) measureSpeed()
console.log(`memory, ${MANY_MARKETS} markets`)
measureMemory()

const folder = mkdtempSync(join(tmpdir(), 'floor-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
const program = join(folder, 'floor')
execFileSync('cc', ['-O3', '-o', program, join(import.meta.dirname, 'floor.c'), '-lm'])
console.log('floor in C, bars only')
for (let run = 0; run < runCount; run++)
  console.log(
    `  ${execFileSync(program, [String(millions)])
      .toString()
      .trim()}`,
  )
