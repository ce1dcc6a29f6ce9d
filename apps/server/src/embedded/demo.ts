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
  /** Demo parts of the server: the seed that runs before it listens, and the demo's routes. */
  extend: Extensions
  logins: { admin: Login; users: Login[] }
  outboxDir: string
  chainUrl: string
  /** Resolves to an error message when a part of the demo has failed permanently. */
  exited: Promise<string>
}

/**
 * Starts what an unconfigured machine lacks: PostgreSQL (unless DATABASE_URL is set), a local chain
 * with its contracts, and a signal feed. Registers a stop function for every part in `stops`, even
 * if a later part fails to start.
 */
export async function startDemo(settings: Settings, say: (line: string) => void, stops: Stops): Promise<Demo> {
  const { dataDir, set } = settings
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir)
  stops.add(async () => lock.release())
  // Check the port before the slow steps. The server binds it last.
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
      // Includes keys that were created while the server runs.
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

/** A feed configured by the operator replaces the demo's feed. */
async function chooseFeed({ set }: Settings, apiKey: string, stops: Stops): Promise<Parts['feed']> {
  if (set.FEED_URL !== undefined) return { endpoint: set.FEED_URL, apiKey: set.FEED_API_KEY ?? null }
  const { url } = await stops.keep(startDemoFeed({ apiKey }), ({ close }) => close())
  return { endpoint: url, apiKey }
}

const demoUsers = [
  { name: 'Mara Okafor', email: 'mara@tocsin.local' },
  { name: 'Jonas Lindqvist', email: 'jonas@tocsin.local' },
]
