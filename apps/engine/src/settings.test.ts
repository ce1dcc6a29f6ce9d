import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings, SettingsError } from './settings.ts'

const markets = 'binance:BTC/USDT,coinbase:BTC/USD'

function listProblems(env: Record<string, string | undefined>, args: string[] = []): string[] {
  try {
    readSettings(env, args)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test.each<[string, Record<string, string>, RegExp, string[]?]>([
  ['no market and no recording', {}, /^ENGINE_MARKETS is missing: .*Example: ENGINE_MARKETS=/],
  ['a port that is not a number', { ENGINE_PORT: 'x' }, /^ENGINE_PORT is not a port .*Example: ENGINE_PORT=3600$/],
  ['a port above 65535', { ENGINE_PORT: '65536' }, /^ENGINE_PORT is not a port/],
  ['a key with a line break', { ENGINE_KEY: 'a\nb' }, /^ENGINE_KEY is not a key/],
  ['an unknown venue', { ENGINE_MARKETS: 'mtgox:BTC/USD' }, /^ENGINE_MARKETS is naming the unknown venue “mtgox”/],
  ['a market without a venue', { ENGINE_MARKETS: 'BTC/USD' }, /^ENGINE_MARKETS is not a list of markets/],
  ['a market in lower case', { ENGINE_MARKETS: 'okx:btc/usdt' }, /^ENGINE_MARKETS is not a list of markets/],
  ['an empty item', { ENGINE_MARKETS: 'okx:BTC/USDT,' }, /^ENGINE_MARKETS is not a list of markets/],
  [
    'a duplicate market',
    { ENGINE_MARKETS: 'okx:BTC/USDT, okx:BTC/USDT' },
    /^ENGINE_MARKETS is not a list of different markets/,
  ],
  [
    'a folder that does not exist',
    { ENGINE_REPLAY: '/nonexistent/a' },
    /^ENGINE_REPLAY is not a folder: \/nonexistent\/a$/,
  ],
  ['a venue URL of another protocol', { ENGINE_OKX_URL: 'ftp://a' }, /^ENGINE_OKX_URL is not a ws\(s\):\/\/ or http/],
  ['a non-local address without a key', { ENGINE_HOST: '0.0.0.0' }, /^ENGINE_KEY is missing: ENGINE_HOST=0.0.0.0/],
  ['a key file that is empty', { ENGINE_KEY_FILE: '/dev/null' }, /^ENGINE_KEY_FILE is empty: \/dev\/null$/],
  ['a key file that does not exist', { ENGINE_KEY_FILE: '/nonexistent' }, /^ENGINE_KEY_FILE is not readable/],
  ['a log level that does not exist', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL is not one of fatal/],
  ['a speed without a recording', {}, /^--speed is set without ENGINE_REPLAY/, ['--speed', '2']],
  ['a negative speed', { ENGINE_REPLAY: tmpdir() }, /^--speed is not a number above 0/, ['--speed=-1']],
  ['a seed that is not a number', { ENGINE_SIMULATE: 'x' }, /^ENGINE_SIMULATE is not a whole number from 0/],
  ['a seed with markets', { ENGINE_SIMULATE: '1', ENGINE_MARKETS: markets }, /^ENGINE_MARKETS and ENGINE_SIMULATE/],
  ['a seed with a recording', { ENGINE_SIMULATE: '1', ENGINE_REPLAY: tmpdir() }, /^ENGINE_REPLAY and ENGINE_SIMUL/],
  [
    'days of history and a recording',
    { ENGINE_REPLAY: tmpdir(), ENGINE_HISTORY_DAYS: '2' },
    /^ENGINE_HISTORY_DAYS is set with ENGINE_REPLAY/,
  ],
  [
    'too many days of history',
    { ENGINE_SIMULATE: '1', ENGINE_HISTORY_DAYS: '61' },
    /^ENGINE_HISTORY_DAYS is not a whole/,
  ],
  [
    'a short horizon of 301 s',
    { ENGINE_SHORT_HORIZON_SECONDS: '301' },
    /^ENGINE_SHORT_HORIZON_SECONDS is not divisible/,
  ],
  [
    'a short horizon of an hour',
    { ENGINE_SHORT_HORIZON_SECONDS: '3600' },
    /^ENGINE_SHORT_HORIZON_SECONDS is not a whole/,
  ],
  ['an unknown option', {}, /Unknown option '--fast'/, ['--fast']],
])('readSettings: names the setting when there is %s', (_name, env, problem, args = []) => {
  const base =
    env.ENGINE_REPLAY || env.ENGINE_SIMULATE || _name.startsWith('no market') ? {} : { ENGINE_MARKETS: markets }
  expect(listProblems({ ...base, ...env }, args)).toEqual([expect.stringMatching(problem)])
})

test('readSettings: reports all problems together when several settings are wrong', () => {
  const problems = listProblems({ ENGINE_PORT: 'x', ENGINE_MARKETS: 'x', ENGINE_HOST: '0.0.0.0' }, ['--speed', '0'])
  const names = problems.map((problem) => problem.split(' ')[0])
  expect(names).toEqual(['ENGINE_PORT', 'ENGINE_MARKETS', '--speed', 'ENGINE_KEY'])
})

test('readSettings: uses the documented defaults when only markets are set', () => {
  expect(readSettings({ ENGINE_MARKETS: markets, ENGINE_PORT: '' }, [])).toMatchObject({
    host: '127.0.0.1',
    port: 3600,
    key: null,
    markets: [
      { venue: 'binance', name: 'BTC/USDT' },
      { venue: 'coinbase', name: 'BTC/USD' },
    ],
    replay: null,
    simulation: null,
    shortHorizonSeconds: null,
    urls: {},
    logLevel: 'info',
    warnings: [],
  })
})

test('readSettings: simulates a market with predictions of five minutes when only a seed is set', () => {
  expect(readSettings({ ENGINE_SIMULATE: '18' }, [])).toMatchObject({
    markets: [],
    simulation: { seed: 18, historyDays: 30 },
    shortHorizonSeconds: 300,
  })
})

test('readSettings: reads every setting when all are set', () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'key'), 'secret\n')
  const env = {
    ENGINE_HOST: '0.0.0.0',
    ENGINE_PORT: '0',
    ENGINE_KEY_FILE: join(folder, 'key'),
    ENGINE_REPLAY: folder,
    ENGINE_DATA: folder,
    ENGINE_KRAKEN_URL: 'ws://127.0.0.1:4000/v2',
    ENGINE_COLOUR: 'red',
  }
  expect(readSettings(env, ['--speed', 'max'])).toMatchObject({
    host: '0.0.0.0',
    port: 0,
    key: 'secret',
    markets: [],
    replay: { folder, speed: Number.POSITIVE_INFINITY },
    dataDir: folder,
    urls: { kraken: 'ws://127.0.0.1:4000/v2' },
    warnings: ['ENGINE_COLOUR is not a setting of the engine and is ignored'],
  })
})
