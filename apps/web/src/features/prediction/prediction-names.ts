import type { Alert } from '@tocsin/protocol'

export type Prediction = NonNullable<Alert['prediction']>

const venueNames: { [venue: string]: string } = {
  binance: 'Binance',
  'binance-usdm': 'Binance USD-M',
  coinbase: 'Coinbase',
  kraken: 'Kraken',
  okx: 'OKX',
  simulated: 'the simulated market',
}

/** Returns true if the prediction is about the simulated market of a demo. */
export function isSimulated({ prediction }: Pick<Alert, 'prediction'>): boolean {
  return prediction?.venue === 'simulated'
}

/** Name of a venue. A venue without a known name is shown as the prediction states it. */
export function getVenueName(venue: string): string {
  return venueNames[venue] ?? venue
}

/** "5 min", "60 min", "2 h", "150 min". */
export function formatHorizon(seconds: number): string {
  const minutes = seconds / 60
  return minutes > 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

/**
 * The type of an alert with the horizon of its prediction, so that two alerts about one event with
 * different horizons can be told apart: "Price move, 60 min". The engine's types for its short
 * horizon already end with the horizon.
 */
export function formatAnomalyType({ anomalyType, prediction }: Pick<Alert, 'anomalyType' | 'prediction'>): string {
  const horizon = prediction && formatHorizon(prediction.horizonSeconds)
  if (!horizon || anomalyType === '' || anomalyType.endsWith(horizon)) return anomalyType
  return `${anomalyType}, ${horizon}`
}
