import { checksumAddress } from '@tocsin/proof'
import { z } from 'zod'

/** One environment setting: its schema, purpose and an example. */
export interface Setting {
  schema: z.ZodType
  help: string
  example: string
  /** Description of the default, for .env.example. */
  default: string
}

const wholeNumber = (min: number, max: number, error: string) =>
  z.coerce.number(error).int(error).min(min, error).max(max, error)
const port = wholeNumber(1, 65_535, 'not a port (1 to 65535)')
const positive = z.coerce.number('not a number').positive('not above 0')
const count = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'not a whole number')
const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'not an address (0x and 40 hexadecimal digits)')
  .pipe(z.string().transform(toChecksummed))
const privateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'not a private key (0x and 64 hexadecimal digits)')
const httpUrl = z.url({ protocol: /^https?$/, error: 'not an http(s) URL' })
const httpUrls = z
  .string()
  .transform((value) => value.split(',').map((url) => url.trim()))
  .pipe(z.array(httpUrl).min(1))
/**
 * The value is used in the Content-Security-Policy, where a semicolon would start a new directive;
 * URL parsers accept semicolons in host names.
 */
const origin = httpUrl
  .transform((value) => value.replace(/\/$/, ''))
  .refine((value) => new URL(value).origin === value && /^[a-z0-9.:/[\]-]+$/.test(value), {
    error: 'not an origin alone, in lower case and without a path',
  })
/** Receives passwords and codes, so TLS is required except on this machine, as in tests. */
const issuer = httpUrl.refine((value) => new URL(value).protocol === 'https:' || isOwnMachine(value), {
  error: 'not an https URL',
})
/**
 * Also used in the Content-Security-Policy. Requires TLS except on this machine, because
 * connections reveal who uses it.
 */
const relayUrl = z
  .string()
  .regex(
    /^wss?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?\/?$/,
    'not a wss:// URL of a host alone, in lower case and without a path',
  )
  .refine((value) => URL.canParse(value) && (value.startsWith('wss:') || isOwnMachine(value)), {
    error: 'not a wss:// URL',
    abort: true,
  })
  .transform((value) => value.replace(/\/$/, ''))
const flag = z.enum(['true', 'false'], 'neither true nor false').transform((value) => value === 'true')
const secret = z.string().min(32, 'shorter than 32 characters')
const text = z.string().min(1)
/** JSON, because each chain has its own node, token and treasury. */
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
        confirmations: wholeNumber(1, 10_000, 'not a whole number from 1 on'),
      }),
    ),
  )
  .refine((chains) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length, 'naming a chain twice')
const logOrigin = z.string().regex(/^[\x21-\x2a\x2c-\x7e]+$/, 'not a name without spaces and plus signs')
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const setting = <S extends z.ZodType>(schema: S, defaults: string, example: string, help: string) => ({
  schema,
  default: defaults,
  example,
  help,
})

/**
 * All settings, in the order of .env.example. Each can also be set as NAME_FILE, the path of a file
 * with the value.
 */
export const settingsTable = {
  PORT: setting(port, '3000', '3000', 'Port of the site, the API and the socket.'),
  HOST: setting(
    text,
    '127.0.0.1',
    '0.0.0.0',
    'Address to listen on. Put a proxy with TLS in front before you open it.',
  ),
  PUBLIC_URL: setting(
    origin,
    'http://localhost:PORT',
    'https://alerts.example.com',
    'Origin that people type: cookies, links in mails, the Origin check and wallet sign-in are bound to it.',
  ),
  TRUSTED_PROXIES: setting(
    count,
    '0',
    '1',
    'How many proxies in front of us add to X-Forwarded-For. Too many, and rate limits can be dodged.',
  ),
  DRAIN_NOTICE_SECONDS: setting(
    wholeNumber(0, 60, 'not a whole number from 0 to 60'),
    '1; 0 in the demo',
    '5',
    'How long a stopping server still accepts connections after /readyz has answered 503.',
  ),
  DEMO: setting(
    flag,
    'true; false in the container image',
    'false',
    'Whether a start without real chains is a demo. With false it is refused, and all that is missing is named.',
  ),
  DATA_DIR: setting(text, './data', '/var/lib/tocsin', 'Everything that the demo keeps: database, chain, keys, mails.'),
  DATABASE_URL: setting(
    z.url({ protocol: /^postgres(ql)?$/, error: 'not a postgres:// URL' }),
    '(embedded)',
    'postgres://tocsin:secret@db.internal:5432/tocsin',
    'PostgreSQL 15 or newer. Unset: a private one is started in DATA_DIR.',
  ),
  DATABASE_TIMEOUT_SECONDS: setting(
    wholeNumber(1, 600, 'not a whole number of seconds up to 600'),
    '8',
    '15',
    'How long one database statement of a request may take. A connection that is silent for a second longer is closed.',
  ),
  CHAIN_ID: setting(count, '31337, the local chain', '1', 'Chain that payments are made on.'),
  PAYMENT_RPC_URL: setting(
    httpUrls,
    '(local chain)',
    'https://rpc-1.example.com,https://rpc-2.example.com',
    'JSON-RPC of the payment chain, several separated by commas: what more than half of them say counts. Setting it turns the demo off.',
  ),
  TOKEN_ADDRESS: setting(evmAddress, '(deployed on the local chain)', '0x…', 'The ITO token contract, 18 decimals.'),
  TREASURY_ADDRESS: setting(
    evmAddress,
    '(a demo address)',
    '0x…',
    'Where payments go. Check it twice: it is shown to every buyer in full.',
  ),
  CONFIRMATIONS: setting(
    wholeNumber(1, 10_000, 'not a whole number from 1 on'),
    '1',
    '12',
    'Blocks, its own included, before a payment counts.',
  ),
  PAYMENT_CHAINS: setting(
    otherChains,
    '(none)',
    '[{"chainId":137,"rpcUrls":["https://polygon-rpc.example.com"],"token":"0x…","treasury":"0x…","confirmations":64}]',
    'Further chains that payments are verified on, as JSON: an admin can choose among these and CHAIN_ID without a restart.',
  ),
  PAYMENT_MAX_AGE_HOURS: setting(positive, '72', '72', 'A payment older than this is not credited automatically.'),
  ORDER_TTL_MINUTES: setting(
    wholeNumber(1, 1_440, 'not a whole number of minutes up to a day'),
    '30',
    '30',
    'How long a purchase keeps its price. A payment that comes later counts for another day, if the price is still the same.',
  ),
  PAYMENT_TOLERANCE_BPS: setting(
    wholeNumber(0, 1_000, 'not a whole number of hundredths of a percent up to 1000'),
    '0',
    '50',
    'By how many hundredths of a percent of the price a payment may fall short and still count as paid.',
  ),
  TREASURY_KEY: setting(
    privateKey,
    '(none: wallets transfer)',
    '0x…',
    'Key of TREASURY_ADDRESS. With it wallets approve the exact price and the server collects it, for which the treasury needs a few coins for fees. It puts all income on an online machine: leave it unset unless you need this.',
  ),
  COLLECT_MAX_FEE_GWEI: setting(
    positive.max(1_000_000, 'above 1000000'),
    '500',
    '100',
    'With TREASURY_KEY: the most that collecting offers for a unit of gas, in gwei. A transaction that no block takes is sent again with a higher fee up to here.',
  ),
  ANCHOR_CHAIN_ID: setting(
    count,
    '31337, the local chain',
    '43114',
    'Chain that anchors the log; 43114 is the Avalanche C-Chain.',
  ),
  ANCHOR_RPC_URL: setting(
    httpUrl,
    '(local chain)',
    'https://api.avax.network/ext/bc/C/rpc',
    'JSON-RPC of the anchor chain.',
  ),
  ANCHOR_CONTRACT: setting(evmAddress, '(deployed on the local chain)', '0x…', 'The AlertAnchor contract.'),
  ANCHOR_KEY: setting(
    privateKey,
    '(generated)',
    '0x…',
    'Owner of AlertAnchor: pays for anchors. Keep little on it; never the treasury’s key.',
  ),
  ANCHOR_INTERVAL_SECONDS: setting(
    positive,
    '2 in the demo, else 60',
    '60',
    'An anchor covers all alerts since the last one.',
  ),
  HEARTBEAT_SECONDS: setting(
    count,
    'ten anchor intervals, at least 60',
    '600',
    'After so many quiet seconds a heartbeat is logged and anchored. 0 switches it off.',
  ),
  SIGNER_KEY: setting(
    privateKey,
    '(generated into DATA_DIR)',
    '0x…',
    'Signs every alert. Who has it can state alerts in your name.',
  ),
  SIGNER_KEY_NEXT: setting(
    privateKey,
    '(none)',
    '0x…',
    'Signs once the log names it: set it on every instance before you rotate, and make it SIGNER_KEY afterwards.',
  ),
  LOG_ORIGIN: setting(
    logOrigin,
    'host of PUBLIC_URL + /log',
    'alerts.example.com/log',
    'Name under which the log signs its checkpoints. Never change it: those who watch the log know it by this name.',
  ),
  APP_SECRET: setting(
    secret,
    '(generated into DATA_DIR)',
    '64 random characters',
    'Encrypts stored secrets, such as the feed’s key.',
  ),
  APP_SECRET_PREVIOUS: setting(
    secret,
    '(none)',
    'the APP_SECRET before',
    'Set it when you change APP_SECRET: what the one before encrypted is encrypted anew at the next start.',
  ),
  LOCAL_CHAIN_PORT: setting(port, '8545', '8545', 'JSON-RPC of the demo’s chain, loopback only.'),
  ADMIN_EMAIL: setting(text, 'admin@tocsin.local', 'you@example.com', 'First admin, made only while there is none.'),
  ADMIN_PASSWORD: setting(
    z.string().min(12, 'shorter than 12 characters'),
    '(generated and printed in the demo, else no admin is made)',
    'a long sentence',
    'Password of the first admin, at least 12 characters.',
  ),
  GOOGLE_CLIENT_ID: setting(
    text,
    '(none: the button says that Google is not configured)',
    '1234-abc.apps.googleusercontent.com',
    'Sign-in with Google. Its redirect URI is PUBLIC_URL/api/auth/google/callback.',
  ),
  GOOGLE_CLIENT_SECRET: setting(text, '(none)', 'GOCSPX-…', 'Goes with GOOGLE_CLIENT_ID.'),
  LINKEDIN_CLIENT_ID: setting(
    text,
    '(none: the button says that LinkedIn is not configured)',
    '86abcdefgh1234',
    'Sign-in with LinkedIn. Its redirect URI is PUBLIC_URL/api/auth/linkedin/callback.',
  ),
  LINKEDIN_CLIENT_SECRET: setting(text, '(none)', 'WPL_AP1.…', 'Goes with LINKEDIN_CLIENT_ID.'),
  OAUTH_ISSUER_GOOGLE: setting(
    issuer,
    'https://accounts.google.com',
    'http://localhost:9000',
    'OpenID Connect issuer to use for Google, for tests with a provider of one’s own.',
  ),
  OAUTH_ISSUER_LINKEDIN: setting(
    issuer,
    'https://www.linkedin.com/oauth',
    'http://localhost:9000',
    'OpenID Connect issuer to use for LinkedIn, for tests with a provider of one’s own.',
  ),
  WALLETCONNECT_PROJECT_ID: setting(
    z.string().regex(/^[0-9a-f]{32}$/, 'not a project id (32 hexadecimal digits)'),
    '(none: WalletConnect is not offered, and nothing of it is loaded)',
    '0123456789abcdef0123456789abcdef',
    'Offers wallets on other devices through WalletConnect. The relay sees who connects from where and when, not what is said.',
  ),
  WALLETCONNECT_RELAY_URL: setting(
    relayUrl,
    'wss://relay.walletconnect.org',
    'wss://relay.example.com',
    'The relay that such wallets are reached through: the one host beside this site that pages may talk to then.',
  ),
  SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/, error: 'not an smtp:// URL' }),
    '(.eml files in DATA_DIR/outbox)',
    'smtps://user:secret@mail.example.com',
    'Where mails are handed in.',
  ),
  MAIL_FROM: setting(text, 'Tocsin <alerts@tocsin.local>', 'Tocsin <alerts@example.com>', 'Sender of mails.'),
  SUPPORT_EMAIL: setting(
    text,
    '(none)',
    'support@example.com',
    'Where messages of the support form are mailed to. They are kept in the database as well.',
  ),
  PUBLIC_DELAY_HOURS: setting(
    z.coerce.number('not a number').min(0, 'below 0'),
    '24',
    '24',
    'When an alert becomes public.',
  ),
  FEED_URL: setting(
    z.url({ protocol: /^wss?$/, error: 'not a ws(s):// URL' }),
    '(the demo feed in the demo, else none)',
    'wss://signals.example.com/stream',
    'The external signal feed.',
  ),
  FEED_COOLDOWN_SECONDS: setting(
    wholeNumber(0, 86_400, 'not a whole number of seconds up to a day'),
    '30',
    '60',
    'A signal of the same asset and anomaly within this time is counted under the running alert, unless its priority is higher.',
  ),
  FEED_API_KEY: setting(text, '(none)', 'key', 'Sent to the feed as a Bearer header.'),
  FEED_ALLOW_PRIVATE: setting(
    flag,
    'true in the demo, else false',
    'false',
    'Whether the feed may be at a private or loopback address.',
  ),
  METRICS_TOKEN: setting(text, '(loopback only)', '32 random characters', 'Bearer token of /metrics.'),
  LOG_LEVEL: setting(z.enum(logLevels, `none of ${logLevels.join(', ')}`), 'info', 'info', 'What is logged.'),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settingsTable
/** Parsed settings without defaults. */
export type SetValues = { [N in SettingName]?: z.output<(typeof settingsTable)[N]['schema']> }

function isOwnMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}

function toChecksummed(value: string, context: z.RefinementCtx) {
  try {
    return checksumAddress(value)
  } catch {
    context.addIssue({ code: 'custom', message: 'mistyped: its capital letters (EIP-55) do not fit' })
    return z.NEVER
  }
}

/** The text of .env.example. */
export function envExample(): string {
  const head = [
    '# Every setting of Tocsin. All are optional for the demo; each may also be given as NAME_FILE.',
    '# A value that holds a $ or a # goes between single quotes.\n',
  ].join('\n')
  const entries = Object.entries(settingsTable).map(
    ([name, { help, example, default: defaults }]) => `\n# ${help}\n# Default: ${defaults}\n# ${name}=${example}\n`,
  )
  return head + entries.join('')
}
