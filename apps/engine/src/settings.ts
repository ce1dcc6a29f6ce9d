import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type LiveVenue, liveVenues, type Market } from './market.ts'
import { type SetValues, settingsTable, urlSettingNames } from './settings-table.ts'
import type { SimulationSettings } from './simulation/simulation.ts'

type Env = Record<string, string | undefined>

export interface Settings {
  host: string
  port: number
  /** Key that clients must send. Null: every client on this machine may connect. */
  key: string | null
  markets: Market[]
  replay: { folder: string; speed: number } | null
  simulation: SimulationSettings | null
  /** Number of days of published candles from which a new engine on live markets warms up. */
  historyDays: number
  /**
   * Horizon of a second prediction in addition to the one-hour prediction; null for no second one.
   */
  shortHorizonSeconds: number | null
  dataDir: string
  /** URLs of servers that replace an exchange, by venue. */
  urls: Partial<Record<LiveVenue, string>>
  logLevel: NonNullable<SetValues['LOG_LEVEL']>
  warnings: string[]
}

/** An error with all problems of the settings together: name, problem, example. */
export class SettingsError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    const title = `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`
    super([title, ...problems.map((problem) => `  - ${problem}`)].join('\n'))
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Reads the environment and the command line.
 * @throws SettingsError with every problem
 */
export function readSettings(env: Env, args: readonly string[]): Settings {
  const problems: string[] = []
  const setValues = parseAll(env, problems)
  const isInvalid = (name: string) => problems.some((problem) => problem.startsWith(name))
  const speed = parseSpeed(args, problems)
  const host = setValues.ENGINE_HOST ?? '127.0.0.1'
  const replay = setValues.ENGINE_REPLAY
  if (replay !== undefined && !isFolder(replay)) problems.push(`ENGINE_REPLAY is not a folder: ${resolve(replay)}`)
  if (replay === undefined && speed !== null) {
    problems.push('--speed is set without ENGINE_REPLAY: live markets have no speed')
  }
  const seed = setValues.ENGINE_SIMULATE
  for (const name of ['ENGINE_MARKETS', 'ENGINE_REPLAY'] as const) {
    if (seed !== undefined && setValues[name] !== undefined)
      problems.push(`${name} and ENGINE_SIMULATE are both set: keep one`)
  }
  if (replay !== undefined && setValues.ENGINE_HISTORY_DAYS !== undefined) {
    problems.push('ENGINE_HISTORY_DAYS is set with ENGINE_REPLAY: a recording has no other past')
  }
  const hasMarkets = [replay, seed, setValues.ENGINE_MARKETS].some((value) => value !== undefined)
  if (!hasMarkets && !isInvalid('ENGINE_MARKETS') && !isInvalid('ENGINE_SIMULATE')) {
    problems.push(
      `ENGINE_MARKETS is missing: set it, or ENGINE_REPLAY. Example: ENGINE_MARKETS=${settingsTable.ENGINE_MARKETS.example}`,
    )
  }
  if (setValues.ENGINE_KEY === undefined && !isLoopback(host) && !isInvalid('ENGINE_KEY')) {
    problems.push(`ENGINE_KEY is missing: ENGINE_HOST=${host} lets other machines connect`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return {
    host,
    port: setValues.ENGINE_PORT ?? 3600,
    key: setValues.ENGINE_KEY ?? null,
    markets: setValues.ENGINE_MARKETS ?? [],
    replay: replay === undefined ? null : { folder: resolve(replay), speed: speed ?? 1 },
    simulation: seed === undefined ? null : { seed, historyDays: setValues.ENGINE_HISTORY_DAYS ?? 30 },
    historyDays: seed === undefined ? (setValues.ENGINE_HISTORY_DAYS ?? 0) : 0,
    shortHorizonSeconds: setValues.ENGINE_SHORT_HORIZON_SECONDS ?? (seed === undefined ? null : 300),
    dataDir: resolve(setValues.ENGINE_DATA ?? './data/engine'),
    urls: Object.fromEntries(
      liveVenues.flatMap((venue) => {
        const url = setValues[urlSettingNames[venue]]
        return url === undefined ? [] : [[venue, url]]
      }),
    ),
    logLevel: setValues.LOG_LEVEL ?? 'info',
    warnings: listUnknownNames(env),
  }
}

function parseAll(env: Env, problems: string[]): SetValues {
  const entries = Object.entries(settingsTable).flatMap(([name, { schema, example }]) => {
    const rawValue = readValue(env, name, problems)
    if (rawValue === undefined || rawValue === '') return []
    const result = schema.safeParse(rawValue)
    if (result.success) return [[name, result.data]]
    problems.push(`${name} is ${result.error.issues[0]?.message ?? 'invalid'}. Example: ${name}=${example}`)
    return []
  })
  return Object.fromEntries(entries)
}

function readValue(env: Env, name: string, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file) return env[name]?.trim()
  if (env[name]) problems.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    const value = readFileSync(file, 'utf8').trim()
    // An empty secret must not count as a setting that was left out.
    if (value === '') problems.push(`${name}_FILE is empty: ${file}`)
    return value
  } catch {
    problems.push(`${name}_FILE is not readable: ${file}`)
    return undefined
  }
}

/** Parses the speed of a replay. Returns null if `--speed` is absent, and Infinity for `max`. */
function parseSpeed(args: readonly string[], problems: string[]): number | null {
  try {
    const { speed } = parseArgs({ args: [...args], options: { speed: { type: 'string' } } }).values
    if (speed === undefined) return null
    const value = speed === 'max' ? Number.POSITIVE_INFINITY : Number(speed)
    if (value > 0) return value
    problems.push('--speed is not a number above 0 or “max”. Example: --speed 60')
  } catch (error) {
    problems.push(error instanceof Error ? error.message : 'The command line is invalid')
  }
  return null
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function listUnknownNames(env: Env): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('ENGINE_') && !(name.replace(/_FILE$/, '') in settingsTable))
    .map((name) => `${name} is not a setting of the engine and is ignored`)
}
