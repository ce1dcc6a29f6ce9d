/**
 * Runs our detector over the Numenta Anomaly Benchmark: once with the known range of the values of
 * each file, and once with a range that the detector learns.
 * Usage: node --import tsx bench/engine/nab.ts <folder of nab>
 */

import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import { PROFILES, readSeries, readWeights, type Series } from './nab-files.ts'
import { computeRawScore, findBestThreshold, getProbation, normaliseScore, type ScoredFile } from './nab-score.ts'
import {
  addValue,
  computeAlarmScore,
  createSeriesDetector,
  type Fusion,
  type SeriesSettings,
  VIEW_NAMES,
} from './series-detector.ts'

const DRAW_COUNT = 120
/**
 * Lowest and highest weight of each view in random settings. Weights are distributed uniformly. The
 * weight of the first view is always 1.
 */
const LOWEST_WEIGHTS = [1, 0, 0.1, 0, 0.1, 0, 0, 0]
const HIGHEST_WEIGHTS = [1, 0.3, 0.5, 0.5, 0.8, 0.3, 0.3, 0.3]
const RATES = [0.05, 0.15]
/** Settings that were tuned on all files. */
const TUNED_SETTINGS: Record<'known' | 'learnt', { rate: number; fusion: Fusion }> = {
  known: { rate: 0.05, fusion: { weights: [1, 0.41, 0.53, 0.09, 0.72, 0.13, 0.13, 0.19], factor: 1.19, rest: 63 } },
  learnt: { rate: 0.15, fusion: { weights: [1, 0.06, 0.28, 0.38, 0.22, 0, 0.08, 0], factor: 1.2, rest: 60 } },
}

const folder = process.argv[2] ?? ''
const series = readSeries(folder)
const weights = readWeights(folder)
const families = [...new Set(series.map(({ family }) => family))]

type Profile = (typeof PROFILES)[number]
type Views = Float64Array[]

/** Returns the scores of all views for each row of a file. */
function computeViewScores(file: Series, isRangeKnown: boolean, rate: number): Views {
  const low = file.values.reduce((least, value) => Math.min(least, value))
  const high = file.values.reduce((most, value) => Math.max(most, value))
  const settings: SeriesSettings = {
    range: isRangeKnown ? { low, high } : null,
    learnFor: getProbation(file.values.length),
    rate,
  }
  const detector = createSeriesDetector(settings)
  return Array.from(file.values, (value, i) => {
    return Float64Array.from(addValue(detector, file.times[i] ?? 0, value, settings))
  })
}

function scoreFiles(views: readonly Views[], fusion: Fusion): ScoredFile[] {
  return views.map((rows, i) => {
    const alarm = { peak: 0 }
    const scores = Float64Array.from(rows, (row) => computeAlarmScore(alarm, row, fusion))
    return { scores: scores.map((score) => (score < MIN_ALARM_SCORE ? 0 : score)), windows: series[i]?.windows ?? [] }
  })
}

/** Minimum score that can raise an alarm. Lower scores are set to 0, which makes sorting fast. */
const MIN_ALARM_SCORE = 0.4

const countWindows = (files: readonly ScoredFile[]) => files.reduce((sum, { windows }) => sum + windows.length, 0)
const computePoints = (raw: number, files: readonly ScoredFile[], profile: Profile) =>
  normaliseScore(raw, countWindows(files), weights[profile])

/**
 * For each group, chooses the settings and the threshold on the files outside the group, and scores
 * them on the files inside.
 */
function computeHeldOutScore(
  runs: readonly ScoredFile[][],
  profile: Profile,
  getGroup: (index: number) => string,
): number {
  const groups = [...new Set(series.map((_, i) => getGroup(i)))]
  const raw = groups.map((group) => {
    const outsideThresholds = runs.map((files) =>
      findBestThreshold(
        files.filter((_, i) => getGroup(i) !== group),
        weights[profile],
      ),
    )
    const bestRun = outsideThresholds.reduce(
      (most, run, i) => (run.raw > (outsideThresholds[most]?.raw ?? 0) ? i : most),
      0,
    )
    const groupFiles = (runs[bestRun] ?? []).filter((_, i) => getGroup(i) === group)
    return computeRawScore(groupFiles, weights[profile], outsideThresholds[bestRun]?.threshold ?? 0)
  })
  return computePoints(
    raw.reduce((sum, value) => sum + value, 0),
    runs[0] ?? [],
    profile,
  )
}

function drawFusion(random: () => number): Fusion {
  return {
    weights: LOWEST_WEIGHTS.map((low, i) => low + random() * ((HIGHEST_WEIGHTS[i] ?? low) - low)),
    rest: 40 + random() * 60,
    factor: 1.1 + random() * 0.35,
  }
}

for (const [kind, known] of [
  ['known', true],
  ['learnt', false],
] as const) {
  const { rate, fusion } = TUNED_SETTINGS[kind]
  const views = RATES.map((viewRate) => series.map((file) => computeViewScores(file, known, viewRate)))
  const tunedFiles = scoreFiles(views[RATES.indexOf(rate)] ?? [], fusion)
  const random = createRandom(18)
  const runs = Array.from({ length: DRAW_COUNT }, (_, i) =>
    scoreFiles(views[i % RATES.length] ?? [], drawFusion(random)),
  )
  const getFamily = (i: number) => series[i]?.family ?? ''
  console.log(`range ${kind}, views ${VIEW_NAMES.join(' ')}`)
  for (const profile of PROFILES) {
    const { raw, threshold } = findBestThreshold(tunedFiles, weights[profile])
    const bestPoints = runs.map((files) =>
      computePoints(findBestThreshold(files, weights[profile]).raw, files, profile),
    )
    const sortedPoints = bestPoints.sort((a, b) => b - a)
    console.log(`  ${profile}`)
    console.log(
      `    tuned on all files: ${computePoints(raw, tunedFiles, profile).toFixed(2)} at ${threshold.toFixed(3)}`,
    )
    console.log(`    threshold held out by family: ${computeHeldOutScore([tunedFiles], profile, getFamily).toFixed(2)}`)
    console.log(
      `    ${DRAW_COUNT} drawn settings: best ${sortedPoints[0]?.toFixed(2)}, median ${sortedPoints[DRAW_COUNT / 2]?.toFixed(2)}`,
    )
    console.log(`    everything held out by family: ${computeHeldOutScore(runs, profile, getFamily).toFixed(2)}`)
    console.log(
      `    everything held out, even and odd files: ${computeHeldOutScore(runs, profile, (i) => String(i % 2)).toFixed(2)}`,
    )
  }
}
console.log(`families: ${families.join(', ')}`)
