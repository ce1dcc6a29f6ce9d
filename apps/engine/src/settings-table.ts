import { z } from 'zod'
import { formatMarketKey, type LiveVenue, liveVenues, type Market } from './market.ts'

/** One environment setting: its schema, purpose and an example. */
export interface Setting {
  schema: z.ZodType
  help: string
  example: string
  /** Description of the default. */
  default: string
}

const textSchema = z.string()
const portError = 'not a port (0 to 65535)'
const portSchema = z.coerce.number(portError).int(portError).min(0, portError).max(65_535, portError)
const createWholeNumberSchema = (min: number, max: number) => {
  const error = `not a whole number from ${min} to ${max}`
  return z.coerce.number(error).int(error).min(min, error).max(max, error)
}
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
/** A key that is sent in an HTTP header, which allows no control or non-ASCII characters. */
const keySchema = z.string().regex(/^[\x21-\x7e]+$/, 'not a key: use printable ASCII characters without spaces')
const urlSchema = z.url({ protocol: /^(ws|http)s?$/, error: 'not a ws(s):// or http(s):// URL' })

const marketsSchema = textSchema
  .transform((value) => value.split(',').map((item) => item.trim()))
  .pipe(z.array(textSchema.transform(parseMarket)))
  .refine((list) => new Set(list.map(formatMarketKey)).size === list.length, 'not a list of different markets')

const createSetting = <S extends z.ZodType>(schema: S, defaults: string, example: string, help: string) => ({
  schema,
  default: defaults,
  example,
  help,
})

const createVenueUrlSetting = (host: string) =>
  createSetting(urlSchema, host, 'ws://127.0.0.1:4000', 'WebSocket and REST server of this venue.')

/** All settings of the engine. Each can also be set as NAME_FILE, the path of a file. */
export const settingsTable = {
  ENGINE_HOST: createSetting(textSchema, '127.0.0.1', '0.0.0.0', 'Address to listen on.'),
  ENGINE_PORT: createSetting(portSchema, '3600', '3600', 'Port of the signal feed and of GET /status.'),
  ENGINE_KEY: createSetting(keySchema, '(none)', 'a-long-random-key', 'Key that servers send as a Bearer header.'),
  ENGINE_MARKETS: createSetting(
    marketsSchema,
    '(none)',
    'binance:BTC/USDT,coinbase:BTC/USD',
    'Markets to watch. With ENGINE_REPLAY: which markets of the folder to play.',
  ),
  ENGINE_REPLAY: createSetting(
    textSchema,
    '(none)',
    './recorded',
    'Folder of recorded trades or candles instead of exchanges.',
  ),
  ENGINE_SIMULATE: createSetting(
    createWholeNumberSchema(0, Number.MAX_SAFE_INTEGER),
    '(none)',
    '18',
    'Seed of a simulated market instead of exchanges. For demos.',
  ),
  ENGINE_HISTORY_DAYS: createSetting(
    createWholeNumberSchema(0, 60),
    '30 with ENGINE_SIMULATE, else 0',
    '2',
    'Days of history to replay at the first start: of the simulated market, or of candles that exchanges publish. For demos. The engine needs one day to warm up.',
  ),
  ENGINE_SHORT_HORIZON_SECONDS: createSetting(
    createWholeNumberSchema(300, 3_540).refine((value) => value % 60 === 0, 'not divisible by 60'),
    '300 with ENGINE_SIMULATE, else none',
    '300',
    'Horizon of an additional prediction, shorter than the one-hour prediction.',
  ),
  ENGINE_DATA: createSetting(
    textSchema,
    './data/engine',
    '/var/lib/tocsin-engine',
    'Snapshots, journal and unsent messages.',
  ),
  ENGINE_BINANCE_URL: createVenueUrlSetting('stream.binance.com, data-api.binance.vision'),
  ENGINE_COINBASE_URL: createVenueUrlSetting('ws-feed.exchange.coinbase.com, api.exchange.coinbase.com'),
  ENGINE_KRAKEN_URL: createVenueUrlSetting('ws.kraken.com, api.kraken.com'),
  ENGINE_OKX_URL: createVenueUrlSetting('ws.okx.com, www.okx.com'),
  LOG_LEVEL: createSetting(
    z.enum(logLevels, `not one of ${logLevels.join(', ')}`),
    'info',
    'info',
    'Lowest level that is logged.',
  ),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settingsTable
/** Parsed settings without defaults. */
export type SetValues = { [N in SettingName]?: z.output<(typeof settingsTable)[N]['schema']> }

function parseMarket(value: string, context: z.RefinementCtx): Market {
  const [, venue, name] = /^([a-z-]+):([A-Z0-9]{1,20}\/[A-Z0-9]{1,18})$/.exec(value) ?? []
  if (name === undefined) {
    context.addIssue({ code: 'custom', message: `not a list of markets (venue:BASE/QUOTE): “${shorten(value)}”` })
    return z.NEVER
  }
  const knownVenue = liveVenues.find((one) => one === venue)
  if (!knownVenue) {
    context.addIssue({ code: 'custom', message: `naming the unknown venue “${venue}” (${liveVenues.join(', ')})` })
    return z.NEVER
  }
  return { venue: knownVenue, name }
}

function shorten(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value
}

export const urlSettingNames = {
  binance: 'ENGINE_BINANCE_URL',
  coinbase: 'ENGINE_COINBASE_URL',
  kraken: 'ENGINE_KRAKEN_URL',
  okx: 'ENGINE_OKX_URL',
} as const satisfies Record<LiveVenue, SettingName>
