import type { EngineStatus } from '@tocsin/protocol'

/** Example status of an engine that runs now. Its market lags and has gaps that were not filled. */
export function createEngineStatus(): EngineStatus {
  const now = new Date().toISOString()
  const noCounts = [0, 0, 0]
  const createAsset = (name: string, price: number[]) => ({
    asset: name,
    alerts: [1, 2],
    criticalAt: null,
    highAt: now,
    peaks: { price, volume: noCounts, volatility: noCounts, marketWide: noCounts },
  })
  return {
    type: 'status',
    run: '00112233aabbccdd',
    startedAt: now,
    sentAt: now,
    mode: 'live',
    model: { name: 'tocsin-engine', version: '1.0.0', settingsHash: `0x${'2a'.repeat(32)}` },
    eventTime: now,
    clockSetBackMs: 0,
    messages: { waiting: 0, leftOut: 0 },
    predictions: { open: 3, due: 1, overdue: 2 },
    sources: [
      { venue: 'binance', state: 'connected', connections: 2, lastEnd: 'replaced', rejected: null, refused: 3 },
    ],
    markets: [
      {
        market: 'binance:BTC/USDT',
        newestTradeAt: now,
        lagMs: 9_000,
        trades: 1_234_567,
        gapsFilled: 12,
        tradesFilled: 340,
        gapsLost: 4,
        isCatchingUp: false,
      },
    ],
    leftOut: { markets: 0, assets: 0 },
    days: [
      { day: '2026-03-01', minutes: 1_440 },
      { day: '2026-03-02', minutes: 1_440 },
    ],
    assets: [createAsset('BTC/USDT', [6, 4, 1]), createAsset('ETH/USDT', [3, 2, 0])],
    triedThresholds: [2.6, 2.7, 2.8],
    thresholds: { price: 2.7, volume: 2.8, volatility: 2.7, marketWide: 2.8 },
  }
}
