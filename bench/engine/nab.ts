/**
 * Runs our detector over the Numenta Anomaly Benchmark, with a known and with a learnt range of the
 * values in a file.
 * Usage: node --import tsx bench/engine/nab.ts <folder of nab>
 */
import {
  addValue,
  computeAlarmScore,
  createSeriesDetector,
  type Fusion,
  type SeriesSettings,
  VIEW_NAMES,
} from '../../packages/engine/src/series-detector.ts'
import { mulberry32 } from './calibration.ts'
import { PROFILES, readSeries, readWeights, type Series } from './nab-files.ts'
import { bestThreshold, getProbation, normalise, rawScore, type ScoredFile } from './nab-score.ts'

const DRAWS = 120
/**
 * Ranges from which settings are drawn uniformly, value by value. The weight of the first view is
 * always 1.
 */
const LOWEST = [1, 0, 0.1, 0, 0.1, 0, 0, 0]
const HIGHEST = [1, 0.3, 0.5, 0.5, 0.8, 0.3, 0.3, 0.3]
const RATES = [0.05, 0.15]
/** Settings that were tuned on all files. */
const CHOSEN: Record<'known' | 'learnt', { rate: number; fusion: Fusion }> = {
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
function getViews(file: Series, known: boolean, rate: number): Views {
  const low = file.values.reduce((least, value) => Math.min(least, value))
  const high = file.values.reduce((most, value) => Math.max(most, value))
  const settings: SeriesSettings = {
    range: known ? { low, high } : null,
    learnFor: getProbation(file.values.length),
    rate,
  }
  const detector = createSeriesDetector(settings)
  return Array.from(file.values, (value, i) => {
    return Float64Array.from(addValue(detector, file.times[i] ?? 0, value, settings))
  })
}

function scored(views: readonly Views[], fusion: Fusion): ScoredFile[] {
  return views.map((rows, i) => {
    const alarm = { peak: 0 }
    const scores = Float64Array.from(rows, (row) => computeAlarmScore(alarm, row, fusion))
    return { scores: scores.map((score) => (score < LEAST ? 0 : score)), windows: series[i]?.windows ?? [] }
  })
}

/** Minimum score that can raise an alarm. Lower scores are set to 0, which makes sorting fast. */
const LEAST = 0.4

const count = (files: readonly ScoredFile[]) => files.reduce((sum, { windows }) => sum + windows.length, 0)
const points = (raw: number, files: readonly ScoredFile[], profile: Profile) =>
  normalise(raw, count(files), weights[profile])

/**
 * For each group, chooses the settings and the threshold on the files outside the group, and scores
 * them on the files inside.
 */
function heldOut(runs: readonly ScoredFile[][], profile: Profile, groupOf: (index: number) => string): number {
  const groups = [...new Set(series.map((_, i) => groupOf(i)))]
  const raw = groups.map((group) => {
    const outside = runs.map((files) =>
      bestThreshold(
        files.filter((_, i) => groupOf(i) !== group),
        weights[profile],
      ),
    )
    const best = outside.reduce((most, run, i) => (run.raw > (outside[most]?.raw ?? 0) ? i : most), 0)
    const inside = (runs[best] ?? []).filter((_, i) => groupOf(i) === group)
    return rawScore(inside, weights[profile], outside[best]?.threshold ?? 0)
  })
  return points(
    raw.reduce((sum, value) => sum + value, 0),
    runs[0] ?? [],
    profile,
  )
}

function drawFusion(random: () => number): Fusion {
  return {
    weights: LOWEST.map((low, i) => low + random() * ((HIGHEST[i] ?? low) - low)),
    rest: 40 + random() * 60,
    factor: 1.1 + random() * 0.35,
  }
}

for (const [kind, known] of [
  ['known', true],
  ['learnt', false],
] as const) {
  const { rate, fusion } = CHOSEN[kind]
  const views = RATES.map((one) => series.map((file) => getViews(file, known, one)))
  const tuned = scored(views[RATES.indexOf(rate)] ?? [], fusion)
  const random = mulberry32(18)
  const runs = Array.from({ length: DRAWS }, (_, i) => scored(views[i % RATES.length] ?? [], drawFusion(random)))
  const family = (i: number) => series[i]?.family ?? ''
  console.log(`range ${kind}, views ${VIEW_NAMES.join(' ')}`)
  for (const profile of PROFILES) {
    const { raw, threshold } = bestThreshold(tuned, weights[profile])
    const best = runs.map((files) => points(bestThreshold(files, weights[profile]).raw, files, profile))
    const drawn = best.sort((a, b) => b - a)
    console.log(`  ${profile}`)
    console.log(`    tuned on all files: ${points(raw, tuned, profile).toFixed(2)} at ${threshold.toFixed(3)}`)
    console.log(`    threshold held out by family: ${heldOut([tuned], profile, family).toFixed(2)}`)
    console.log(`    ${DRAWS} drawn settings: best ${drawn[0]?.toFixed(2)}, median ${drawn[DRAWS / 2]?.toFixed(2)}`)
    console.log(`    everything held out by family: ${heldOut(runs, profile, family).toFixed(2)}`)
    console.log(
      `    everything held out, even and odd files: ${heldOut(runs, profile, (i) => String(i % 2)).toFixed(2)}`,
    )
  }
}
console.log(`families: ${families.join(', ')}`)
