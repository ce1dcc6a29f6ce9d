import type { SignalSeries } from '@tocsin/protocol/feed'
import { useMemo } from 'react'
import { readSignal, type SignalOf, type SignalState, useSignal } from './use-signal.ts'

/**
 * The series of a feed message. `proved` means that the message has the hash that the signature of
 * the alert covers. `differs` means that it has another hash; its series is not shown.
 */
export type SeriesState =
  | { kind: 'pending' }
  | { kind: 'none' }
  | { kind: 'differs' }
  | { kind: 'proved'; series: SignalSeries; observedAtMs: number }

export function useSeries(alert: SignalOf): SeriesState {
  const state = useSignal(alert)
  return useMemo(() => toSeriesState(state), [state])
}

export function readSeries(message: string | null, signalHash: string): SeriesState {
  return toSeriesState(readSignal(message, signalHash))
}

function toSeriesState(state: SignalState): SeriesState {
  if (state.kind !== 'proved') return state
  const { series, observedAt } = state.signal
  return series ? { kind: 'proved', series, observedAtMs: Date.parse(observedAt) } : { kind: 'none' }
}
