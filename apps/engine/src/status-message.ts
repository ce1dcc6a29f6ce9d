import type { Overview, Prediction } from '@tocsin/engine'
import { type EngineStatus, statusLimits } from '@tocsin/protocol/engine-status'
import { formatIsoMs, getMode, type StatusInput } from './status.ts'

export interface StatusMessageInput extends StatusInput {
  /** Random name of this run. */
  run: string
  overview: Overview
  /** Predictions without an outcome. */
  predictions: readonly Prediction[]
  /**
   * The time that decides whether an outcome is due. In a replay it is not the time of the machine.
   */
  outcomeTimeMs: number
}

/** Limit of docs/signal-protocol.md. */
const MAX_TEXT = 200

/**
 * Creates the status that the feed sends to products. It contains no key, no path and no address.
 */
export function createStatusMessage(input: StatusMessageInput): EngineStatus {
  const { settings, model, sources, overview, nowMs } = input
  const markets = sources.flatMap((source) => source.markets)
  return {
    type: 'status',
    run: input.run,
    startedAt: formatIsoMs(input.startedAtMs),
    sentAt: formatIsoMs(nowMs),
    mode: getMode(settings),
    model,
    eventTime: formatTimeOrNull(input.eventTime),
    clockSetBackMs: Math.max(0, Math.round(input.setBackMs)),
    messages: { waiting: input.messages.waiting, leftOut: input.counts.leftOut },
    predictions: countPredictions(input.predictions, input.outcomeTimeMs),
    sources: sources.map(({ venue, state, connections, lastEnd, rejected, refused, markets: ownMarkets }) => ({
      venue,
      state,
      connections,
      lastEnd: lastEnd === null ? null : toOneLine(lastEnd, MAX_TEXT),
      rejected: rejected === null ? null : toOneLine(rejected, MAX_TEXT),
      refused: [refused, ...ownMarkets.map((market) => market.refused)].reduce(
        (total, reasons) => total + sumCounts(reasons),
        0,
      ),
    })),
    markets: markets.slice(0, statusLimits.markets).map((market) => ({
      market: toOneLine(market.market, 80),
      newestTradeAt: formatTimeOrNull(market.newest?.at ?? 0),
      lagMs: market.lagMs === null ? null : Math.max(0, Math.round(market.lagMs)),
      trades: market.trades,
      gapsFilled: market.gapsFilled,
      tradesFilled: market.tradesFilled,
      gapsLost: market.gapsLost,
      isCatchingUp: market.isCatchingUp,
    })),
    leftOut: {
      markets: Math.max(0, markets.length - statusLimits.markets),
      assets: Math.max(0, overview.assets.length - statusLimits.assets),
    },
    days: overview.days.map(({ start, minutes }) => ({ day: formatIsoMs(start).slice(0, 10), minutes })),
    assets: overview.assets.slice(0, statusLimits.assets).map(({ asset, alerts, criticalAt, highAt, peaks }) => ({
      asset: toOneLine(asset, 40),
      alerts,
      criticalAt: formatTimeOrNull(criticalAt),
      highAt: formatTimeOrNull(highAt),
      peaks,
    })),
    triedThresholds: [...overview.triedThresholds],
    thresholds: overview.thresholds,
  }
}

function countPredictions(predictions: readonly Prediction[], nowMs: number): EngineStatus['predictions'] {
  const counts = { open: 0, due: 0, overdue: 0 }
  for (const { startsAt, horizonSeconds, resolveBy } of predictions) {
    if (nowMs > Date.parse(resolveBy)) counts.overdue += 1
    else if (nowMs >= Date.parse(startsAt) + horizonSeconds * 1_000) counts.due += 1
    else counts.open += 1
  }
  return counts
}

/**
 * Cleans a text of an exchange or a setting: replaces characters that the protocol does not allow,
 * and cuts the text to `max` characters.
 */
function toOneLine(text: string, max: number): string {
  const cleanText = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu, ' ').slice(0, max)
  // The cut may have left half of a surrogate pair.
  return cleanText.replace(/\p{Surrogate}/u, '').trim() || '?'
}

function sumCounts(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

function formatTimeOrNull(ms: number): string | null {
  return ms === 0 ? null : formatIsoMs(ms)
}
