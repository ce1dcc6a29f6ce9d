import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Weights, Window } from './nab-score.ts'

export interface Series {
  /** Path of the data file, such as `realTweets/Twitter_volume_AAPL.csv`. */
  name: string
  /** Name of the data folder. The folders with artificial data count as one family. */
  family: string
  times: Float64Array
  values: Float64Array
  windows: Window[]
}

const getFamily = (name: string) => name.split('/')[0]?.replace(/^artificial.*/, 'artificial') ?? ''

function readRows(path: string): string[][] {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1)
  return lines.map((line) => line.trim().split(','))
}

/** Parses a time without a zone as UTC, because only differences and the time of day are used. */
const parseTime = (text: string) => Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`)

export function readSeries(folder: string): Series[] {
  const labels: Record<string, [string, string][]> = JSON.parse(
    readFileSync(join(folder, 'labels/combined_windows.json'), 'utf8'),
  )
  return Object.entries(labels).map(([name, windows]) => {
    const rows = readRows(join(folder, 'data', `${name}.gz`))
    const times = Float64Array.from(rows, ([at = '']) => parseTime(at))
    return {
      name,
      family: getFamily(name),
      times,
      values: Float64Array.from(rows, ([, value]) => Number(value)),
      windows: windows.map(([from, to]) => getWindow(times, parseTime(from), parseTime(to))),
    }
  })
}

function getWindow(times: Float64Array, from: number, to: number): Window {
  const indexAfter = times.findIndex((at) => at > to)
  return [times.findIndex((at) => at >= from), (indexAfter === -1 ? times.length : indexAfter) - 1]
}

export function readPublishedScores(folder: string, detector: string, name: string): Float64Array {
  return Float64Array.from(readRows(join(folder, 'published', detector, `${name}.gz`)), ([, score]) => Number(score))
}

export type Profile = 'standard' | 'reward_low_FP_rate' | 'reward_low_FN_rate'
export const PROFILES: readonly Profile[] = ['standard', 'reward_low_FP_rate', 'reward_low_FN_rate']

export function readWeights(folder: string): Record<Profile, Weights> {
  const profiles = JSON.parse(readFileSync(join(folder, 'config/profiles.json'), 'utf8'))
  const getWeights = (profile: Profile): Weights => {
    const { tpWeight, fnWeight, fpWeight } = profiles[profile].CostMatrix
    return { truePositive: tpWeight, falseNegative: fnWeight, falsePositive: fpWeight }
  }
  return {
    standard: getWeights('standard'),
    reward_low_FP_rate: getWeights('reward_low_FP_rate'),
    reward_low_FN_rate: getWeights('reward_low_FN_rate'),
  }
}

/** Reads scores from a file in the format of NAB's own repository. */
export function readResults(results: string, detector: string, name: string): Float64Array {
  const [family = '', file = ''] = name.split('/')
  const text = readFileSync(join(results, detector, family, `${detector}_${file}`), 'utf8')
  const [head = '', ...lines] = text.trim().split('\n')
  const column = head.split(',').indexOf('anomaly_score')
  return Float64Array.from(lines, (line) => Number(line.split(',')[column]))
}
