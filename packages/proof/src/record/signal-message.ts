import { type Forecast, parseForecast } from './prediction.ts'

/** What the record needs of a signal message. */
export interface SignalMessage {
  /** The feed's name of the signal. */
  id: string
  /** Null if the signal predicts nothing. */
  forecast: Forecast | null
}

/**
 * Reads a signal message whose hash an alert names. Text that is not a JSON object predicts
 * nothing.
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
