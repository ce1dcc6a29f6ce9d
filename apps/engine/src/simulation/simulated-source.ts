import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { formatMarketKey } from '../market.ts'
import type { MonotonicClock } from '../monotonic-clock.ts'
import type { Runner } from '../runner.ts'
import type { SourceStatus } from '../sources/venue-source.ts'
import type { MarketEvent } from '../tick-feed.ts'
import { listings } from './assets.ts'
import type { Simulation } from './simulation.ts'

const CLOCK_MS = 1_000
/**
 * Maximum number of events between two turns of the event loop. It keeps the process responsive
 * while the market catches up after a pause.
 */
const MAX_EVENTS_PER_TURN = 2_000

/**
 * Passes the trades of the simulated market to the engine at their times, until the signal aborts.
 */
export function startSimulatedSource(
  simulation: Simulation,
  runner: Pick<Runner, 'ingest' | 'eventTime' | 'positions'>,
  { nowMs }: Pick<MonotonicClock, 'nowMs'>,
  offer: (event: MarketEvent) => void,
  signal: AbortSignal,
) {
  const ingestedPosition = { eventTime: runner.eventTime(), positions: new Map(runner.positions()) }
  let trades = 0
  let clockAt = 0
  let runningPass: Promise<void> | null = null

  const passTrades = async () => {
    const until = nowMs()
    for (const event of simulation.trades(until, ingestedPosition)) {
      runner.ingest(event)
      if (event.type === 'tick') offer(event)
      trades += 1
      if (trades % MAX_EVENTS_PER_TURN === 0) await yieldToEventLoop()
      if (signal.aborted) return
    }
    if (until < clockAt + CLOCK_MS) return
    clockAt = until
    runner.ingest({ type: 'clock', at: until })
  }
  return {
    advance() {
      runningPass ??= passTrades().finally(() => {
        runningPass = null
      })
    },
    /** Resolves when no events are being passed. */
    idle: async () => runningPass,
    status: (): SourceStatus[] => [
      {
        venue: 'simulated',
        state: 'connected',
        connections: 0,
        lastEnd: null,
        rejected: null,
        refused: {},
        markets: listings.map(({ venue, market }) => {
          const key = formatMarketKey({ venue, name: market })
          const newestPosition = runner.positions().get(key) ?? null
          return {
            market: key,
            newest: newestPosition,
            trades: newestPosition?.number ?? 0,
            lagMs: null,
            gapsFilled: 0,
            tradesFilled: 0,
            gapsLost: 0,
            isCatchingUp: runningPass !== null,
            refused: {},
          }
        }),
      },
    ],
  }
}
