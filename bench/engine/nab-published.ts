/**
 * Checks nab-score.ts against the results that NAB publishes: computes the score of each detector
 * from its published anomaly scores and threshold, and compares it with the published score.
 * Usage: node --import tsx bench/engine/nab-published.ts <folder of nab> [results folder of NAB's
 *   repository]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROFILES, readPublishedScores, readResults, readSeries, readWeights } from './nab-files.ts'
import { computeRawScore, normaliseScore } from './nab-score.ts'

const TOLERANCE = 1e-6
const PUBLISHED_DETECTORS = ['ARTime', 'contextOSE', 'knncad', 'numenta', 'random', 'windowedGaussian']

const [folder = '', results] = process.argv.slice(2)
const publishedScores = JSON.parse(readFileSync(join(folder, 'final_results.json'), 'utf8'))
const thresholds = JSON.parse(readFileSync(join(folder, 'config/thresholds.json'), 'utf8'))
const weights = readWeights(folder)
const series = readSeries(folder)
const windows = series.reduce((sum, file) => sum + file.windows.length, 0)
const detectors = results === undefined ? PUBLISHED_DETECTORS : Object.keys(publishedScores)

let equalCount = 0
for (const detector of detectors) {
  const files = series.map(({ name, windows }) => ({
    scores: results === undefined ? readPublishedScores(folder, detector, name) : readResults(results, detector, name),
    windows,
  }))
  for (const profile of PROFILES) {
    const raw = computeRawScore(files, weights[profile], thresholds[detector][profile].threshold)
    const score = normaliseScore(raw, windows, weights[profile])
    if (Math.abs(score - publishedScores[detector][profile]) <= TOLERANCE) equalCount++
    else console.log(`${detector} ${profile}: ${score}, published ${publishedScores[detector][profile]}`)
  }
}
console.log(`reproduced to ${TOLERANCE}: ${equalCount} of ${detectors.length * PROFILES.length}`)
