import { HOUR_MS } from '@tocsin/protocol/durations'
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

const FEWEST_SAMPLES = 3

export function measureMemory(samples: readonly MemorySample[]): MemoryFigures[] {
  return [...groupBy(samples, ({ instance }) => instance)].flatMap(([instance, own]) => {
    const processes = [...groupBy(own, ({ startedAt }) => startedAt).values()]
    const getLength = (some: readonly MemorySample[]) => (some.at(-1)?.atMs ?? 0) - (some[0]?.atMs ?? 0)
    const longest = processes.reduce((best, one) => (getLength(one) > getLength(best) ? one : best))
    const [first, last] = [longest[0], longest.at(-1)]
    if (!first || !last) return []
    return [
      {
        instance,
        processes: processes.length,
        startBytes: first.bytes,
        endBytes: last.bytes,
        hours: getLength(longest) / HOUR_MS,
        bytesPerHour: longest.length < FEWEST_SAMPLES ? null : findSlope(longest) * HOUR_MS,
      },
    ]
  })
}

function groupBy<Key>(
  samples: readonly MemorySample[],
  keyOf: (sample: MemorySample) => Key,
): Map<Key, MemorySample[]> {
  const groups = new Map<Key, MemorySample[]>()
  for (const sample of samples) groups.set(keyOf(sample), [...(groups.get(keyOf(sample)) ?? []), sample])
  return groups
}

/** Returns the slope of the least-squares line, in bytes per millisecond. */
function findSlope(samples: readonly MemorySample[]): number {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const mean = (values: number[]) => sum(values) / values.length
  const meanMs = mean(samples.map(({ atMs }) => atMs))
  const meanBytes = mean(samples.map(({ bytes }) => bytes))
  const covariance = sum(samples.map(({ atMs, bytes }) => (atMs - meanMs) * (bytes - meanBytes)))
  return covariance / sum(samples.map(({ atMs }) => (atMs - meanMs) ** 2))
}
