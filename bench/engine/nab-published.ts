/**
 * Checks the scorer against the results that NAB publishes: it calculates the score from the
 * published anomaly scores of each row at the published threshold.
 * Usage: node --import tsx bench/engine/nab-published.ts <folder of nab> [results folder of NAB's
 *   repository]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROFILES, readPublished, readResults, readSeries, readWeights } from './nab-files.ts'
import { normalise, rawScore } from './nab-score.ts'

const TOLERANCE = 1e-6
const IN_FOLDER = ['ARTime', 'contextOSE', 'knncad', 'numenta', 'random', 'windowedGaussian']

const [folder = '', results] = process.argv.slice(2)
const published = JSON.parse(readFileSync(join(folder, 'final_results.json'), 'utf8'))
const thresholds = JSON.parse(readFileSync(join(folder, 'config/thresholds.json'), 'utf8'))
const weights = readWeights(folder)
const series = readSeries(folder)
const windows = series.reduce((sum, file) => sum + file.windows.length, 0)
const detectors = results === undefined ? IN_FOLDER : Object.keys(published)

let equal = 0
for (const detector of detectors) {
  const files = series.map(({ name, windows }) => ({
    scores: results === undefined ? readPublished(folder, detector, name) : readResults(results, detector, name),
    windows,
  }))
  for (const profile of PROFILES) {
    const raw = rawScore(files, weights[profile], thresholds[detector][profile].threshold)
    const score = normalise(raw, windows, weights[profile])
    if (Math.abs(score - published[detector][profile]) <= TOLERANCE) equal++
    else console.log(`${detector} ${profile}: ${score}, published ${published[detector][profile]}`)
  }
}
console.log(`reproduced to ${TOLERANCE}: ${equal} of ${detectors.length * PROFILES.length}`)
