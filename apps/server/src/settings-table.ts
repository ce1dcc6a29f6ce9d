import { checksumAddress } from '@tocsin/proof'
import { z } from 'zod'
import type { SyslogTarget } from './config.ts'
import { normalizeEmail } from './email-address.ts'

/** A setting of the environment, with its schema, purpose and an example. */
export interface Setting {
  schema: z.ZodType
  help: string
  example: string
  /** Description of the default, for .env.example. */
  default: string
}

const createWholeNumberSchema = (min: number, max: number, error: string) =>
  z.coerce.number(error).int(error).min(min, error).max(max, error)
const port = createWholeNumberSchema(1, 65_535, 'not a port (1 to 65535)')
const positiveNumber = z.coerce.number('not a number').positive('not above 0')
const count = createWholeNumberSchema(0, Number.MAX_SAFE_INTEGER, 'not a whole number')
const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'not an address (0x and 40 hexadecimal digits)')
  .pipe(z.string().transform(toChecksummed))
const privateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'not a private key (0x and 64 hexadecimal digits)')
const httpUrl = z.url({ protocol: /^https?$/, error: 'not an http(s) URL', abort: true })
const httpUrls = z
  .string()
  .transform((value) => value.split(',').map((url) => url.trim()))
  .pipe(z.array(httpUrl).min(1))
/**
 * An origin. Its characters are restricted, because it is used in the Content-Security-Policy: URL
 * parsers accept a semicolon in a host name, but in the policy a semicolon starts a new directive.
 */
const origin = httpUrl
  .transform((value) => value.replace(/\/$/, ''))
  .refine((value) => new URL(value).origin === value && /^[a-z0-9.:/[\]-]+$/.test(value), {
    error: 'not an origin (scheme, host and port in lower case, without a path)',
  })
/**
 * URL of an OpenID Connect issuer. It receives passwords and codes, so TLS is required, except on
 * this machine as in tests.
 */
const issuer = httpUrl.refine((value) => new URL(value).protocol === 'https:' || isOwnMachine(value), {
  error: 'not an https URL',
})
/**
 * URL of the WalletConnect relay, which is also used in the Content-Security-Policy. TLS is
 * required except on this machine, because connections reveal who uses the relay.
 */
const relayUrl = z
  .string()
  .regex(
    /^wss?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?\/?$/,
    'not a wss:// URL with only a host and a port, in lower case and without a path',
  )
  .refine((value) => URL.canParse(value) && (value.startsWith('wss:') || isOwnMachine(value)), {
    error: 'not a wss:// URL',
    abort: true,
  })
  .transform((value) => value.replace(/\/$/, ''))
/**
 * WebSocket URL of a source. WebSocket clients reject fragments, and a password in a URL would
 * appear in logs.
 */
const sourceUrl = z.url({ protocol: /^wss?$/, error: 'not a ws(s):// URL', abort: true }).refine((value) => {
  const { username, password, hash } = new URL(value)
  return username + password + hash === ''
}, 'a URL with a user name, a password or a fragment')
/** A key that is sent in an HTTP header. */
const bearer = z.string().regex(/^[\x21-\x7e]+$/, 'not a key: use printable ASCII characters without spaces')
/** URL of a syslog receiver: `udp://host:514`, `tcp://host:601` or `tls://host:6514`. */
const syslogUrl = z
  .string()
  .regex(
    /^(udp|tcp|tls):\/\/([a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/,
    'not udp://, tcp:// or tls:// with host and port',
  )
  .transform((value): SyslogTarget => {
    const [, name, host = '', digits] = /^(\w+):\/\/(.+):(\d+)$/.exec(value) ?? []
    const protocol = name === 'udp' || name === 'tcp' ? name : 'tls'
    return { protocol, host: host.replace(/^\[|\]$/g, ''), port: Number(digits) }
  })
  .refine(({ port: number }) => number >= 1 && number <= 65_535, 'not a port (1 to 65535)')
const flag = z.enum(['true', 'false'], 'neither true nor false').transform((value) => value === 'true')
const secret = z.string().min(32, 'shorter than 32 characters')
const text = z.string().min(1)
const emailAddress = z.string().transform((value, context) => {
  const email = normalizeEmail(value)
  if (email !== null) return email
  context.addIssue({ code: 'custom', message: 'not a plain email address' })
  return z.NEVER
})
/** Further payment chains. As JSON, because each chain has its own nodes, token and treasury. */
const otherChains = z
  .string()
  .transform((value, context) => {
    try {
      return JSON.parse(value)
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' })
      return z.NEVER
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        chainId: count,
        rpcUrls: z.array(httpUrl).min(1),
        token: evmAddress,
        treasury: evmAddress,
        confirmations: createWholeNumberSchema(1, 10_000, 'not a whole number from 1 to 10000'),
      }),
    ),
  )
  .refine(
    (chains) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length,
    'not a list of different chains',
  )
const logOrigin = z.string().regex(/^[\x21-\x2a\x2c-\x7e]+$/, 'not a name without spaces and plus signs')
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const createSetting = <S extends z.ZodType>(schema: S, defaultText: string, example: string, help: string) => ({
  schema,
  default: defaultText,
  example,
  help,
})

/**
 * All settings, in the order of .env.example. Each can also be set with NAME_FILE, the path of a
 * file that contains the value.
 */
export const settingsTable = {
  PORT: createSetting(port, '3000', '3000', 'Port of the site, the API and the WebSocket.'),
  HOST: createSetting(
    text,
    '127.0.0.1',
    '0.0.0.0',
    'Address to listen on. Put a reverse proxy with TLS in front before you expose it.',
  ),
  PUBLIC_URL: createSetting(
    origin,
    'http://localhost:PORT',
    'https://alerts.example.com',
    'Origin under which users open the site. Cookies, links in emails, the Origin check and wallet sign-in depend on it.',
  ),
  TRUSTED_PROXIES: createSetting(
    count,
    '0',
    '1',
    'Number of reverse proxies in front of the server that append to X-Forwarded-For.',
  ),
  DRAIN_NOTICE_SECONDS: createSetting(
    createWholeNumberSchema(0, 60, 'not a whole number from 0 to 60'),
    '1; 0 in the demo',
    '5',
    'Seconds for which a stopping server accepts connections after /readyz has returned 503.',
  ),
  DEMO: createSetting(
    flag,
    'true; false in the container image',
    'false',
    'Whether the server starts as a demo if no real chain is configured. With false it lists all missing settings and exits.',
  ),
  DEMO_MARKET: createSetting(
    z.enum(['simulated', 'live'], 'neither simulated nor live'),
    'simulated',
    'live',
    'Market of the demo: simulated, or live for public trades of exchanges. If none can be reached, the demo simulates. ENGINE_MARKETS and ENGINE_…_URL choose others.',
  ),
  DATA_DIR: createSetting(
    text,
    './data',
    '/var/lib/tocsin',
    'Folder for the scripts of former builds, which open tabs still load for a day, and for all data of the demo: database, chain, keys and emails.',
  ),
  DATABASE_URL: createSetting(
    z.url({ protocol: /^postgres(ql)?$/, error: 'not a postgres:// URL' }),
    '(embedded)',
    'postgres://tocsin:secret@db.internal:5432/tocsin',
    'URL of the database, PostgreSQL 15 or newer. If unset, the demo starts its own in DATA_DIR.',
  ),
  DATABASE_REPLICA_URL: createSetting(
    z.url({ protocol: /^postgres(ql)?$/, error: 'not a postgres:// URL' }),
    '(none)',
    'postgres://tocsin:secret@replica.internal:5432/tocsin',
    'URL of a streaming replica. The figures of the business page are read from it while it is at most ten seconds behind.',
  ),
  DATABASE_TIMEOUT_SECONDS: createSetting(
    createWholeNumberSchema(1, 600, 'not a whole number of seconds up to 600'),
    '8',
    '15',
    'Maximum duration of one database statement of a request, in seconds. A connection that does not respond within one more second is closed.',
  ),
  CHAIN_ID: createSetting(count, '31337, the local chain', '1', 'ID of the chain on which payments are made.'),
  PAYMENT_RPC_URL: createSetting(
    httpUrls,
    '(local chain)',
    'https://rpc-1.example.com,https://rpc-2.example.com',
    'JSON-RPC URLs of the payment chain, separated by commas. A result needs the agreement of more than half of the nodes. Setting it disables the demo.',
  ),
  TOKEN_ADDRESS: createSetting(
    evmAddress,
    '(deployed on the local chain)',
    '0x…',
    'Address of the ITO token contract. The token has 18 decimals.',
  ),
  TOKEN_EXCHANGE_URL: createSetting(
    z.url({ protocol: /^https$/, error: 'not an https URL' }),
    '(none: no link)',
    'https://exchange.example.com/swap/ITO',
    'Page where users can get the token. A purchase links to it if the wallet holds too little.',
  ),
  TREASURY_ADDRESS: createSetting(
    evmAddress,
    '(a demo address)',
    '0x…',
    'Address that receives payments. Check it twice; buyers see it in full.',
  ),
  CONFIRMATIONS: createSetting(
    createWholeNumberSchema(1, 10_000, 'not a whole number from 1 to 10000'),
    '1',
    '12',
    'Number of confirmations before a payment is credited. The block of the payment is the first one.',
  ),
  PAYMENT_CHAINS: createSetting(
    otherChains,
    '(none)',
    '[{"chainId":137,"rpcUrls":["https://polygon-rpc.example.com"],"token":"0x…","treasury":"0x…","confirmations":64}]',
    'Further chains on which payments are verified, as JSON. An admin can switch between these and CHAIN_ID without a restart.',
  ),
  PAYMENT_MAX_AGE_HOURS: createSetting(
    positiveNumber,
    '72',
    '72',
    'Maximum age of a payment that is credited automatically, in hours.',
  ),
  ORDER_TTL_MINUTES: createSetting(
    createWholeNumberSchema(1, 1_440, 'not a whole number of minutes up to a day'),
    '30',
    '30',
    'How long a purchase keeps its price, in minutes. For 24 hours after that, a payment is still credited if the price is unchanged.',
  ),
  PAYMENT_TOLERANCE_BPS: createSetting(
    createWholeNumberSchema(0, 1_000, 'not a whole number of hundredths of a percent up to 1000'),
    '0',
    '50',
    'Accepted underpayment, in basis points of the price.',
  ),
  TREASURY_KEY: createSetting(
    privateKey,
    '(none: wallets transfer)',
    '0x…',
    'Private key of TREASURY_ADDRESS. If set, wallets approve the exact price and the server collects it; the treasury then pays transaction fees. All income is then accessible from an online machine, so leave it unset unless you need this.',
  ),
  COLLECT_MAX_FEE_GWEI: createSetting(
    positiveNumber.max(1_000_000, 'above 1000000'),
    '500',
    '100',
    'With TREASURY_KEY: maximum fee per gas for collecting, in gwei. A pending transaction is replaced with rising fees up to this limit.',
  ),
  ANCHOR_CHAIN_ID: createSetting(
    count,
    '31337, the local chain',
    '43114',
    'ID of the chain on which the log is anchored. 43114 is the Avalanche C-Chain.',
  ),
  ANCHOR_RPC_URL: createSetting(
    httpUrl,
    '(local chain)',
    'https://api.avax.network/ext/bc/C/rpc',
    'JSON-RPC URL of the anchor chain.',
  ),
  ANCHOR_PUBLIC_RPC_URL: createSetting(
    httpUrl,
    'none; in the demo the local chain',
    'https://api.avax.network/ext/bc/C/rpc',
    'JSON-RPC URL of the anchor chain for visitors’ browsers, which verify alerts against it. It is published, so it must not contain a key, and it must allow requests of other origins (CORS).',
  ),
  ANCHOR_CONTRACT: createSetting(
    evmAddress,
    '(deployed on the local chain)',
    '0x…',
    'Address of the AlertAnchor contract.',
  ),
  ANCHOR_KEY: createSetting(
    privateKey,
    '(generated)',
    '0x…',
    'Private key of the owner of AlertAnchor, which pays for anchors. Keep only a small balance on it, and never use the treasury’s key.',
  ),
  ANCHOR_INTERVAL_SECONDS: createSetting(
    positiveNumber,
    '2 in the demo, else 60',
    '60',
    'Seconds between anchors. An anchor covers all alerts since the last one.',
  ),
  HEARTBEAT_SECONDS: createSetting(
    count,
    'ten anchor intervals, at least 60',
    '600',
    'Seconds without a log entry after which a heartbeat is logged and anchored. 0 disables heartbeats.',
  ),
  SIGNER_KEY: createSetting(
    privateKey,
    '(generated into DATA_DIR)',
    '0x…',
    'Private key that signs every alert. Its holder can issue alerts in your name.',
  ),
  SIGNER_KEY_NEXT: createSetting(
    privateKey,
    '(none)',
    '0x…',
    'Signing key after the next rotation. Set it on every instance before you rotate, and make it SIGNER_KEY afterwards.',
  ),
  LOG_ORIGIN: createSetting(
    logOrigin,
    'host of PUBLIC_URL + /log',
    'alerts.example.com/log',
    'Name of the log in its signed checkpoints. Never change it: verifiers identify the log by this name.',
  ),
  APP_SECRET: createSetting(
    secret,
    '(generated into DATA_DIR)',
    '64 random characters',
    'Key that encrypts stored secrets, such as the feed’s API key.',
  ),
  APP_SECRET_PREVIOUS: createSetting(
    secret,
    '(none)',
    'the former APP_SECRET',
    'A second secret that is accepted while APP_SECRET changes: first the new one, then the former one. Each start re-encrypts stored secrets with APP_SECRET.',
  ),
  LOCAL_CHAIN_PORT: createSetting(port, '8545', '8545', 'JSON-RPC port of the demo’s chain, on loopback only.'),
  ADMIN_EMAIL: createSetting(
    emailAddress,
    'admin@tocsin.local',
    'you@example.com',
    'Email address of the first admin, who is created only while there is no admin.',
  ),
  ADMIN_PASSWORD: createSetting(
    z.string().min(12, 'shorter than 12 characters'),
    '(generated and printed in the demo, else no admin is created)',
    'a long passphrase',
    'Password of the first admin, at least 12 characters.',
  ),
  ADMIN_SECOND_FACTOR: createSetting(
    flag,
    'true',
    'false',
    'Whether admins must enrol a second factor before they can use the admin area. The admin that the demo prints is exempt.',
  ),
  TWO_ADMINS: createSetting(
    flag,
    'false',
    'true',
    'Whether two admins have to approve a change of payment chain, treasury or signing key, which then takes effect after TWO_ADMINS_DELAY_HOURS. Payments go to the approved treasury, whatever TREASURY_ADDRESS and PAYMENT_CHAINS name.',
  ),
  TWO_ADMINS_DELAY_HOURS: createSetting(
    createWholeNumberSchema(1, 720, 'not a whole number of hours from 1 to 720'),
    '24',
    '48',
    'Hours between the approval of such a change and its effect.',
  ),
  GOOGLE_CLIENT_ID: createSetting(
    text,
    '(none: sign-in with Google is not offered)',
    '1234-abc.apps.googleusercontent.com',
    'Client ID for sign-in with Google. The redirect URI is PUBLIC_URL/api/auth/google/callback.',
  ),
  GOOGLE_CLIENT_SECRET: createSetting(text, '(none)', 'GOCSPX-…', 'Client secret for GOOGLE_CLIENT_ID.'),
  LINKEDIN_CLIENT_ID: createSetting(
    text,
    '(none: sign-in with LinkedIn is not offered)',
    '86abcdefgh1234',
    'Client ID for sign-in with LinkedIn. The redirect URI is PUBLIC_URL/api/auth/linkedin/callback.',
  ),
  LINKEDIN_CLIENT_SECRET: createSetting(text, '(none)', 'WPL_AP1.…', 'Client secret for LINKEDIN_CLIENT_ID.'),
  OAUTH_ISSUER_GOOGLE: createSetting(
    issuer,
    'https://accounts.google.com',
    'http://localhost:9000',
    'OpenID Connect issuer that replaces Google, for tests with your own provider.',
  ),
  OAUTH_ISSUER_LINKEDIN: createSetting(
    issuer,
    'https://www.linkedin.com/oauth',
    'http://localhost:9000',
    'OpenID Connect issuer that replaces LinkedIn, for tests with your own provider.',
  ),
  WALLETCONNECT_PROJECT_ID: createSetting(
    z.string().regex(/^[0-9a-f]{32}$/, 'not a project id (32 hexadecimal digits)'),
    '(none: WalletConnect is not offered and not loaded)',
    '0123456789abcdef0123456789abcdef',
    'Enables wallets on other devices through WalletConnect. Its relay sees the time and network address of connections, but not their content.',
  ),
  WALLETCONNECT_RELAY_URL: createSetting(
    relayUrl,
    'wss://relay.walletconnect.org',
    'wss://relay.example.com',
    'URL of the WalletConnect relay, the only other host that pages may then connect to.',
  ),
  SMTP_URL: createSetting(
    z.url({ protocol: /^smtps?$/, error: 'not an smtp:// URL' }),
    '(.eml files in DATA_DIR/outbox)',
    'smtps://user:secret@mail.example.com',
    'URL of the mail server for outgoing email.',
  ),
  MAIL_FROM: createSetting(text, 'Tocsin <alerts@tocsin.local>', 'Tocsin <alerts@example.com>', 'Sender of emails.'),
  SUPPORT_EMAIL: createSetting(
    text,
    '(none)',
    'support@example.com',
    'Recipient of messages from the support form, which are also stored in the database.',
  ),
  TELEGRAM_BOT_TOKEN: createSetting(
    z.string().regex(/^\d+:[\w-]{20,}$/, 'not a token of a Telegram bot'),
    '(none: Telegram is not offered)',
    '1234567890:AA…',
    'Token of the Telegram bot that sends alerts, from @BotFather. The server polls the messages of the bot; no other program may do so.',
  ),
  TELEGRAM_API_ROOT: createSetting(
    z.url({ protocol: /^https?$/, error: 'not an http(s):// URL' }),
    'https://api.telegram.org',
    'https://telegram-api.example.com',
    'URL of the Telegram Bot API, for example of your own server.',
  ),
  PUSH_CONTACT: createSetting(
    z.string().regex(/^(mailto:[^\s@<>]+@[^\s@<>]+|https:\/\/\S+)$/, 'neither a mailto: nor an https: address'),
    'SUPPORT_EMAIL, else the address in MAIL_FROM',
    'mailto:operator@example.com',
    'Where push services of browsers reach the operator. It is sent with each web push message.',
  ),
  PUSH_PRIVATE_KEY: createSetting(
    z.string().regex(/^[0-9a-f]{64}$/, 'not 32 bytes in hexadecimal digits'),
    '(generated at first use and stored encrypted)',
    '64 hexadecimal digits',
    'Private key for web push (P-256). Subscriptions of browsers are bound to it.',
  ),
  PUBLIC_DELAY_HOURS: createSetting(
    z.coerce.number('not a number').min(0, 'below 0'),
    '24',
    '24',
    'Hours after which an alert becomes public.',
  ),
  SHARE_LINK_HOURS: createSetting(
    createWholeNumberSchema(0, 168, 'not a whole number from 0 to 168'),
    '24',
    '24',
    'Hours for which a link that a subscriber shares shows an alert that is not public yet. 0 switches sharing off, even for existing links.',
  ),
  FEED_URL: createSetting(
    sourceUrl,
    '(the demo’s engine in the demo, else none)',
    'wss://signals.example.com/stream',
    'WebSocket URL of the external signal feed.',
  ),
  FEED_COOLDOWN_SECONDS: createSetting(
    createWholeNumberSchema(0, 86_400, 'not a whole number of seconds up to a day'),
    '30',
    '60',
    'Seconds in which further signals of the same asset and anomaly are counted under the existing alert, unless their priority is higher.',
  ),
  FEED_API_KEY: createSetting(bearer, '(none)', 'key', 'API key of the feed, sent as a bearer token.'),
  FEED_ALLOW_PRIVATE: createSetting(
    flag,
    'true in the demo, else false',
    'false',
    'Whether the feed may have a private or loopback address.',
  ),
  CHANNELS_ALLOW_PRIVATE: createSetting(
    flag,
    'true in the demo, else false',
    'false',
    'Whether users may enter webhooks, chats and push services at private or loopback addresses, and without TLS.',
  ),
  MARKET_DATA_URL: createSetting(
    sourceUrl,
    '(the demo’s engine in the demo, else none)',
    'ws://127.0.0.1:3600/ticks',
    'WebSocket URL of a source of live prices in the engine’s tick format. Without it, pages do not show current prices.',
  ),
  MARKET_DATA_KEY: createSetting(
    bearer,
    '(none)',
    'a-long-random-key',
    'Key for MARKET_DATA_URL, sent as a bearer token. For the engine it is ENGINE_KEY.',
  ),
  SYSLOG_URL: createSetting(
    syslogUrl,
    '(none)',
    'tls://logs.example.com:6514',
    'Syslog receiver (RFC 5424) of the security log: udp://, tcp:// or tls:// with host and port. Use tls outside of a private network.',
  ),
  SECURITY_LOG_DAYS: createSetting(
    createWholeNumberSchema(90, 3_650, 'not a whole number of days from 90 to 3650'),
    '365',
    '730',
    'How long security events are kept, in days. The database refuses to delete events of the last 90 days.',
  ),
  AUDIT_LOG_DAYS: createSetting(
    createWholeNumberSchema(365, 36_500, 'not a whole number of days from 365 to 36500'),
    '(none: kept forever)',
    '3650',
    'How long the audit log of admin actions is kept, in days. The database refuses to delete entries of the last 365 days.',
  ),
  DELIVERIES_DAYS: createSetting(
    createWholeNumberSchema(7, 3_650, 'not a whole number of days from 7 to 3650'),
    '30',
    '90',
    'Days for which the delivery ledger of destinations is kept.',
  ),
  LETTERS_DAYS: createSetting(
    createWholeNumberSchema(30, 36_500, 'not a whole number of days from 30 to 36500'),
    '(none: kept until the account is deleted)',
    '730',
    'Days after the last message until an answered or closed support message is deleted with its replies and notes. Open messages are kept.',
  ),
  BREACHED_PASSWORDS: createSetting(
    text,
    '(none: only common passwords are refused)',
    '/var/lib/tocsin/pwnedpasswords.txt',
    'Path of a list of breached passwords as the downloader of Have I Been Pwned writes it (SHA-1, one file, ordered). New passwords in it are refused.',
  ),
  RESET_PASSWORD_MIN_LENGTH: createSetting(
    createWholeNumberSchema(6, 64, 'not a whole number from 6 to 64'),
    '6',
    '8',
    'Minimum length of a password that a subscriber sets with a reset link. Sign-up and changes need 8 characters, staff need 12. Set 8 to meet OWASP ASVS 5.0, 6.2.1.',
  ),
  GEO_DATABASE: createSetting(
    text,
    '(none: no places)',
    '/var/lib/tocsin/city.mmdb',
    'Path of a database in MaxMind’s format (GeoLite2 City, DB-IP City). With it, the list of sessions and emails about new sign-ins name the place. A replaced file is read within seconds.',
  ),
  METRICS_TOKEN: createSetting(text, '(loopback only)', '32 random characters', 'Bearer token for /metrics.'),
  LOG_LEVEL: createSetting(
    z.enum(logLevels, `not one of ${logLevels.join(', ')}`),
    'info',
    'info',
    'Lowest level that is logged.',
  ),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settingsTable
/** Parsed settings, without default values. */
export type SetValues = { [N in SettingName]?: z.output<(typeof settingsTable)[N]['schema']> }

function isOwnMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}

function toChecksummed(value: string, context: z.RefinementCtx) {
  try {
    return checksumAddress(value)
  } catch {
    context.addIssue({ code: 'custom', message: 'mistyped: its capital letters do not match the EIP-55 checksum' })
    return z.NEVER
  }
}

/** Returns the text of .env.example. */
export function envExample(): string {
  const head = [
    '# All settings of Tocsin. The demo needs none of them. Each can also be set as NAME_FILE.',
    '# Put a value that contains $ or # in single quotes.\n',
  ].join('\n')
  const entries = Object.entries(settingsTable).map(
    ([name, { help, example, default: defaults }]) => `\n# ${help}\n# Default: ${defaults}\n# ${name}=${example}\n`,
  )
  return head + entries.join('')
}
