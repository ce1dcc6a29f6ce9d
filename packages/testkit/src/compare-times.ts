/** How long two kinds of the same question took to answer. */
interface Times {
  medianMs: [number, number]
  /** Probability that two samples of one distribution lie as far apart. */
  p: number
}

/**
 * Asks questions of two kinds in turns, so that whatever else the machine does hits both.
 * @param ask of this kind and number
 * @param atOnce how many of each kind are under way together
 */
export async function compareTimes(
  ask: (kind: 0 | 1, index: number) => Promise<unknown>,
  { samples, atOnce }: { samples: number; atOnce: number },
): Promise<Times> {
  const times: [number[], number[]] = [[], []]
  const timed = async (kind: 0 | 1, index: number) => {
    const startedAt = performance.now()
    await ask(kind, index)
    times[kind].push(performance.now() - startedAt)
  }
  for (let from = 0; from < samples; from += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, samples - from) }, (_, offset) => from + offset)
    const order: [0 | 1, 0 | 1] = from % (2 * atOnce) === 0 ? [0, 1] : [1, 0]
    if (atOnce === 1) for (const kind of order) await timed(kind, from)
    else await Promise.all(indexes.flatMap((index) => order.map((kind) => timed(kind, index))))
  }
  return { medianMs: [median(times[0]), median(times[1])], p: mannWhitney(...times) }
}

/** Two-sided probability that samples of one distribution lie as far apart as these (normal approximation). */
export function mannWhitney(one: number[], other: number[]): number {
  const wins = one
    .flatMap((a) => other.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)))
    .reduce<number>((sum, win) => sum + win, 0)
  const mean = (one.length * other.length) / 2
  const deviation = Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12)
  return 2 * (1 - normalCdf(Math.abs(wins - mean) / deviation))
}

/** Abramowitz and Stegun, 26.2.17. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
