import { useQuery } from '@tanstack/react-query'
import { hashSignal } from '@tocsin/proof'
import { type SignalSeries, signal } from '@tocsin/protocol/feed'
import { useMemo } from 'react'
import { alertQueries } from './alert-queries.ts'

/**
 * The series of the feed message. Shown only if the hash of the message is the one that the alert's
 * signature covers.
 */
export type SeriesState =
  | { kind: 'pending' }
  | { kind: 'none' }
  | { kind: 'differs' }
  | { kind: 'proved'; series: SignalSeries; observedAtMs: number }

export type SeriesOf = { id: string; createdAt: string; signalHash: string | null }

export function useSeries({ id, createdAt, signalHash }: SeriesOf): SeriesState {
  const { data, isLoading } = useQuery({ ...alertQueries.signal(id, createdAt), enabled: signalHash !== null })
  return useMemo(
    () =>
      data && signalHash !== null ? readSeries(data.message, signalHash) : { kind: isLoading ? 'pending' : 'none' },
    [data, isLoading, signalHash],
  )
}

export function readSeries(message: string | null, signalHash: string): SeriesState {
  if (message === null) return { kind: 'none' }
  if (hashSignal(message) !== signalHash.toLowerCase()) return { kind: 'differs' }
  const { data } = signal.safeParse(parseJson(message))
  if (!data?.series) return { kind: 'none' }
  return { kind: 'proved', series: data.series, observedAtMs: Date.parse(data.observedAt) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
