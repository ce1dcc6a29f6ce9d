import type { Model } from '@tocsin/proof'
import type { Settings } from './settings.ts'
import type { SourceStatus } from './sources/venue-source.ts'

export interface StatusInput {
  settings: Settings
  model: Model
  startedAtMs: number
  nowMs: number
  setBackMs: number
  eventTime: number
  counts: { alerts: number; leftOut: number; tooLarge: number }
  messages: { kept: number; waiting: number; overdueOutcomes: number }
  products: number
  sources: SourceStatus[]
}

export type EngineStatus = ReturnType<typeof presentStatus>

/** Returns the body of GET /status. It contains no key, no path and no address. */
export function presentStatus(input: StatusInput) {
  const { settings, model, nowMs, sources } = input
  return {
    mode: getMode(settings),
    model,
    startedAt: formatIsoMs(input.startedAtMs),
    now: formatIsoMs(nowMs),
    eventTime: input.eventTime === 0 ? null : formatIsoMs(input.eventTime),
    clockSetBackMs: Math.round(input.setBackMs),
    products: input.products,
    alerts: input.counts,
    messages: input.messages,
    sources: sources.map(({ markets, ...source }) => ({
      ...source,
      markets: markets.map(({ newest, ...market }) => ({
        ...market,
        newestTradeAt: newest ? formatIsoMs(newest.at) : null,
        newestTradeNumber: newest?.number ?? null,
        ageMs: newest ? Math.max(0, nowMs - newest.at) : null,
      })),
    })),
  }
}

export function getMode({ replay, simulation }: Settings): 'live' | 'replay' | 'simulated' {
  if (simulation) return 'simulated'
  return replay ? 'replay' : 'live'
}

export function formatIsoMs(ms: number): string {
  return new Date(ms).toISOString()
}
