import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { assertPortFree } from '@tocsin/server/http/listen-failure.ts'
import { listOutbox } from '@tocsin/server/mail/outbox.ts'
import type { Parts, Settings } from '@tocsin/server/read-config.ts'
import type { StartDemo } from '@tocsin/server/run-server.ts'
import type { Stops } from '@tocsin/server/stops.ts'
import { lockDataDir } from './data-lock.ts'
import { startDemoFeed } from './demo-feed.ts'
import { installDemoRoutes } from './demo-routes.ts'
import { loadDemoSecrets } from './demo-secrets.ts'
import { followDemoFeed } from './follow-demo-feed.ts'
import { startMachinery } from './machinery.ts'
import { seedDemo } from './seed.ts'

/**
 * Starts what an unconfigured machine lacks: PostgreSQL (unless DATABASE_URL is set), a local chain
 * with its contracts, and a signal feed.
 */
export const startDemo: StartDemo = async (settings, say, stops) => {
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
    describe: (url) =>
      [
        '',
        `  Tocsin is up: ${url}`,
        '  This is a demo: a local chain, play tokens, simulated signals. Nothing here is worth money.',
        '',
        `  Admin      ${url}/admin-auth   ${set.ADMIN_EMAIL ?? 'admin@tocsin.local'}   ${adminPassword}`,
        ...users.map(({ email, password }) => `  Trader     ${url}/auth         ${email}   ${password}`),
        `  Mail       ${url}/dev/outbox   (files in ${outboxDir})`,
        `  Chain      ${chain.url}   id 31337, test mnemonic accounts hold 1,000 ITO each`,
        '',
        '  Ctrl-C stops everything.',
        '',
      ].join('\n'),
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
