import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import { listOutbox } from '../mail/outbox.ts'
import type { Parts, Settings } from '../read-config.ts'
import type { Extensions } from '../server.ts'
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

type Stops = (() => Promise<void>)[]

/**
 * Starts what a machine without configuration lacks: PostgreSQL (unless DATABASE_URL names one), a local chain with its contracts, a signal feed.
 * Every part that runs has its stop in `stops`, also when a later part fails to start.
 */
export async function startDemo(settings: Settings, say: (line: string) => void, stops: Stops): Promise<Demo> {
  const { dataDir, set } = settings
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir)
  stops.push(async () => lock.release())
  const secrets = loadDemoSecrets(dataDir, new Date())

  say('Starting the database and the local chain')
  const [database, chain] = await Promise.all([
    set.DATABASE_URL ? null : keep(startPostgres({ dir: join(dataDir, 'postgres'), onProgress: say }), stops),
    keep(
      startLocalChain({
        dir: join(dataDir, 'chain'),
        port: settings.localChainPort,
        genesisAt: secrets.genesisAt,
        onProgress: say,
      }),
      stops,
    ),
  ])
  const contracts = await deployDemoContracts(chain.directUrl, addressOf(secrets.anchorKey))
  const feed = await startDemoFeed({ apiKey: secrets.feedApiKey })
  stops.push(feed.close)

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
      prepare: (ctx) => seedDemo(ctx, { chain, genesisAt: secrets.genesisAt, users, say }),
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

async function keep<T extends { stop(): Promise<void> }>(starting: Promise<T>, stops: Stops): Promise<T> {
  const part = await starting
  stops.push(part.stop)
  return part
}
