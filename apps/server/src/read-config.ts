import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import type { Config, ProviderConfig } from './config.ts'
import { defaultStatementSeconds } from './db/database.ts'
import { deriveAddress, findSharedKeys } from './separate-keys.ts'
import { type SettingName, type SetValues, settingsTable } from './settings-table.ts'

export type Env = Record<string, string | undefined>

/** How long a stopping server waits for pending responses. */
const DRAIN_TIMEOUT_MS = 8_000

/**
 * Settings from the environment. In the demo, `set` may be incomplete, because the demo starts the
 * parts that are not set.
 */
export interface Settings {
  demo: boolean
  dataDir: string
  port: number
  host: string
  localChainPort: number
  set: SetValues
  /** Markets and exchange addresses for the engine of a demo on live markets. */
  engineEnv: Record<string, string>
  warnings: string[]
}

/** Reports all problems of the environment together, each with name, problem and example. */
export class ConfigError extends Error {
  readonly problems: string[]

  /** @param warnings problems that would not have prevented the start */
  constructor(problems: string[], warnings: string[] = []) {
    const title = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`
    super([title, ...problems.map((problem) => `  - ${problem}`), ...warnings].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Settings for a real chain. If one of them is set, this is a production installation, which must
 * have all settings of REQUIRED_IN_PRODUCTION.
 */
const PRODUCTION_ONLY_SETTINGS: SettingName[] = ['PAYMENT_RPC_URL', 'ANCHOR_RPC_URL']
const REQUIRED_IN_PRODUCTION: SettingName[] = [
  'PUBLIC_URL',
  'DATABASE_URL',
  'CHAIN_ID',
  'PAYMENT_RPC_URL',
  'TOKEN_ADDRESS',
  'TREASURY_ADDRESS',
  'ANCHOR_CHAIN_ID',
  'ANCHOR_RPC_URL',
  'ANCHOR_CONTRACT',
  'ANCHOR_KEY',
  'SIGNER_KEY',
  'APP_SECRET',
  'SMTP_URL',
  'MAIL_FROM',
]
/** Settings of a production installation, which are rejected in the demo. */
const REJECTED_IN_DEMO: SettingName[] = [
  'CHAIN_ID',
  'TOKEN_ADDRESS',
  'TREASURY_ADDRESS',
  'TREASURY_KEY',
  'PAYMENT_CHAINS',
  'ANCHOR_CHAIN_ID',
  'ANCHOR_CONTRACT',
  'ANCHOR_KEY',
]

const DEFAULT_COOLDOWN_SECONDS = 30

/**
 * Reads the settings from the environment.
 * @param installation.hasDemo false if the demo is not installed: then all settings of
 * REQUIRED_IN_PRODUCTION are required
 * @throws ConfigError with all problems
 */
export function readSettings(env: Env, { hasDemo = true } = {}): Settings {
  const problems: string[] = []
  const set = parseSettings(env, problems)
  const realChainSettings = PRODUCTION_ONLY_SETTINGS.filter((name) => set[name] !== undefined)
  const demo = hasDemo && realChainSettings.length === 0 && set.DEMO !== false
  if (set.DEMO && !demo) {
    const reason = hasDemo
      ? `there are real chains (${realChainSettings.join(', ')})`
      : 'this installation contains no demo'
    problems.push(`DEMO is true, but ${reason}: unset DEMO`)
  }

  if (demo) {
    for (const name of REJECTED_IN_DEMO) {
      if (set[name] === undefined || (name.endsWith('CHAIN_ID') && set[name] === localChainId)) continue
      problems.push(
        `${name} is set, but this is a demo on a local chain: set PAYMENT_RPC_URL and ANCHOR_RPC_URL too, or unset it`,
      )
    }
  } else {
    for (const name of REQUIRED_IN_PRODUCTION) {
      if (set[name] !== undefined || problems.some((problem) => problem.startsWith(`${name} `))) continue
      problems.push(`${name} is missing: ${settingsTable[name].help} Example: ${name}=${settingsTable[name].example}`)
    }
  }
  if (set.TREASURY_KEY && set.TREASURY_ADDRESS && deriveAddress(set.TREASURY_KEY) !== set.TREASURY_ADDRESS) {
    problems.push('TREASURY_KEY is not the key of TREASURY_ADDRESS, so approved tokens could not be collected')
  }
  problems.push(...findSharedKeys(set))
  for (const name of ['GOOGLE_CLIENT', 'LINKEDIN_CLIENT'] as const) {
    const [id, secret] = [set[`${name}_ID`], set[`${name}_SECRET`]]
    if ((id === undefined) !== (secret === undefined)) {
      problems.push(`${name}_ID and ${name}_SECRET go together: set both or neither`)
    }
  }
  if (set.DEMO_MARKET && !demo) problems.push('DEMO_MARKET is set, but this is not a demo: unset it')
  if (set.DEMO_MARKET === 'live' && set.FEED_URL) {
    problems.push('DEMO_MARKET=live and FEED_URL are both set: keep one, because the feed replaces the engine')
  }
  const engineEnv = set.DEMO_MARKET === 'live' ? readEngineEnv(env, problems) : {}
  if (set.MARKET_DATA_KEY && !set.MARKET_DATA_URL) {
    problems.push('MARKET_DATA_KEY is set without MARKET_DATA_URL: set both, or unset it')
  }
  if (set.WALLETCONNECT_RELAY_URL && !set.WALLETCONNECT_PROJECT_ID) {
    problems.push('WALLETCONNECT_RELAY_URL is set without WALLETCONNECT_PROJECT_ID: set both, or unset it')
  }
  if (problems.length > 0) throw new ConfigError(problems, listUnknownNames(env))
  return {
    demo,
    dataDir: resolve(set.DATA_DIR ?? './data'),
    port: set.PORT ?? 3000,
    host: set.HOST ?? '127.0.0.1',
    localChainPort: set.LOCAL_CHAIN_PORT ?? 8545,
    set,
    engineEnv,
    warnings: [...listUnknownNames(env), ...listRisks(set, demo)],
  }
}

/** Returns warnings about settings that are valid but unsafe in production. */
function listRisks(set: Settings['set'], demo: boolean): string[] {
  if (demo || set.ADMIN_SECOND_FACTOR !== false) return []
  return [
    'ADMIN_SECOND_FACTOR=false: a stolen password is enough to access the admin area. Set it to true before others can sign in',
  ]
}

const venues = ['binance', 'coinbase', 'kraken', 'okx']

/** Returns the settings that the demo passes to the engine. Adds malformed ones to `problems`. */
function readEngineEnv(env: Env, problems: string[]): Record<string, string> {
  const names = ['ENGINE_MARKETS', ...venues.map((venue) => `ENGINE_${venue.toUpperCase()}_URL`)]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]?.trim()
      if (!value) return []
      const isValid =
        name === 'ENGINE_MARKETS'
          ? value.split(',').every((market) => marketPattern.test(market.trim()))
          : /^(ws|http)s?:/.test(value) && URL.canParse(value)
      const form =
        name === 'ENGINE_MARKETS' ? `a list of markets of ${venues.join(', ')}` : 'a ws(s):// or http(s):// URL'
      if (!isValid) problems.push(`${name} is not ${form}`)
      return [[name, value]]
    }),
  )
}

const marketPattern = new RegExp(`^(${venues.join('|')}):[A-Z0-9]{1,20}/[A-Z0-9]{1,18}$`)

function parseSettings(env: Env, problems: string[]): SetValues {
  const entries = Object.entries(settingsTable).flatMap(([name, { schema, example }]) => {
    const rawText = readValue(env, name, problems)
    if (rawText === undefined || rawText === '') return []
    const result = schema.safeParse(rawText)
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

function listUnknownNames(env: Env): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('TOCSIN_'))
    .map((name) => `${name} is not a setting of Tocsin and is ignored`)
}

/** Parts of the configuration that either the environment or the demo supplies. */
export interface ConfigParts {
  databaseUrl: string
  payment: Pick<Config['payment'], 'chainId' | 'rpcUrls' | 'token' | 'treasury'>
  anchor: Pick<Config['anchor'], 'chainId' | 'rpcUrl' | 'contract' | 'key'>
  signerKey: Config['signerKey']
  signerKeyNext: Config['signerKeyNext']
  appSecret: string
  demoMarket: Config['demoMarket']
  feed: { endpoint: string | null; apiKey: string | null }
  marketData: Config['marketData']
  adminPassword: string | null
}

/** Returns the parts of a production installation. `readSettings` has checked that they are set. */
export function getProductionParts({ set }: Settings): ConfigParts {
  return {
    databaseUrl: requireSetting(set.DATABASE_URL),
    payment: {
      chainId: requireSetting(set.CHAIN_ID),
      rpcUrls: requireSetting(set.PAYMENT_RPC_URL),
      token: requireSetting(set.TOKEN_ADDRESS),
      treasury: requireSetting(set.TREASURY_ADDRESS),
    },
    anchor: {
      chainId: requireSetting(set.ANCHOR_CHAIN_ID),
      rpcUrl: requireSetting(set.ANCHOR_RPC_URL),
      contract: requireSetting(set.ANCHOR_CONTRACT),
      key: toHex(requireSetting(set.ANCHOR_KEY)),
    },
    signerKey: toHex(requireSetting(set.SIGNER_KEY)),
    signerKeyNext: set.SIGNER_KEY_NEXT ? toHex(set.SIGNER_KEY_NEXT) : null,
    appSecret: requireSetting(set.APP_SECRET),
    feed: { endpoint: set.FEED_URL ?? null, apiKey: set.FEED_API_KEY ?? null },
    marketData: null,
    demoMarket: null,
    adminPassword: set.ADMIN_PASSWORD ?? null,
  }
}

/** Combines environment and parts into the configuration. */
export function completeConfig(
  { demo, dataDir, port, host, set }: Settings,
  parts: ConfigParts,
  version: string,
  webDir: string,
): Config {
  const publicUrl = set.PUBLIC_URL ?? `http://localhost:${port}`
  const adminEmail = set.ADMIN_EMAIL ?? 'admin@tocsin.local'
  const intervalSeconds = set.ANCHOR_INTERVAL_SECONDS ?? (demo ? 2 : 60)
  return {
    demo,
    demoMarket: parts.demoMarket,
    version,
    http: {
      port,
      host,
      publicUrl,
      webDir,
      keptAssetsDir: resolve(dataDir, 'web-assets'),
      trustedProxies: set.TRUSTED_PROXIES ?? 0,
      drain: { noticeMs: (set.DRAIN_NOTICE_SECONDS ?? (demo ? 0 : 1)) * 1000, timeoutMs: DRAIN_TIMEOUT_MS },
    },
    databaseUrl: parts.databaseUrl,
    replicaUrl: set.DATABASE_REPLICA_URL ?? null,
    databaseTimeoutSeconds: set.DATABASE_TIMEOUT_SECONDS ?? defaultStatementSeconds,
    payment: { ...parts.payment, confirmations: set.CONFIRMATIONS ?? 1, maxAgeHours: set.PAYMENT_MAX_AGE_HOURS ?? 72 },
    orders: {
      ttlMinutes: set.ORDER_TTL_MINUTES ?? 30,
      toleranceBps: set.PAYMENT_TOLERANCE_BPS ?? 0,
      treasuryKey: set.TREASURY_KEY ? toHex(set.TREASURY_KEY) : null,
      maxFeeGwei: set.COLLECT_MAX_FEE_GWEI ?? 500,
    },
    otherPaymentChains: (set.PAYMENT_CHAINS ?? []).filter(({ chainId }) => chainId !== parts.payment.chainId),
    anchor: {
      ...parts.anchor,
      publicRpcUrl: set.ANCHOR_PUBLIC_RPC_URL ?? null,
      intervalSeconds,
      heartbeatSeconds: set.HEARTBEAT_SECONDS ?? Math.max(60, 10 * intervalSeconds),
    },
    signerKey: parts.signerKey,
    signerKeyNext: parts.signerKeyNext,
    logOrigin: set.LOG_ORIGIN ?? `${new URL(publicUrl).host}/log`,
    appSecret: parts.appSecret,
    appSecretPrevious: set.APP_SECRET_PREVIOUS ?? null,
    providers: {
      google: completeProvider(
        set.OAUTH_ISSUER_GOOGLE ?? 'https://accounts.google.com',
        set.GOOGLE_CLIENT_ID,
        set.GOOGLE_CLIENT_SECRET,
      ),
      linkedin: completeProvider(
        set.OAUTH_ISSUER_LINKEDIN ?? 'https://www.linkedin.com/oauth',
        set.LINKEDIN_CLIENT_ID,
        set.LINKEDIN_CLIENT_SECRET,
      ),
    },
    tokenExchangeUrl: set.TOKEN_EXCHANGE_URL ?? null,
    walletConnect: set.WALLETCONNECT_PROJECT_ID
      ? {
          projectId: set.WALLETCONNECT_PROJECT_ID,
          relayUrl: set.WALLETCONNECT_RELAY_URL ?? 'wss://relay.walletconnect.org',
        }
      : null,
    mail: {
      smtpUrl: set.SMTP_URL ?? null,
      from: set.MAIL_FROM ?? 'Tocsin <alerts@tocsin.local>',
      supportEmail: set.SUPPORT_EMAIL ?? null,
      outboxDir: resolve(dataDir, 'outbox'),
    },
    telegram: set.TELEGRAM_BOT_TOKEN
      ? { token: set.TELEGRAM_BOT_TOKEN, apiRoot: set.TELEGRAM_API_ROOT ?? 'https://api.telegram.org' }
      : null,
    push: { contact: set.PUSH_CONTACT ?? formatContact(set), privateKey: set.PUSH_PRIVATE_KEY ?? null },
    channels: { allowPrivate: set.CHANNELS_ALLOW_PRIVATE ?? demo },
    feed: {
      allowPrivate: set.FEED_ALLOW_PRIVATE ?? demo,
      cooldownSeconds: set.FEED_COOLDOWN_SECONDS ?? DEFAULT_COOLDOWN_SECONDS,
      ...parts.feed,
    },
    marketData: set.MARKET_DATA_URL ? { url: set.MARKET_DATA_URL, key: set.MARKET_DATA_KEY ?? null } : parts.marketData,
    firstAdmin: parts.adminPassword ? { email: adminEmail, password: parts.adminPassword } : null,
    adminFactor: {
      isRequired: set.ADMIN_SECOND_FACTOR ?? true,
      exemptEmail: demo ? adminEmail : null,
    },
    twoAdmins: {
      isOn: set.TWO_ADMINS ?? false,
      delayHours: set.TWO_ADMINS_DELAY_HOURS ?? 24,
      configured: [parts.payment, ...(set.PAYMENT_CHAINS ?? [])].map(({ chainId, treasury }) => ({
        chainId,
        treasury,
      })),
    },
    publicDelayHours: set.PUBLIC_DELAY_HOURS ?? 24,
    shareLinkHours: set.SHARE_LINK_HOURS ?? 24,
    securityLog: { syslog: set.SYSLOG_URL ?? null, keptDays: set.SECURITY_LOG_DAYS ?? 365 },
    auditLogDays: set.AUDIT_LOG_DAYS ?? null,
    deliveriesDays: set.DELIVERIES_DAYS ?? 30,
    supportMessagesDays: set.LETTERS_DAYS ?? null,
    geoDatabase: set.GEO_DATABASE ?? null,
    breachedPasswords: set.BREACHED_PASSWORDS ?? null,
    resetPasswordMinLength: set.RESET_PASSWORD_MIN_LENGTH ?? 6,
    metricsToken: set.METRICS_TOKEN ?? null,
    logLevel: set.LOG_LEVEL ?? 'info',
  }
}

function completeProvider(
  issuer: string,
  clientId: string | undefined,
  clientSecret: string | undefined,
): ProviderConfig | null {
  return clientId && clientSecret ? { issuer, clientId, clientSecret } : null
}

function requireSetting<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A required setting was not checked')
  return value
}

const toHex = (value: string) => `0x${value.slice(2)}` as const

/**
 * Returns the contact for push services: the operator's address, because the services reject
 * addresses that do not exist.
 */
function formatContact({ SUPPORT_EMAIL, MAIL_FROM }: SetValues): string {
  const address = SUPPORT_EMAIL ?? /<([^<>]+)>\s*$/.exec(MAIL_FROM ?? '')?.[1] ?? MAIL_FROM
  return `mailto:${address ?? 'alerts@tocsin.local'}`
}
