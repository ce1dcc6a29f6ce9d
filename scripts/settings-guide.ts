import {
  type SettingName as EngineSettingName,
  settingsTable as engineSettings,
  type Setting,
} from '../apps/engine/src/settings-table.ts'
import { envExample, type SettingName, settingsTable } from '../apps/server/src/settings-table.ts'

/** Common mistakes in each setting and their effects. */
const serverMistakes: Record<SettingName, string> = {
  PORT: 'Another program uses the port: the server names it and exits.',
  HOST: 'Exposed without TLS in front: session cookies are sent unencrypted. Not 0.0.0.0 in a container: the server is unreachable.',
  PUBLIC_URL:
    'Not the origin that users open, or http instead of https: every write is rejected as cross-origin, wallet sign-in names the wrong site, and links in emails do not work.',
  TRUSTED_PROXIES:
    '0 behind a proxy: all visitors share one rate limit. Too high: clients evade rate limits with a forged X-Forwarded-For.',
  DRAIN_NOTICE_SECONDS:
    'Shorter than the load balancer needs to notice /readyz: it still sends requests to an instance that refuses connections.',
  DEMO: 'Unset in production: if the settings are ever lost, a demo runs under your name, with its passwords in the log.',
  DEMO_MARKET: 'Changed later: it has no effect, because a data folder keeps its market. Set another DATA_DIR.',
  DATA_DIR: 'A folder that is emptied when the container restarts: the demo’s database, chain and keys are lost.',
  DATABASE_URL:
    'The same database for two installations: both write to one log, with different keys. A role that may not create tables: migrations fail.',
  DATABASE_REPLICA_URL:
    'A database that is not a streaming replica: it is not used, and the log says so. A replica that cancels reads early: raise its max_standby_streaming_delay.',
  DATABASE_TIMEOUT_SECONDS:
    'Too short for a slow database: requests fail with 503. Too long: requests hang while the database is unavailable.',
  CHAIN_ID: 'Not the chain of the node: payments are not verified, because the server rejects nodes of another chain.',
  PAYMENT_RPC_URL:
    'A single node: it can fake payments. Use three from different providers. If a URL contains a key, use PAYMENT_RPC_URL_FILE.',
  TOKEN_ADDRESS: 'Another token with the same ticker: plans can be paid with a worthless token.',
  TOKEN_EXCHANGE_URL: 'A page that sells another token with the same ticker: users buy a token that pays for no plan.',
  TREASURY_ADDRESS: 'One wrong character: payments are lost. Addresses with capital letters are checked (EIP-55).',
  CONFIRMATIONS:
    'Too low: a chain reorganisation can remove payments that were credited. Too high: buyers wait longer.',
  PAYMENT_CHAINS: 'The chain that an admin selects is missing: payments on it are not credited.',
  PAYMENT_MAX_AGE_HOURS:
    'Too long: old transfers are credited as new purchases. Too short: after a long outage, payments must be credited manually.',
  ORDER_TTL_MINUTES: 'Too long: purchases keep an old price after you have changed it. Too short: buyers pay late.',
  PAYMENT_TOLERANCE_BPS:
    'Higher than the rounding of wallets: buyers can underpay deliberately. 0 requires the full price.',
  TREASURY_KEY:
    'If the key leaks, its holder can take all income and all amounts that wallets have approved. Without a balance for fees, nothing is collected.',
  COLLECT_MAX_FEE_GWEI:
    'Too low: while fees are high, payments are not collected and buyers wait. Too high: collecting can cost more than a plan.',
  ANCHOR_CHAIN_ID: 'Changed later: earlier signatures do not verify, because they contain the chain ID.',
  ANCHOR_RPC_URL: 'A node without event logs of old blocks: the server cannot compare the anchors when it starts.',
  ANCHOR_PUBLIC_RPC_URL:
    'Unset: pages show alerts as signed, but not as verified, until the visitor enters a node, because browsers need one to check keys and anchor. A URL with a key: everyone can use the key.',
  ANCHOR_CONTRACT:
    'A contract that ANCHOR_KEY does not own: anchoring fails. A new contract for an existing log: the earlier anchors are not in it.',
  ANCHOR_KEY:
    'The treasury’s key: the server refuses to start. The key needs a small balance for fees and nothing else.',
  ANCHOR_INTERVAL_SECONDS:
    'Too short: high fees. Too long: until it is anchored, the time of an alert is only the operator’s claim.',
  HEARTBEAT_SECONDS:
    'Too short: high fees and many log entries. Too long or 0: an entry can be backdated into an interval without entries.',
  SIGNER_KEY: 'Replaced without a rotation: the server refuses to start, because the log names another key.',
  SIGNER_KEY_NEXT: 'Rotated before every instance has it: the other instances can no longer sign.',
  LOG_ORIGIN: 'Changed, for example with PUBLIC_URL: verifiers see an unknown log.',
  APP_SECRET:
    'Lost: the feed’s API key must be entered again, authenticator apps stop working, destinations must be added again, web push needs PUSH_PRIVATE_KEY, and unsubscribe and acknowledge links in sent messages are invalid.',
  APP_SECRET_PREVIOUS:
    'Unset on an instance while APP_SECRET changes: the effects of a lost APP_SECRET, until it is set. Left set: a leaked former secret is still accepted.',
  LOCAL_CHAIN_PORT: 'Another program uses the port: the server names it and exits.',
  ADMIN_EMAIL: 'Set without ADMIN_PASSWORD: no admin is created, and production prints a single-use link.',
  ADMIN_PASSWORD: 'Changed to replace a password: it has no effect once there is an admin. Leaving it set is harmless.',
  ADMIN_SECOND_FACTOR:
    'false in production: a stolen password or mailbox of an admin is enough to send alerts to every subscriber.',
  TWO_ADMINS:
    'true with one admin: no one can approve. A changed TREASURY_ADDRESS alone: payments still go to the approved one, and the log says so.',
  TWO_ADMINS_DELAY_HOURS: 'So short that the admins and the public cannot react in time.',
  GOOGLE_CLIENT_ID:
    'Another redirect URI is registered at Google: Google shows an error page instead of returning to the site.',
  GOOGLE_CLIENT_SECRET: 'Only one of ID and secret is set: the server refuses to start.',
  LINKEDIN_CLIENT_ID: 'See GOOGLE_CLIENT_ID.',
  LINKEDIN_CLIENT_SECRET: 'See GOOGLE_CLIENT_SECRET.',
  OAUTH_ISSUER_GOOGLE:
    'Set in production: users sign in at that provider. Plain http is accepted for loopback addresses only.',
  OAUTH_ISSUER_LINKEDIN: 'See OAUTH_ISSUER_GOOGLE.',
  WALLETCONNECT_PROJECT_ID:
    'The project does not allow this site’s origin: pairing fails with the message that the relay cannot be reached.',
  WALLETCONNECT_RELAY_URL: 'An untrusted relay: it sees the time and network address of connections.',
  SMTP_URL:
    'Unset in production: the server refuses to start, because users could not verify addresses or reset passwords.',
  MAIL_FROM: 'A domain whose SPF and DKIM records do not include the mail server: emails are marked as spam.',
  SUPPORT_EMAIL: 'Unset: support messages are only stored in the database, without a notification.',
  TELEGRAM_BOT_TOKEN:
    'Used by another program too: Telegram returns 409, the log says so, and chats cannot be linked. A wrong token: nothing is sent to Telegram, and the log says so.',
  TELEGRAM_API_ROOT: 'Plain http over a network: the token and alerts can be read in transit.',
  PUSH_CONTACT:
    'Not a real address, such as one at localhost: Apple refuses all messages with 403, and the log says so.',
  PUSH_PRIVATE_KEY: 'Changed: push services refuse all messages until each browser has opened the site again.',
  PUBLIC_DELAY_HOURS: '0: alerts are public immediately, and subscribers have no advantage.',
  SHARE_LINK_HOURS: 'Longer than the public delay: no effect. 0: subscribers can share only alerts that are public.',
  FEED_URL: 'ws:// over a network: signals can be changed in transit. Use wss://.',
  FEED_COOLDOWN_SECONDS:
    '0: a feed that repeats itself floods subscribers, and its alerts stay in the log permanently.',
  FEED_API_KEY:
    'Visible in a shell’s history or in an image: use FEED_API_KEY_FILE or the admin area, which stores it encrypted.',
  FEED_ALLOW_PRIVATE:
    'true in production: a typing error or an attacker with admin rights can make the server connect to the private network.',
  CHANNELS_ALLOW_PRIVATE:
    'true in production: every user can make the server send requests to the private network, and reads the beginning of each response.',
  MARKET_DATA_URL:
    'Set to the signal feed (without /ticks): its messages are not ticks, and pages show no prices. A source with prices of other venues than your signals: pages compute the change since an alert from two different markets.',
  MARKET_DATA_KEY: 'Not the same as ENGINE_KEY: the log says that market data does not arrive (401).',
  SYSLOG_URL:
    'udp: the network loses messages without notice. tls with a certificate that no authority has issued: every message waits, and the log says why.',
  SECURITY_LOG_DAYS: 'Shorter than your policy for audits demands: older events are gone.',
  AUDIT_LOG_DAYS:
    'Shorter than your accounting and your policy for audits demand: who credited, noted or refunded an older payment is no longer listed.',
  DELIVERIES_DAYS: 'Long with many destinations: the ledger grows by 0.4 kB with each alert and destination.',
  LETTERS_DAYS:
    'Shorter than your record-keeping obligations require: older support messages and their replies are lost.',
  BREACHED_PASSWORDS:
    'A list that is not ordered by hash: breached passwords are accepted. A list on a slow disk: sign-ups wait for about 35 reads.',
  RESET_PASSWORD_MIN_LENGTH: 'Below 8: a reset allows shorter passwords than a sign-up.',
  GEO_DATABASE: 'A database of countries only has no cities. One that is years old shows wrong places.',
  METRICS_TOKEN: 'Unset behind a proxy: /metrics returns 403. Set: the scraper must send it as a bearer token.',
  LOG_LEVEL: 'debug in production: logs fill the disk. silent: errors are not logged.',
}

/**
 * Settings of the engine only. LOG_LEVEL is left out: it has the same meaning for both processes
 * and is described with the server's settings.
 */
type EngineOnlySetting = Exclude<EngineSettingName, 'LOG_LEVEL'>

const engineMistakes: Record<EngineOnlySetting, string> = {
  ENGINE_HOST:
    'Not 0.0.0.0 in a container: the server cannot connect. Any other address than loopback needs ENGINE_KEY.',
  ENGINE_PORT: 'Another program uses the port: the engine names it and exits.',
  ENGINE_KEY: 'Not the same as FEED_API_KEY: the server reports that the endpoint refused the API key.',
  ENGINE_MARKETS:
    'A market that the exchange does not list: its status shows the rejection, and the other markets go on. Many markets of one asset: its alerts repeat.',
  ENGINE_REPLAY: 'Connected to a server in production: alerts of the past are rejected, or signed as if they were new.',
  ENGINE_SIMULATE: 'Set in production: servers accept predictions of the simulated market in the demo only.',
  ENGINE_HISTORY_DAYS:
    'Less than 2: the engine is still warming up when it starts. Changed later: it has no effect. Set in production with exchanges: a server receives the alerts of the last day as late ones.',
  ENGINE_SHORT_HORIZON_SECONDS:
    'Changed: the model has another settings hash, so it warms up again and its record begins a new row.',
  ENGINE_DATA:
    'A folder that is emptied at a restart: the engine warms up for a day, and open predictions never get their outcome. Longer than 95 bytes: the folder cannot be locked.',
  ENGINE_BINANCE_URL: 'Set in production: the operator of that server controls alerts and verdicts.',
  ENGINE_COINBASE_URL: 'See ENGINE_BINANCE_URL.',
  ENGINE_KRAKEN_URL: 'See ENGINE_BINANCE_URL.',
  ENGINE_OKX_URL: 'See ENGINE_BINANCE_URL.',
}

// The keys are exactly the setting names, but Object.keys returns string[].
const engineNames = Object.keys(engineMistakes) as EngineOnlySetting[]

/** Returns the text of .env.example: the settings of the server, then those of the engine. */
export function formatEnvExample(): string {
  const entries = engineNames.map((name) => {
    const { help, default: defaults, example } = engineSettings[name]
    return `\n# ${help}\n# Default: ${defaults}\n# ${name}=${example}\n`
  })
  return `${envExample()}\n# Settings of the engine process (docs/engine.md).\n${entries.join('')}`
}

const END_MARKER = '<!-- end of settings -->'
const formatBeginMarker = (name: string) => `<!-- ${name}: written by scripts/write-env-example.ts -->`

/** Returns docs/operating.md with up-to-date tables of settings. */
export function replaceSettingTables(guide: string): string {
  // The keys are exactly the setting names, but Object.keys returns string[].
  const names = Object.keys(settingsTable) as SettingName[]
  const rows = names.map((name) => getRow(name, settingsTable[name], serverMistakes[name]))
  const engineRows = engineNames.map((name) => getRow(name, engineSettings[name], engineMistakes[name]))
  return replaceTable(replaceTable(guide, 'settings', rows), 'engine settings', engineRows)
}

function getRow(name: string, { help, default: defaults }: Pick<Setting, 'help' | 'default'>, mistake: string): string {
  return `| \`${name}\` | ${help} | ${defaults} | ${mistake} |`
}

function replaceTable(guide: string, name: string, rows: readonly string[]): string {
  const [head, textAfterMarker] = guide.split(formatBeginMarker(name))
  const endIndex = textAfterMarker?.indexOf(END_MARKER) ?? -1
  if (head === undefined || textAfterMarker === undefined || endIndex < 0) {
    throw new Error(`docs/operating.md has no markers around its table of ${name}`)
  }
  const table = ['| setting | purpose | default | common mistakes |', '|---|---|---|---|', ...rows]
  return `${head}${formatBeginMarker(name)}\n\n${table.join('\n')}\n\n${textAfterMarker.slice(endIndex)}`
}
