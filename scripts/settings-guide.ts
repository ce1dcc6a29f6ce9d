import { type SettingName, settingsTable } from '../apps/server/src/settings-table.ts'

/**
 * What goes wrong where a setting is wrong or forgotten. A setting without a line here does not
 * compile.
 */
const mistakes: Record<SettingName, string> = {
  PORT: 'Two programs on one port: the second says so and stops.',
  HOST: 'Opening it to the world without TLS in front sends session cookies in the clear. In a container it must be 0.0.0.0, or nobody reaches it.',
  PUBLIC_URL:
    'Another name than people type, or http for https: every write is refused as foreign, wallet sign-in names the wrong site, links in mails lead nowhere.',
  TRUSTED_PROXIES:
    '0 behind a proxy: all visitors share one rate limit. More than there are: anybody dodges the limits with a forged X-Forwarded-For.',
  DRAIN_NOTICE_SECONDS:
    'Shorter than your load balancer needs to notice /readyz: it still sends requests to an instance that refuses connections.',
  DEMO: 'Unset in production: the day that the settings are lost, a demo whose logins stand in its log answers under your name.',
  DATA_DIR: 'A folder that a restart of the container empties: in the demo chain, keys and log are gone with it.',
  DATABASE_URL:
    'Two installations on one database would write one log with two keys. A role that may not create tables can’t migrate.',
  DATABASE_TIMEOUT_SECONDS:
    'Too short for a slow database: requests fail with 503. Too long: they hang while the database is gone.',
  CHAIN_ID:
    'A node of another chain: a start with the wrong pair would credit payments of worthless tokens. Both are compared.',
  PAYMENT_RPC_URL:
    'One node only: it can invent payments. Name three of different providers. Keys in the URL belong in PAYMENT_RPC_URL_FILE.',
  TOKEN_ADDRESS: 'Another token with the same ticker costs its maker nothing. Its decimals must be 18.',
  TREASURY_ADDRESS:
    'A typed address with one wrong character: payments are lost. Capital letters are checked (EIP-55).',
  CONFIRMATIONS: 'Too few: a reorganisation takes back payments that were credited. Too many: buyers wait.',
  PAYMENT_CHAINS: 'A chain that an admin switches to but that nobody configured: payments there are never seen.',
  PAYMENT_MAX_AGE_HOURS:
    'Too long: an old transfer is turned into a plan today. Too short: an outage of a weekend loses payments to manual work.',
  ORDER_TTL_MINUTES: 'Too long: a price that you have changed is still owed for that time. Too short: buyers are late.',
  PAYMENT_TOLERANCE_BPS:
    'Above the rounding of wallets it is a discount for whoever knows it. 0 asks for the whole price.',
  TREASURY_KEY:
    'It puts all income on an online machine, and whatever wallets approve to the treasury can be taken with it. Without coins for fees nothing is collected.',
  COLLECT_MAX_FEE_GWEI:
    'Too low: on a busy day nothing is collected, and buyers wait. Too high: a day of dear blocks costs more in fees than a plan brings.',
  ANCHOR_CHAIN_ID: 'Signatures are bound to it: with another one nothing that was signed before verifies.',
  ANCHOR_RPC_URL: 'A node without logs of old blocks: anchors can’t be compared at start.',
  ANCHOR_CONTRACT:
    'Somebody else’s contract: its owner alone may anchor. A new contract for an old log leaves the old anchors behind.',
  ANCHOR_KEY:
    'The treasury’s key here puts all income on an online machine. It needs a few coins for fees and nothing else.',
  ANCHOR_INTERVAL_SECONDS: 'Short: fees. Long: the time in which an alert’s moment is only the operator’s word.',
  HEARTBEAT_SECONDS: 'Short: fees and a log of heartbeats. Long or 0: an entry can be back-dated into a quiet time.',
  SIGNER_KEY: 'A new one without rotation: the server refuses to start, because the log names another.',
  SIGNER_KEY_NEXT: 'Rotating before every instance holds it: those without it can sign no more.',
  LOG_ORIGIN: 'Following a change of PUBLIC_URL: everybody who watches the log sees an unknown one.',
  APP_SECRET: 'Losing it: what was stored encrypted, such as the feed’s key, can’t be read and must be entered again.',
  APP_SECRET_PREVIOUS:
    'Unset while APP_SECRET changes: the feed’s key must be entered again. Left set for ever: a secret that leaked still opens.',
  LOCAL_CHAIN_PORT: 'The port of another local chain: the start says that it is taken.',
  ADMIN_EMAIL: 'Without ADMIN_PASSWORD it makes no admin: production then prints a link that works once.',
  ADMIN_PASSWORD:
    'Leaving it set does no harm: it counts only while there is no admin. It is not how to change a password.',
  GOOGLE_CLIENT_ID:
    'Another redirect URI registered there: Google shows an error of its own before anybody comes back.',
  GOOGLE_CLIENT_SECRET: 'Set without its ID or the reverse: the start names the missing one.',
  LINKEDIN_CLIENT_ID: 'As for Google.',
  LINKEDIN_CLIENT_SECRET: 'As for Google.',
  OAUTH_ISSUER_GOOGLE: 'Set in production: sign-ins go to that provider. Plain http is taken for this machine alone.',
  OAUTH_ISSUER_LINKEDIN: 'As for Google.',
  WALLETCONNECT_PROJECT_ID:
    'The id of another project: its relay refuses this site’s origin, and pairing says that the relay can’t be reached.',
  WALLETCONNECT_RELAY_URL: 'Somebody’s relay that you do not know sees who connects from where and when.',
  SMTP_URL: 'Unset in production is refused: nobody could confirm an address or reset a password.',
  MAIL_FROM: 'An address whose domain does not name the mail server (SPF, DKIM): mails land in spam.',
  SUPPORT_EMAIL: 'Unset: messages of the support form are kept in the database, and nobody is told of them.',
  PUBLIC_DELAY_HOURS: '0 gives everybody at once what subscribers pay for.',
  FEED_URL: 'ws:// over a network lets anybody between change signals. Use wss://.',
  FEED_COOLDOWN_SECONDS: '0: a feed that repeats itself floods subscribers and the log, for ever.',
  FEED_API_KEY: 'In a shell’s history or an image: use FEED_API_KEY_FILE or the admin area, which stores it encrypted.',
  FEED_ALLOW_PRIVATE:
    'true in production: an admin’s typo, or an intruder, makes the server call into the private network.',
  METRICS_TOKEN: 'Unset behind a proxy: the figures are refused to it. Set: scrape with that bearer token.',
  LOG_LEVEL: 'debug in production fills disks; silent hides what went wrong.',
}

const BEGIN = '<!-- settings: written by scripts/write-env-example.ts -->'
const END = '<!-- end of settings -->'

/** docs/operating.md with its table of settings as they are now. */
export function withSettings(guide: string): string {
  const [head, rest] = guide.split(BEGIN)
  const tail = rest?.split(END)[1]
  if (head === undefined || tail === undefined)
    throw new Error('docs/operating.md has lost the marks around its settings')
  // The table has every name: it is what the type was made of.
  const names = Object.keys(settingsTable) as SettingName[]
  const rows = names.map((name) => {
    const { help, default: defaults } = settingsTable[name]
    return `| \`${name}\` | ${help} | ${defaults} | ${mistakes[name]} |`
  })
  const table = ['| setting | what it is for | unset | what goes wrong |', '|---|---|---|---|', ...rows]
  return `${head}${BEGIN}\n\n${table.join('\n')}\n\n${END}${tail}`
}
