import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import type { Context } from '@tocsin/server/context.ts'
import { assertPortFree } from '@tocsin/server/http/listen-failure.ts'
import { listOutbox } from '@tocsin/server/mail/outbox.ts'
import type { Settings } from '@tocsin/server/read-config.ts'
import type { StartDemo } from '@tocsin/server/run-server.ts'
import type { ShutdownRegistry } from '@tocsin/server/shutdown-registry.ts'
import { lockDataDir } from './data-lock.ts'
import { type DemoAdmin, findDemoAdmin } from './demo-admin.ts'
import { startDemoBackends } from './demo-backends.ts'
import { startDemoEngine } from './demo-engine.ts'
import { chooseMarket } from './demo-market.ts'
import { installDemoRoutes } from './demo-routes.ts'
import { HISTORY_DAYS, loadDemoSecrets } from './demo-secrets.ts'
import { hasHistory, readHistory } from './engine-history.ts'
import { openFaucet } from './faucet.ts'
import { followDemoFeed } from './follow-demo-feed.ts'
import { seedDemo } from './seed.ts'

/**
 * Starts the services that an unconfigured machine lacks: PostgreSQL (unless DATABASE_URL is set),
 * a local chain with its contracts, and the engine on a simulated market or, with DEMO_MARKET=live,
 * on exchanges.
 */
export const startDemo: StartDemo = async (settings, print, shutdown) => {
  const { dataDir, set } = settings
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir)
  shutdown.add(async () => lock.release())
  // The port is checked before the slow steps, because the server binds it last.
  await assertPortFree(settings)

  // Generating the history takes the longest, so the engine starts first.
  const engine = await startEngine(settings, print, shutdown)
  const backends = await startDemoBackends(settings, print, shutdown)
  const { secrets, chain, database } = backends
  const adminPassword = set.ADMIN_PASSWORD ?? secrets.adminPassword
  const users = demoUsers.map((user) => ({ ...user, password: secrets.userPassword }))
  const outboxDir = join(dataDir, 'outbox')
  let admin: DemoAdmin | null = null
  return {
    parts: {
      ...backends.parts,
      demoMarket: engine.market,
      feed: engine.feed,
      marketData: engine.marketData,
      adminPassword,
    },
    extend: {
      logBeginsAt: secrets.genesisAt,
      // Returns the signing keys, including keys that were created while the server runs.
      moreSignerKeys: () => {
        const { signerKey, signerKeyNext } = loadDemoSecrets(dataDir, new Date())
        return signerKeyNext ? [signerKey, signerKeyNext] : [signerKey]
      },
      prepare: async (ctx) => {
        admin = await findDemoAdmin(ctx, new Set([adminPassword, secrets.adminPassword]))
        await seedDemo(ctx, { chain, history: engine.history(shutdown.signal), users, signal: shutdown.signal, print })
        await engine.ready(ctx)
      },
      install: (app, { config }) =>
        installDemoRoutes(app, {
          publicUrl: config.http.publicUrl,
          chainUrl: chain.url,
          faucet: openFaucet(chain.url),
          listOutbox: () => listOutbox(outboxDir),
        }),
    },
    describe: (url) =>
      [
        '',
        `  Tocsin is up: ${url}`,
        `  This is a demo: a local chain, play tokens, ${marketLabels[engine.market]}. Nothing here is worth money.`,
        '',
        ...(admin ? [`  Admin      ${url}/admin-auth   ${formatAdmin(admin)}`] : []),
        ...users.map(({ email, password }) => `  Trader     ${url}/auth         ${email}   ${password}`),
        `  Mail       ${url}/dev/outbox   (files in ${outboxDir})`,
        `  Chain      ${chain.url}   id ${localChainId}, test mnemonic accounts hold 1,000 ITO each`,
        '',
        '  Ctrl-C stops everything.',
        '',
      ].join('\n'),
    exited: Promise.race([chain.exited, ...(database ? [database.exited] : [])]),
  }
}

/**
 * Starts the engine of the demo. If the operator has configured another feed, the engine runs only
 * to generate the history, and only if no history exists yet.
 */
async function startEngine(
  { dataDir, set, engineEnv }: Settings,
  print: (line: string) => void,
  shutdown: ShutdownRegistry,
) {
  const dir = join(dataDir, 'engine')
  const wanted = set.DEMO_MARKET ?? 'simulated'
  const market = await chooseMarket({ dir, wanted, engineEnv, historyDays: HISTORY_DAYS, print })
  const { feedApiKey } = loadDemoSecrets(dataDir, new Date())
  const isNeeded = set.FEED_URL === undefined || !hasHistory(dir)
  const engineStart = isNeeded
    ? startDemoEngine({ dir, key: feedApiKey, engineEnv: market.engineEnv, onProgress: print })
    : Promise.resolve(null)
  const engine = await shutdown.addStarting(engineStart, async (running) => running?.stop())
  const feed =
    set.FEED_URL === undefined
      ? { endpoint: engine?.endpoint ?? null, apiKey: feedApiKey }
      : { endpoint: set.FEED_URL, apiKey: set.FEED_API_KEY ?? null }
  return {
    market: market.kind,
    feed,
    marketData: set.FEED_URL === undefined && engine ? { url: `${engine.endpoint}/ticks`, key: feedApiKey } : null,
    history: (signal: AbortSignal) => engine?.history(signal) ?? readHistory(dir, signal),
    /**
     * Waits until the engine serves its feed. Then updates the saved feed endpoint, or stops the
     * engine if the operator has configured another feed.
     */
    async ready(ctx: Context) {
      await engine?.up
      if (set.FEED_URL !== undefined) await engine?.stop()
      else if (engine) await followDemoFeed(ctx, engine.endpoint)
    },
  }
}

const formatAdmin = ({ email, password }: DemoAdmin) =>
  `${email}   ${password ?? `(changed; for a new one: npm run tocsin -- admin reset-password --email ${email} --generate)`}`

const marketLabels = { simulated: 'a simulated market', live: 'live markets of exchanges' }

const demoUsers = [
  { name: 'Mara Okafor', email: 'mara@tocsin.local' },
  { name: 'Jonas Lindqvist', email: 'jonas@tocsin.local' },
]
