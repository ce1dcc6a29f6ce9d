import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import { assertPortFree } from '../http/listen-failure.ts'
import { listOutbox } from '../mail/outbox.ts'
import type { Parts, Settings } from '../read-config.ts'
import type { Extensions } from '../server.ts'
import type { Stops } from '../stops.ts'
import { lockDataDir } from './data-lock.ts'
import { deployDemoContracts } from './demo-contracts.ts'
import { startDemoFeed } from './demo-feed.ts'
import { installDemoRoutes } from './demo-routes.ts'
import { addressOf, loadDemoSecrets } from './demo-secrets.ts'
import { startLocalChain } from './local-chain.ts'
import { startPostgres } from './postgres.ts'
import { seedDemo } from './seed.ts'

interface Login {
  email: string
  password: string
}

export interface Demo {
  parts: Parts
  /** What the server gets on top: the seed before it opens, the demo's own routes. */
  extend: Extensions
  logins: { admin: Login; users: Login[] }
  outboxDir: string
  chainUrl: string
  /** Resolves with a sentence when a part of the demo is gone for good. */
  exited: Promise<string>
}

/**
 * Starts what a machine without configuration lacks: PostgreSQL (unless DATABASE_URL names one), a local chain with its contracts, a signal feed.
 * Every part has its stop in `stops`, also when a later part fails to start or stopping begins meanwhile.
 */
export async function startDemo(settings: Settings, say: (line: string) => void, stops: Stops): Promise<Demo> {
  const { dataDir, set } = settings
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir)
  stops.add(async () => lock.release())
  // Asked before anything long begins; the server takes it last.
  await assertPortFree(settings)
  const secrets = loadDemoSecrets(dataDir, new Date())

  say('Starting the database and the local chain')
  const [database, chain] = await Promise.all([
    set.DATABASE_URL
      ? null
      : stops.keep(startPostgres({ dir: join(dataDir, 'postgres'), onProgress: say }), ({ stop }) => stop()),
    stops.keep(
      startLocalChain({
        dir: join(dataDir, 'chain'),
        port: settings.localChainPort,
        genesisAt: secrets.genesisAt,
        onProgress: say,
      }),
      ({ stop }) => stop(),
    ),
  ])
  stops.signal.throwIfAborted()
  const contracts = await deployDemoContracts(chain.directUrl, addressOf(secrets.anchorKey))
  const feed = await stops.keep(startDemoFeed({ apiKey: secrets.feedApiKey }), ({ close }) => close())

  const databaseUrl = set.DATABASE_URL ?? database?.url
  if (!databaseUrl) throw new Error('The demo has no database')
  const adminPassword = set.ADMIN_PASSWORD ?? secrets.adminPassword
  const users = demoUsers.map((user) => ({ ...user, password: secrets.userPassword }))
  const outboxDir = join(dataDir, 'outbox')
  return {
    parts: {
      databaseUrl,
      payment: {
        chainId: localChainId,
        rpcUrls: [chain.url],
        token: contracts.token,
        treasury: addressOf(secrets.treasuryKey),
      },
      anchor: {
        chainId: localChainId,
        rpcUrl: chain.url,
        contract: contracts.alertAnchor,
        key: secrets.anchorKey,
      },
      signerKey: secrets.signerKey,
      appSecret: set.APP_SECRET ?? secrets.appSecret,
      feed: { endpoint: feed.url, apiKey: secrets.feedApiKey },
      adminPassword,
    },
    extend: {
      prepare: (ctx) => seedDemo(ctx, { chain, genesisAt: secrets.genesisAt, users, signal: stops.signal, say }),
      install: (app, { config }) =>
        installDemoRoutes(app, {
          publicUrl: config.http.publicUrl,
          chainUrl: chain.url,
          listOutbox: () => listOutbox(outboxDir),
        }),
    },
    logins: { admin: { email: set.ADMIN_EMAIL ?? 'admin@tocsin.local', password: adminPassword }, users },
    outboxDir,
    chainUrl: chain.url,
    exited: Promise.race([chain.exited, ...(database ? [database.exited] : [])]),
  }
}

const demoUsers = [
  { name: 'Mara Okafor', email: 'mara@tocsin.local' },
  { name: 'Jonas Lindqvist', email: 'jonas@tocsin.local' },
]
