import { setMaxListeners } from 'node:events'
import type { AlertStream } from '@tocsin/client'
import {
  buyRepeatedly,
  type Credentials,
  type Fixture,
  issueAlerts,
  logInRepeatedly,
  readPublicPages,
  signInAdmin,
} from './accounts.ts'
import {
  addCustomers,
  addExpiringSessions,
  addUsers,
  addWebhooks,
  type ExpiringSession,
  recordMails,
  saveFeedSettings,
} from './customers.ts'
import type { RunningEnvironment } from './environment.ts'
import type { Journal } from './journal.ts'
import type { Options } from './options.ts'
import { sendRequests, watchMemory, watchReadiness } from './probes.ts'
import { type Customer, subscribe } from './subscribers.ts'
import { expireWithOpenSocket, visitRepeatedly } from './visitors.ts'
import { startWebhookEndpoint } from './webhook-endpoint.ts'

export interface Load {
  /**
   * Stops the feed and the simulated users, and waits for their last requests. Streams and probes
   * continue.
   */
  stopUsers(): Promise<void>
  stop(): Promise<void>
}

const USERS = 3
const WEBHOOKS = 2
const POLL_MS = 100

/** Fills the database, and starts the instances and all simulated users, streams and probes. */
export async function startLoad(environment: RunningEnvironment, options: Options, journal: Journal): Promise<Load> {
  const { reverseProxy: proxy, instances, chain, feed, random, streams } = environment
  const endpoint = await startWebhookEndpoint(journal, random)
  const [first, ...otherInstances] = instances
  first?.start()
  await first?.waitUntilReady()
  const { customers, users, expiringSessions } = await addAccountData(environment, options, endpoint.url)
  for (const instance of otherInstances) instance.start()
  await Promise.all(otherInstances.map((instance) => instance.waitUntilReady()))

  const [accountsAbort, probesAbort] = [new AbortController(), new AbortController()]
  for (const { signal } of [accountsAbort, probesAbort]) setMaxListeners(0, signal)
  const openedStreams: AlertStream[] = customers.map((customer, index) =>
    subscribe(journal, customer, {
      number: 1_000 + index,
      port: index % 2 === 0 ? proxy.port : streams.port,
      httpPort: proxy.port,
    }),
  )
  while (journal.subscribers.some(({ liveAtMs, closedAtMs }) => liveAtMs === null && closedAtMs === null)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const fixture: Fixture = { journal, port: proxy.port, chain, random, stopped: accountsAbort.signal }
  const admin = await signInAdmin(fixture, environment.admin)
  feed.start()
  const accountLoad = Promise.all([
    issueAlerts(fixture, admin),
    buyRepeatedly(fixture),
    visitRepeatedly(fixture, environment.admin),
    ...expiringSessions.map((session, number) => expireWithOpenSocket(fixture, session, number)),
    logInRepeatedly(fixture, users),
    readPublicPages(fixture),
  ])
  const probeLoad = Promise.all([
    ...instances.map((instance) => watchReadiness(journal, instance, probesAbort.signal)),
    ...instances.map((instance) => watchMemory(journal, instance, probesAbort.signal)),
    sendRequests(journal, proxy.port, probesAbort.signal),
  ])
  return {
    async stopUsers() {
      feed.stop()
      accountsAbort.abort()
      await accountLoad
    },
    async stop() {
      probesAbort.abort()
      await probeLoad
      for (const stream of openedStreams) stream.close()
      await endpoint.close()
    },
  }
}

async function addAccountData(
  environment: RunningEnvironment,
  { clients, minutes }: Options,
  webhookUrl: string,
): Promise<{ customers: Customer[]; users: Credentials[]; expiringSessions: ExpiringSession[] }> {
  const { ctx, close } = await environment.openContext()
  try {
    await recordMails(ctx)
    const customers = await addCustomers(ctx, clients, minutes * 60_000)
    const users = await addUsers(ctx, USERS)
    // The first customers have a subscription that outlasts the run.
    await addWebhooks(ctx, customers.slice(0, WEBHOOKS), webhookUrl)
    await saveFeedSettings(ctx, environment.feed.url)
    return { customers, users, expiringSessions: await addExpiringSessions(ctx, minutes * 60_000) }
  } finally {
    await close()
  }
}
