/** The comparison of the response times of two kinds of request. */
interface TimeComparison {
  medianMs: [number, number]
  /** Two-sided p-value of the Mann-Whitney U test. */
  p: number
}

/**
 * Sends requests of two kinds alternately, so that other load on the machine affects both equally.
 * @param send sends request `index` of a kind
 * @param concurrency number of concurrent requests per kind
 */
export async function compareTimes(
  send: (kind: 0 | 1, index: number) => Promise<unknown>,
  { samples, concurrency }: { samples: number; concurrency: number },
): Promise<TimeComparison> {
  const times: [number[], number[]] = [[], []]
  const measureTime = async (kind: 0 | 1, index: number) => {
    const startedMs = performance.now()
    await send(kind, index)
    times[kind].push(performance.now() - startedMs)
  }
  for (let from = 0; from < samples; from += concurrency) {
    const indexes = Array.from({ length: Math.min(concurrency, samples - from) }, (_, offset) => from + offset)
    const kindOrder: [0 | 1, 0 | 1] = from % (2 * concurrency) === 0 ? [0, 1] : [1, 0]
    if (concurrency === 1) for (const kind of kindOrder) await measureTime(kind, from)
    else await Promise.all(indexes.flatMap((index) => kindOrder.map((kind) => measureTime(kind, index))))
  }
  return { medianMs: [computeMedian(times[0]), computeMedian(times[1])], p: computeMannWhitneyP(...times) }
}

/** Two-sided p-value of the Mann-Whitney U test (normal approximation). */
export function computeMannWhitneyP(firstTimes: number[], otherTimes: number[]): number {
  const winCount = firstTimes
    .flatMap((a) => otherTimes.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)))
    .reduce<number>((sum, win) => sum + win, 0)
  const mean = (firstTimes.length * otherTimes.length) / 2
  const deviation = Math.sqrt(
    (firstTimes.length * otherTimes.length * (firstTimes.length + otherTimes.length + 1)) / 12,
  )
  return 2 * (1 - computeNormalCdf(Math.abs(winCount - mean) / deviation))
}

/** Normal distribution function, by Abramowitz and Stegun, 26.2.17. */
function computeNormalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}

function computeMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
