import { type Forecast, parseForecast } from './prediction.ts'

/** The fields of a signal message that the record uses. */
export interface SignalMessage {
  /** The signal's id in the feed. */
  id: string
  /** Null if the signal predicts nothing. */
  forecast: Forecast | null
}

/**
 * Reads a signal message whose hash an alert states. Text that is not a JSON object has no
 * prediction.
 * @throws Error naming the rule that prediction or model break
 */
export function readSignalMessage(text: string, origin: 'feed' | 'demo'): SignalMessage {
  const value = readObject(text)
  if (!value) return { id: '', forecast: null }
  const { id }: { id?: unknown } = value
  return { id: typeof id === 'string' ? id : '', forecast: parseForecast(value, origin) }
}

function readObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
