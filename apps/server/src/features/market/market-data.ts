import type { Prediction } from '@tocsin/proof'
import {
  type LivePrices,
  type MarketCandles,
  type MarketCandlesQuery,
  marketMessage,
  type PredictionProgress,
} from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { createOutageLog } from '../../outage-log.ts'
import { parseJson } from '../../parse-json.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { connectSource } from './connect-source.ts'
import { createMarketBook } from './market-book.ts'
import { measureProgress } from './progress.ts'
import { createCandleReader } from './read-candles.ts'

export interface MarketData {
  /**
   * Returns the newest price of each market, regardless of its age. Empty if no source is
   * configured.
   */
  prices(): LivePrices
  /** Calls the listener with changed prices, at most once a second. */
  watch(listener: (changedPrices: LivePrices) => void): () => void
  progressOf(prediction: Prediction): PredictionProgress | null
  /**
   * Returns null if no source is configured, or if the source has no candles of this market now.
   */
  candlesOf(query: MarketCandlesQuery): Promise<MarketCandles | null>
  /**
   * Returns why no prices arrive, or null. Only for the log, because the text may contain an
   * address of the private network.
   */
  problem(): string | null
  stop(): Promise<void>
}

const PUBLISH_MS = 1_000
const RETRY_MS = { first: 1_000, most: 30_000 }

/**
 * Receives prices from the operator's source of market data. Each instance has its own connection
 * and stores prices and one-minute bars in memory.
 */
export function startMarketData(
  ctx: Pick<Context, 'config' | 'clock' | 'logger'>,
  schedule: Scheduler = systemScheduler,
): MarketData {
  const { config, clock, logger } = ctx
  const nowMs = () => clock.now().getTime()
  const book = createMarketBook()
  const listeners = new Set<(changedPrices: LivePrices) => void>()
  const stopController = new AbortController()
  const outage = createOutageLog({ begins: 'no market data arrives', ends: 'market data arrives again' })
  let lastEndReason: string | null = null

  const formatNow = () => clock.now().toISOString()
  const publish = () => {
    if (config.marketData && lastEndReason === null) outage.recordSuccess(ctx)
    const prices = book.drainChanges()
    if (prices.length > 0) for (const listener of listeners) listener({ at: formatNow(), prices })
  }
  const runConnection = async ({ url, key }: NonNullable<typeof config.marketData>) => {
    let retryMs = RETRY_MS.first
    while (!stopController.signal.aborted) {
      let isRefused = false
      const onMessage = (raw: string | null) => {
        const message = raw === null ? null : marketMessage.safeParse(parseJson(raw)).data
        if (message && book.apply(message, nowMs())) {
          retryMs = RETRY_MS.first
          lastEndReason = null
          return
        }
        book.lost(nowMs())
        if (!isRefused)
          logger.warn({ message: raw?.slice(0, 200) ?? null }, 'a message of the source of market data is malformed')
        isRefused = true
      }
      const endReason = await connectSource(
        { url, key, onOpen: () => book.connected(nowMs()), onMessage, schedule },
        stopController.signal,
      )
      if (stopController.signal.aborted) return
      lastEndReason = endReason
      outage.recordFailure(ctx, endReason)
      await pause(retryMs)
      retryMs = Math.min(2 * retryMs, RETRY_MS.most)
    }
  }
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        cancel()
        stopController.signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = schedule.after(ms, end)
      stopController.signal.addEventListener('abort', end)
    })
  const stopPublishing = schedule.every(PUBLISH_MS, publish)
  const runningConnection = config.marketData ? runConnection(config.marketData) : Promise.resolve()
  return {
    prices: () => ({ at: formatNow(), prices: book.prices() }),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    progressOf: (prediction) => measureProgress(prediction, book, nowMs()),
    candlesOf: createCandleReader(ctx),
    problem: () => lastEndReason,
    async stop() {
      stopController.abort()
      stopPublishing()
      await runningConnection
    },
  }
}

export const noMarketData: Pick<MarketData, 'prices' | 'progressOf' | 'candlesOf'> = {
  prices: () => ({ at: new Date().toISOString(), prices: [] }),
  progressOf: () => null,
  candlesOf: async () => null,
}
