import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { assertPortFree } from '../http/listen-failure.ts'
import { listOutbox } from '../mail/outbox.ts'
import type { Parts, Settings } from '../read-config.ts'
import type { Extensions } from '../server.ts'
import type { Stops } from '../stops.ts'
import { lockDataDir } from './data-lock.ts'
import { startDemoFeed } from './demo-feed.ts'
import { installDemoRoutes } from './demo-routes.ts'
import { loadDemoSecrets } from './demo-secrets.ts'
import { followDemoFeed } from './follow-demo-feed.ts'
import { startMachinery } from './machinery.ts'
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

  const machinery = await startMachinery(settings, say, stops)
  const { secrets, chain, database } = machinery
  const feed = await chooseFeed(settings, secrets.feedApiKey, stops)
  const adminPassword = set.ADMIN_PASSWORD ?? secrets.adminPassword
  const users = demoUsers.map((user) => ({ ...user, password: secrets.userPassword }))
  const outboxDir = join(dataDir, 'outbox')
  return {
    parts: { ...machinery.parts, feed, adminPassword },
    extend: {
      logBeginsAt: secrets.genesisAt,
      // Those that were made while we run.
      moreSignerKeys: () => {
        const { signerKey, signerKeyNext } = loadDemoSecrets(dataDir, new Date())
        return signerKeyNext ? [signerKey, signerKeyNext] : [signerKey]
      },
      prepare: async (ctx) => {
        await seedDemo(ctx, { chain, genesisAt: secrets.genesisAt, users, signal: stops.signal, say })
        if (set.FEED_URL === undefined && feed.endpoint !== null) await followDemoFeed(ctx, feed.endpoint)
      },
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

/** A feed of the operator's own takes the place of the demo's. */
async function chooseFeed({ set }: Settings, apiKey: string, stops: Stops): Promise<Parts['feed']> {
  if (set.FEED_URL !== undefined) return { endpoint: set.FEED_URL, apiKey: set.FEED_API_KEY ?? null }
  const { url } = await stops.keep(startDemoFeed({ apiKey }), ({ close }) => close())
  return { endpoint: url, apiKey }
}

const demoUsers = [
  { name: 'Mara Okafor', email: 'mara@tocsin.local' },
  { name: 'Jonas Lindqvist', email: 'jonas@tocsin.local' },
]
