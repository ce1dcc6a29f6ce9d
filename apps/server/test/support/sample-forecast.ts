import type { Forecast } from '@tocsin/proof'

export const sampleForecast: Forecast = {
  prediction: {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1.4,
    venue: 'binance',
    market: 'BTCUSDT',
    candleSeconds: 60,
    startsAt: '2026-01-15T12:01:00.000Z',
    horizonSeconds: 3600,
    resolveBy: '2026-01-15T14:00:00.000Z',
  },
  model: { name: 'price-move', version: '1', settingsHash: `0x${'cd'.repeat(32)}` },
}
