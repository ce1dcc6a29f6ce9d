import { HOUR_MS } from '@tocsin/protocol/durations'
import { groupBy } from '../group-by.ts'
import type { MemorySample } from './journal.ts'

/** Resident memory of one instance. Its process is replaced several times in a run. */
export interface MemoryFigures {
  instance: string
  processes: number
  /** First and last sample of the process that has been sampled for the longest time. */
  startBytes: number
  endBytes: number
  hours: number
  /**
   * Slope of the least-squares line through the samples of this process; null with fewer than
   * three.
   */
  bytesPerHour: number | null
}

const MIN_SAMPLES = 3

export function measureMemory(samples: readonly MemorySample[]): MemoryFigures[] {
  return [...groupBy(samples, ({ instance }) => instance)].flatMap(([instance, instanceSamples]) => {
    const processes = [...groupBy(instanceSamples, ({ startedAt }) => startedAt).values()]
    const computeDurationMs = (someSamples: readonly MemorySample[]) =>
      (someSamples.at(-1)?.atMs ?? 0) - (someSamples[0]?.atMs ?? 0)
    const longestProcess = processes.reduce((longestSoFar, processSamples) =>
      computeDurationMs(processSamples) > computeDurationMs(longestSoFar) ? processSamples : longestSoFar,
    )
    const [first, last] = [longestProcess[0], longestProcess.at(-1)]
    if (!first || !last) return []
    return [
      {
        instance,
        processes: processes.length,
        startBytes: first.bytes,
        endBytes: last.bytes,
        hours: computeDurationMs(longestProcess) / HOUR_MS,
        bytesPerHour: longestProcess.length < MIN_SAMPLES ? null : computeSlope(longestProcess) * HOUR_MS,
      },
    ]
  })
}

/** Returns the slope of the least-squares line, in bytes per millisecond. */
function computeSlope(samples: readonly MemorySample[]): number {
  const sumValues = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const computeMean = (values: number[]) => sumValues(values) / values.length
  const meanMs = computeMean(samples.map(({ atMs }) => atMs))
  const meanBytes = computeMean(samples.map(({ bytes }) => bytes))
  const covariance = sumValues(samples.map(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes)))
  return covariance / sumValues(samples.map(({ atMs }) => (atMs - meanMs) ** 2))
}
