import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@tocsin/server/clock.ts'
import type { Context } from '@tocsin/server/context.ts'
import { migrateDatabase } from '@tocsin/server/db/database.ts'
import { createTestContext, startTcpProxy, testAnchorKey, testConfig, testKey, testSignerKey } from '@tocsin/testkit'
import { startMailServer } from '../channels/mail-server.ts'
import { startChain } from './chain.ts'
import { type Cluster, startCluster } from './cluster.ts'
import type { TestEnvironment } from './faults.ts'
import { startFeed } from './feed.ts'
import { PUBLIC_URL } from './http-client.ts'
import { createInstance } from './instances.ts'
import type { Journal } from './journal.ts'
import type { Options } from './options.ts'
import { buildRelease, bundleRelease, type Release } from './release.ts'
import { type ReverseProxy, startReverseProxy } from './reverse-proxy.ts'

export interface RunningEnvironment extends TestEnvironment {
  dir: string
  reverseProxy: ReverseProxy
  admin: { email: string; password: string }
  /**
   * Creates a context for set-up and evidence. It connects to the database without a proxy and must
   * be closed before a fault.
   */
  openContext(): Promise<{ ctx: Context; close(): Promise<void> }>
  stop(keepsFolder: boolean): Promise<void>
}

const APP_SECRET = testKey(0x5e)
const MAIL_REJECTION_RATE = 0.1
const FEED_PRIVATE = { allowPrivate: true }

/** Starts all parts except the instances, which are only created. */
export async function startEnvironment(
  options: Options,
  journal: Journal,
  random: () => number,
): Promise<RunningEnvironment> {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-fault-test-'))
  // Make the folder accessible: if this process runs as root, PostgreSQL runs as another user.
  await chmod(dir, 0o711)
  const mailServer = await startMailServer((_to, source) => {
    if (random() < MAIL_REJECTION_RATE) return { code: 451, line: '4.7.1 Try again later' }
    const id = /^message-id:\s*<([^@>]+)@/im.exec(source)?.[1] ?? ''
    journal.mails.push({ id, atMs: Date.now() })
    return null
  })
  const [cluster, chain, feed, newest] = await Promise.all([
    startCluster(dir),
    startChain(join(dir, 'chain')),
    startFeed(options.seed, options.signalsPerSecond, journal),
    bundleRelease(),
  ])
  const release =
    options.fromRelease === '' ? newest : await prepareRelease(options.fromRelease, join(dir, 'release'), cluster)
  const admin = { email: 'admin@example.com', password: 'a bell that rings at night' }
  const env: Record<string, string> = {
    PUBLIC_URL,
    DEMO: 'false',
    CHAIN_ID: '31337',
    PAYMENT_RPC_URL: chain.rpcUrl,
    TOKEN_ADDRESS: chain.token,
    TREASURY_ADDRESS: chain.treasury,
    CONFIRMATIONS: '2',
    ANCHOR_CHAIN_ID: '31337',
    ANCHOR_RPC_URL: chain.rpcUrl,
    ANCHOR_CONTRACT: chain.anchorContract,
    ANCHOR_KEY: testAnchorKey,
    ANCHOR_INTERVAL_SECONDS: '2',
    SIGNER_KEY: testSignerKey,
    APP_SECRET,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Tocsin <alerts@example.com>',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    ADMIN_SECOND_FACTOR: 'false',
    FEED_ALLOW_PRIVATE: 'true',
    CHANNELS_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'info',
  }
  const settings = { release, dir, databaseUrl: cluster.primary().url(), env }
  const instances = await Promise.all(
    Array.from({ length: options.instances }, (_, index) => createInstance(index + 1, settings)),
  )
  const proxy = await startReverseProxy(
    dir,
    instances.map(({ port }) => port),
  )
  env.TRUSTED_PROXIES = proxy.noNginxReason === null ? '1' : '0'
  const streams = await startTcpProxy(`http://127.0.0.1:${proxy.port}`, { keepAddress: true })
  return {
    dir,
    reverseProxy: proxy,
    cluster,
    chain,
    feed,
    instances,
    newest,
    streams,
    random,
    admin,
    openContext: () =>
      createTestContext(
        testConfig({
          databaseUrl: cluster.primary().url(),
          appSecret: APP_SECRET,
          http: { publicUrl: PUBLIC_URL },
          feed: FEED_PRIVATE,
        }),
        systemClock,
      ),
    async stop(keepsFolder) {
      for (const instance of instances) await instance.close()
      await Promise.all([proxy.close(), streams.close(), feed.close(), chain.stop(), mailServer.stop()])
      await cluster.stop()
      await rm(newest.bundle, { force: true })
      if (!keepsFolder) await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Builds an earlier release. Migrates the tables to the current release, because the harness fills
 * them with current code. Instances of both releases later use these tables at the same time, as
 * during a rolling upgrade by an operator.
 */
async function prepareRelease(ref: string, dir: string, cluster: Cluster): Promise<Release> {
  console.log(`Building ${ref}`)
  buildRelease(ref, dir)
  await migrateDatabase(cluster.primary().url())
  return bundleRelease(dir)
}
