/**
 * Weights of the score of the Numenta Anomaly Benchmark, after Lavin and Ahmad, "Evaluating
 * Real-time Anomaly Detection Algorithms" (2015).
 */
export interface Weights {
  truePositive: number
  falseNegative: number
  falsePositive: number
}

/** First and last row of a labelled window. */
export type Window = readonly [first: number, last: number]

export interface ScoredFile {
  scores: ArrayLike<number>
  windows: readonly Window[]
}

const PROBATION_SHARE = 0.15
const MAX_PROBATION_ROWS = 5000

/** Returns the number of rows at the start of a file that are not scored. */
export function getProbation(rows: number): number {
  return Math.floor(PROBATION_SHARE * Math.min(rows, MAX_PROBATION_ROWS))
}

function computeSigmoid(position: number): number {
  return position > 3 ? -1 : 2 / (1 + Math.exp(5 * position)) - 1
}

/**
 * Returns the window of a row (-1 outside of all windows) and the value of a detection there: at
 * most the weight of a true positive inside a window, below 0 outside.
 */
function computeRowWeight(
  row: number,
  windows: readonly Window[],
  weights: Weights,
): { window: number; detectionValue: number } {
  const window = windows.findIndex(([first, last]) => row >= first && row <= last)
  const containingWindow = windows[window]
  if (containingWindow !== undefined) {
    const width = containingWindow[1] - containingWindow[0] + 1
    const detectionValue = computeSigmoid(-(containingWindow[1] - row + 1) / width) / computeSigmoid(-1)
    return { window, detectionValue: detectionValue * weights.truePositive }
  }
  const previousWindow = windows.filter(([, last]) => last < row).at(-1)
  if (previousWindow === undefined) return { window: -1, detectionValue: -weights.falsePositive }
  return {
    window: -1,
    detectionValue:
      computeSigmoid((row - previousWindow[1]) / (previousWindow[1] - previousWindow[0])) * weights.falsePositive,
  }
}

/** Change of the raw score when the threshold falls to `score`. */
interface Step {
  score: number
  change: number
}

/**
 * Returns the raw score of a file without detections, and the changes of the raw score as the
 * threshold falls. Only the best detection in a window counts. Detections within the probation do
 * not count.
 */
function computeThresholdSteps(file: ScoredFile, weights: Weights): { start: number; steps: Step[] } {
  const windows = file.windows
  const baseScore = -weights.falseNegative * windows.length
  const bestWeights = windows.map(() => -weights.falseNegative)
  const rows: { score: number; window: number; detectionValue: number }[] = []
  for (let row = getProbation(file.scores.length); row < file.scores.length; row++) {
    const score = file.scores[row] ?? 0
    if (score > 0) rows.push({ score, ...computeRowWeight(row, windows, weights) })
  }
  rows.sort((a, b) => b.score - a.score)
  const steps = rows.map(({ score, window, detectionValue }) => {
    if (window < 0) return { score, change: detectionValue }
    const gain = Math.max(0, detectionValue - (bestWeights[window] ?? 0))
    bestWeights[window] = (bestWeights[window] ?? 0) + gain
    return { score, change: gain }
  })
  return { start: baseScore, steps }
}

/** Returns the raw score of files at a threshold. Rows with at least this score are detections. */
export function computeRawScore(files: readonly ScoredFile[], weights: Weights, threshold: number): number {
  return files.reduce((sum, file) => {
    const { start, steps } = computeThresholdSteps(file, weights)
    return steps.reduce((total, { score, change }) => (score >= threshold ? total + change : total), sum + start)
  }, 0)
}

/** Returns the threshold with the best raw score over all files together. */
export function findBestThreshold(files: readonly ScoredFile[], weights: Weights): { threshold: number; raw: number } {
  const parts = files.map((file) => computeThresholdSteps(file, weights))
  const steps = parts.flatMap((part) => part.steps).sort((a, b) => b.score - a.score)
  let raw = parts.reduce((sum, { start }) => sum + start, 0)
  let best = { threshold: Number.POSITIVE_INFINITY, raw }
  steps.forEach(({ score, change }, i) => {
    raw += change
    if (raw > best.raw && steps[i + 1]?.score !== score) best = { threshold: score, raw }
  })
  return best
}

/**
 * Scales a raw score: 0 for a detector that finds nothing, 100 for one that finds all windows
 * immediately and nothing else.
 */
export function normaliseScore(raw: number, windows: number, weights: Weights): number {
  const scoreWithoutDetections = -weights.falseNegative * windows
  return (100 * (raw - scoreWithoutDetections)) / (weights.truePositive * windows - scoreWithoutDetections)
}
