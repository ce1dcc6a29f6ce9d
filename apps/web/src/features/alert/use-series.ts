import type { SignalSeries } from '@tocsin/protocol/feed'
import { useMemo } from 'react'
import { readSignal, type SignalOf, type SignalState, useSignal } from './use-signal.ts'

/**
 * The series of the feed message. Shown only if the hash of the message is the one that the alert's
 * signature covers.
 */
export type SeriesState =
  | { kind: 'pending' }
  | { kind: 'none' }
  | { kind: 'differs' }
  | { kind: 'proved'; series: SignalSeries; observedAtMs: number }

export type SeriesOf = SignalOf

export function useSeries(alert: SeriesOf): SeriesState {
  const state = useSignal(alert)
  return useMemo(() => seriesOf(state), [state])
}

export function readSeries(message: string | null, signalHash: string): SeriesState {
  return seriesOf(readSignal(message, signalHash))
}

function seriesOf(state: SignalState): SeriesState {
  if (state.kind !== 'proved') return state
  const { series, observedAt } = state.signal
  return series ? { kind: 'proved', series, observedAtMs: Date.parse(observedAt) } : { kind: 'none' }
}
