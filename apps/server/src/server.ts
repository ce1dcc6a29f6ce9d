import { hostname } from 'node:os'
import fastifyCookie from '@fastify/cookie'
import type { Hex } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { startBackgroundJobs } from './background-jobs.ts'
import { assertChainId, createChainClient } from './chain/chain-client.ts'
import { getChainClient } from './chain/payment-chains.ts'
import { type Clock, databaseMs, openDatabaseClock } from './clock.ts'
import { coalesce } from './coalesce.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { type Database, getServerLimits, migrateDatabase, openDatabase } from './db/database.ts'
import { createDatabaseHealth, type DatabaseHealth } from './db/health.ts'
import type { LeaseTimes } from './db/leader.ts'
import { type NotificationBus, openNotificationBus } from './db/notification-bus.ts'
import { openReadReplica } from './db/read-replica.ts'
import type { Failpoint } from './failpoint.ts'
import { openBreachedPasswords } from './features/accounts/breached-passwords.ts'
import { warnOfEarlierAccess } from './features/accounts/earlier-access.ts'
import { signInFailures } from './features/accounts/failure-alarm.ts'
import {
  createFirstAdminLink,
  ensureFirstAdmin,
  exemptFirstOwner,
  type FirstAdminLink,
} from './features/accounts/first-admin.ts'
import { createMailLinks } from './features/accounts/mail-link.ts'
import { createPasswordHasher, type PasswordCost } from './features/accounts/password.ts'
import { countAlerts } from './features/alerts/admin-store.ts'
import { createAlertFigures } from './features/alerts/figures.ts'
import { createIssuer, type IssueAlert } from './features/alerts/issue-alerts.ts'
import {
  findHighestDeliveredIndex,
  findLastDeliverySeq,
  findResumePoint,
  loadAlertsAnchoredBetween,
  loadDeliveries,
  loadOwedDeliveries,
} from './features/alerts/service.ts'
import { findApiKey, findOpenApiKey } from './features/api-keys/service.ts'
import { installDailyCounts } from './features/business/daily-counts.ts'
import { businessCustomers } from './features/business/routes.ts'
import { findChannelFigures } from './features/channels/admin-routes.ts'
import { resealVapidKey } from './features/channels/push/vapid-keys.ts'
import { resealDestinations } from './features/channels/service.ts'
import { resealTotpSecrets } from './features/factors/service.ts'
import { resealFeedKey } from './features/feed/reseal-key.ts'
import { feedDetails, findFeedProblem } from './features/feed/service.ts'
import { createLive } from './features/live/live.ts'
import { startMarketData } from './features/market/market-data.ts'
import { findWatcherProblem } from './features/payments/service.ts'
import { createTrackRecords } from './features/record/track-record.ts'
import { syslogDrops } from './features/security/write-out.ts'
import { openGeoDatabase } from './features/sessions/geo-database.ts'
import {
  findActors,
  findSessionEnds,
  isAccountOpen,
  type SessionLookup,
  toSessionKey,
} from './features/sessions/service.ts'
import { getCookieName } from './features/sessions/session.ts'
import type { SessionKey } from './features/sessions/store.ts'
import { applyApprovedValues } from './features/settings/approved-values.ts'
import { findEntitlements, listPastPeriods } from './features/subscriptions/service.ts'
import { installFeeds } from './features/syndication/install-feeds.ts'
import { installAlertImages } from './features/system/alert-image.ts'
import { createAlertPages } from './features/system/alert-pages.ts'
import { createAlertRenderer } from './features/system/alert-renderer.ts'
import { createRecordPage } from './features/system/record-page.ts'
import { reportInstance } from './features/system/report-instance.ts'
import { listSampleReaders } from './features/system/samples.ts'
import { assertLogMatchesAnchors } from './features/tlog/check-log.ts'
import { findClockProblem } from './features/tlog/entry-time.ts'
import { createLogStats } from './features/tlog/log-stats.ts'
import { ensureKeyList, findAnchoringProblem, findLogId, getLogSize } from './features/tlog/service.ts'
import { findOwner } from './features/wallets/service.ts'
import { createStreamChallenge, isStillAccepted, verifyStreamResponse } from './features/wallets/stream-challenge.ts'
import { createApiKeyAuthenticator } from './http/api-key-authenticator.ts'
import { type Caller, createApp, isPoll } from './http/app.ts'
import { createChecks } from './http/checks.ts'
import { createDrain } from './http/drain.ts'
import { installHealth } from './http/health.ts'
import { explainListenFailure } from './http/listen-failure.ts'
import { installPages } from './http/pages.ts'
import { trackRunningRequests } from './http/request-log.ts'
import { createSecurityLog } from './http/security-log.ts'
import { IssuedDeliveries } from './issued-deliveries.ts'
import { createLogger } from './logger.ts'
import { createMailer, isMailDue, type Mailer } from './mail/mailer.ts'
import { createDelivery, createPooledDelivery } from './mail/transport.ts'
import type { Sample } from './metrics.ts'
import { createRoutes } from './routes.ts'
import { systemScheduler } from './scheduler.ts'
import { createSecurityQueue } from './security-queue.ts'
import { createSigners } from './signer.ts'
import { logStalls } from './stall-log.ts'
import { startWarmReads } from './warm-reads.ts'

/**
 * Limits for batches of session and entitlement lookups, when many clients connect at the same
 * time.
 */
const LOOKUP_BATCHING = { maxBatchSize: 500, pauseMs: 20 }

/** Replacements and additions that the caller supplies. */
export interface Extensions {
  /** Clock in place of the database clock. */
  clock?: Clock
  logger?: Logger
  /** Runs after migrations, before anything is served. */
  prepare?(ctx: Context): Promise<void>
  /** Start time of a new log. The default is now. */
  logBeginsAt?: Date
  /**
   * Returns further keys. Called when the log names a key that the configuration does not contain.
   */
  moreSignerKeys?(): Hex[]
  /** Cost of password hashes; a lower one makes tests fast. */
  passwordCost?: PasswordCost
  /** Called at the failpoints. For crash tests. */
  failpoint?(at: Failpoint): void
  /**
   * Aborting this signal ends the drain notice period of a shutdown early, so that tests control
   * its duration.
   */
  endNotice?: AbortSignal
  /** Lease duration of background jobs. */
  leaseTimes?: LeaseTimes
  /**
   * Pause after a computation of the track record, in multiples of its duration. Tests that wait
   * for the record of the newest anchor set it to 0.
   */
  recordPauseFactor?: number
  /** Adds routes. */
  install?(app: FastifyInstance, ctx: Context): void
}

export interface RunningServer {
  /** Public URL. */
  url: string
  /**
   * Link that creates the first admin. Null if an admin exists or is configured. Its `link` is null
   * if an earlier start created the link. Show it only once and only to the operator.
   */
  firstAdminLink: FirstAdminLink | null
  ctx: Context
  close(): Promise<void>
}

/** Starts the product with a configuration. If a step fails, everything opened before is closed. */
export async function createServer(config: Config, extensions: Extensions = {}): Promise<RunningServer> {
  const closers: (() => Promise<void>)[] = []
  const logger = extensions.logger ?? createLogger(config)
  const close = async () => {
    const failures: unknown[] = []
    logger.info('stopping')
    for (const closer of closers.splice(0).reverse()) await closer().catch((error: unknown) => failures.push(error))
    logger.info('stopped')
    if (failures.length > 0) throw new AggregateError(failures, 'The server did not close cleanly')
  }
  try {
    const health = createDatabaseHealth(systemScheduler, logger)
    const openedContext = await openContext(config, { ...extensions, logger }, health, closers)
    const { pool, mailer, droppedEvents } = openedContext
    const ctx = await exemptFirstOwner(await applyApprovedValues(openedContext.ctx))
    await assertChainId(ctx.paymentChain, config.payment.chainId, 'PAYMENT_RPC_URL', ctx.logger)
    for (const chain of config.otherPaymentChains) {
      await assertChainId(getChainClient(chain), chain.chainId, `PAYMENT_CHAINS, chain ${chain.chainId},`, ctx.logger)
    }
    await assertChainId(ctx.anchorChain, config.anchor.chainId, 'ANCHOR_RPC_URL', ctx.logger)
    await assertLogMatchesAnchors(ctx)
    await ensureKeyList(ctx, extensions.logBeginsAt)
    await resealFeedKey(ctx)
    await resealDestinations(ctx)
    await resealVapidKey(ctx)
    await resealTotpSecrets(ctx)
    await ensureFirstAdmin(ctx)
    await extensions.prepare?.(ctx)
    await warnOfEarlierAccess(ctx)
    const issueAlert = createIssuer(ctx)
    let listLedJobs = (): string[] => []
    const stopServing = await serve(
      ctx,
      issueAlert,
      extensions,
      { health, pool, droppedEvents, leads: () => listLedJobs() },
      closers,
    )
    // The mailer and the background jobs send emails and transactions, so they start only after all
    // checks have succeeded.
    mailer.start()
    const backgroundJobs = startBackgroundJobs(ctx, issueAlert, extensions.leaseTimes)
    listLedJobs = backgroundJobs.listLedJobs
    // Other instances take over the background jobs while this one answers its last requests.
    closers.push(async () => void (await Promise.all([backgroundJobs.stop(), stopServing()])))
    // Created last, because the secret in the link is shown only once and must not be lost if the
    // start fails.
    const firstAdminLink = await createFirstAdminLink(ctx)
    logger.info({ url: config.http.publicUrl, version: config.version }, 'started')
    return { url: config.http.publicUrl, firstAdminLink, ctx, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function openContext(
  config: Config,
  extensions: Extensions & { logger: Logger },
  health: DatabaseHealth,
  closers: (() => Promise<void>)[],
): Promise<{ ctx: Context; pool: Pool; mailer: Mailer; droppedEvents: () => number }> {
  const { logger } = extensions
  await migrateDatabase(config.databaseUrl)
  const database = openDatabase(
    config.databaseUrl,
    (error) => logger.warn({ err: error }, 'a database connection broke'),
    { limits: getServerLimits(config.databaseTimeoutSeconds), onServerError: health.recordServerError },
  )
  closers.push(database.close)
  const stopProbing = health.watch(database.db)
  closers.push(async () => stopProbing())
  const notifications = await openNotificationBus(config.databaseUrl, logger)
  closers.push(notifications.close)
  const clock = extensions.clock ?? (await keepDatabaseClock(database.db, notifications))
  const mailer = createMailer(database.pool, createDelivery(config, clock), logger, {
    links: createMailLinks(database.db, clock),
  })
  await mailer.prepare()
  closers.push(mailer.stop)
  notifications.watch(
    () => isMailDue,
    (isDue) => isDue && mailer.look(),
  )
  const pooled = createPooledDelivery(config, clock)
  closers.push(async () => pooled.close())
  const securityQueue = createSecurityQueue(database.db, logger)
  closers.push(securityQueue.close)
  const geoDatabase = await openGeoDatabase(config.geoDatabase, logger)
  closers.push(async () => geoDatabase.close())
  const ctx: Context = {
    config,
    db: database.db,
    clock,
    logger,
    notifications,
    issued: new IssuedDeliveries(),
    signers: createSigners(config, extensions.moreSignerKeys),
    passwords: createPasswordHasher(extensions.passwordCost),
    paymentChain: createChainClient(config.payment.rpcUrls),
    anchorChain: createChainClient([config.anchor.rpcUrl]),
    sendMail: mailer.sendMail,
    deliverMail: pooled.deliver,
    queueSecurityEvent: securityQueue.add,
    isBreached: await openBreachedPasswords(config.breachedPasswords),
    findLocation: geoDatabase.findLocation,
    failpoint: extensions.failpoint ?? (() => {}),
  }
  return { ctx, pool: database.pool, mailer, droppedEvents: securityQueue.dropped }
}

async function keepDatabaseClock(db: Database, notifications: NotificationBus): Promise<Clock> {
  const { clock, correct } = await openDatabaseClock(db)
  // While the database is unavailable, the clock continues from the last reading.
  notifications.watch(
    () => databaseMs,
    (ms, heartbeat) => correct(new Date(Number(ms)), heartbeat),
  )
  return clock
}

async function serve(
  ctx: Context,
  issueAlert: IssueAlert,
  extensions: Extensions,
  {
    health,
    pool,
    droppedEvents,
    leads,
  }: { health: DatabaseHealth; pool: Pool; droppedEvents: () => number; leads: () => string[] },
  closers: (() => Promise<void>)[],
): Promise<() => Promise<void>> {
  const { config } = ctx
  const drain = createDrain()
  const securityLog = createSecurityLog(ctx)
  closers.push(async () => securityLog.close())
  const parseSessionCookie = ({ headers }: Caller) => fastifyCookie.parse(headers.cookie ?? '')[getCookieName(config)]
  // Concurrent requests share a query. It is sent after they have arrived, so its result is never
  // older than a request.
  const findRequestActors = coalesce({ ...LOOKUP_BATCHING, pauseMs: 0 }, (keys: SessionLookup[]) =>
    findActors(ctx, keys),
  )
  const findCaller = async (caller: Caller) => {
    const cookie = parseSessionCookie(caller)
    return cookie ? findRequestActors({ ...toSessionKey(cookie), isPoll: isPoll(caller) }) : null
  }
  // Coalesced with a pause, because all clients reconnect within seconds after a restart. With
  // `isPoll`, a socket does not count as use of a session of staff, because pages open sockets
  // without an action of the user.
  const findSocketActors = coalesce(LOOKUP_BATCHING, (keys: SessionKey[]) =>
    findActors(
      ctx,
      keys.map((key) => ({ ...key, isPoll: true })),
    ),
  )
  const findEntitlement = coalesce(LOOKUP_BATCHING, (accountIds: string[]) => findEntitlements(ctx, accountIds))
  const apiKeyAuthenticator = createApiKeyAuthenticator((token) => findApiKey(ctx, token))
  const stopDeletingIdle = systemScheduler.every(MINUTE_MS, apiKeyAuthenticator.deleteIdle)
  closers.push(async () => stopDeletingIdle())
  const trackRecords = createTrackRecords({ pauseFactor: extensions.recordPauseFactor })
  closers.push(trackRecords.stop)
  const alertFigures = createAlertFigures()
  const readLogStats = createLogStats()
  const replica =
    config.replicaUrl === null
      ? null
      : await openReadReplica(config.replicaUrl, ctx.db, {
          timeoutSeconds: config.databaseTimeoutSeconds,
          scheduler: systemScheduler,
          logger: ctx.logger,
        })
  if (replica) closers.push(replica.close)
  const marketData = startMarketData(ctx)
  closers.push(marketData.stop)
  const app = await createApp(
    ctx,
    createRoutes(
      { startedAt: ctx.clock.now(), countListening: () => live.countListening() },
      issueAlert,
      trackRecords,
      marketData,
      replica,
      alertFigures,
      readLogStats,
    ),
    findCaller,
    drain,
    securityLog,
    apiKeyAuthenticator,
  )
  closers.push(() => app.close())
  // Added after the HTTP server, because closers run in reverse order: the live stream must close
  // first, since the HTTP server waits for upgraded connections.
  const live = createLive(ctx, {
    findActor: async (caller) => {
      const cookie = parseSessionCookie(caller)
      return cookie ? findSocketActors(toSessionKey(cookie)) : null
    },
    findActorOfSession: (id) => findSocketActors({ id }),
    findSessionEnds,
    createChallenge: createStreamChallenge,
    verifyResponse: verifyStreamResponse,
    isStillAccepted,
    findAccountOfWallet: async (walletAddress, chainId) => {
      const accountId = await findOwner(ctx, walletAddress, chainId)
      return accountId !== null && (await isAccountOpen(ctx, accountId)) ? accountId : null
    },
    authenticateKey: (token, network) => apiKeyAuthenticator.authenticate(token, { network, scope: 'stream', cost: 1 }),
    findKey: (id) => findOpenApiKey(ctx, id),
    findEntitlement: (_ctx, accountId) => findEntitlement(accountId),
    listPastPeriods,
    loadDeliveries,
    loadOwedDeliveries,
    findLastDeliverySeq,
    findHighestDeliveredIndex,
    loadAlertsAnchoredBetween,
    findResumeSeq: findResumePoint,
    findLogId,
    getLogSize,
    watchPrices: marketData.watch,
    onRefused: securityLog.refused,
  })
  closers.push(live.close)
  const runChecks = createChecks(
    [
      {
        name: 'database',
        isRequired: true,
        find: async () => (await health.findReadProblem()) ?? health.findWriteProblem(),
      },
      { name: 'alerts', isRequired: true, find: async () => live.problem() },
      // The following checks are not required: apart from the clock, their results are the same on
      // every instance, so another instance would not serve requests better.
      { name: 'anchoring', isRequired: false, find: () => findAnchoringProblem(ctx) },
      { name: 'payments', isRequired: false, find: () => findWatcherProblem(ctx) },
      { name: 'feed', isRequired: false, find: () => findFeedProblem(ctx) },
      { name: 'clock', isRequired: false, find: () => findClockProblem(ctx) },
      {
        name: 'marketData',
        isRequired: false,
        find: async () => (marketData.problem() === null ? null : 'no prices arrive; the log says why'),
      },
      ...(replica ? [{ name: 'replica', isRequired: false, find: async () => replica.problem() }] : []),
    ],
    ctx.logger,
  )
  const ownInstance = {
    name: `${hostname()}:${config.http.port}`,
    startedAt: ctx.clock.now(),
    runChecks,
    leads,
    connected: live.connected,
  }
  closers.push(reportInstance(ctx, ownInstance, systemScheduler))
  installHealth(app, ctx, {
    runChecks,
    isStopping: drain.isDraining,
    sampleReaders: listSampleReaders(ctx),
    ownSamples: () => [
      { name: 'tocsin_build_info', value: 1, labels: { version: config.version } },
      { name: 'tocsin_anchor_interval_seconds', value: config.anchor.intervalSeconds },
      { name: 'tocsin_streams_connected', value: live.connected() },
      { name: 'tocsin_security_events_dropped_total', value: droppedEvents(), labels: { target: 'database' } },
      { name: 'tocsin_security_events_dropped_total', value: syslogDrops.total, labels: { target: 'syslog' } },
      { name: 'tocsin_sign_in_failures_total', value: signInFailures.total },
      { name: 'tocsin_sign_in_alarm', value: signInFailures.isRaised(ctx.clock.now()) ? 1 : 0 },
      { name: 'tocsin_database_connections', value: pool.totalCount - pool.idleCount, labels: { state: 'busy' } },
      { name: 'tocsin_database_connections', value: pool.idleCount, labels: { state: 'idle' } },
      { name: 'tocsin_database_waiting', value: pool.waitingCount },
      ...(replica ? [{ name: 'tocsin_replica_lag_seconds' as const, value: replica.lagSeconds() ?? Number.NaN }] : []),
      ...leads().map((job): Sample => ({ name: 'tocsin_leads', value: 1, labels: { job } })),
    ],
  })
  const stopStallLogging = logStalls({
    logger: ctx.logger,
    scheduler: systemScheduler,
    takeRequests: trackRunningRequests(app),
    jobs: leads,
  })
  closers.push(async () => stopStallLogging())
  closers.push(installDailyCounts(app, ctx))
  extensions.install?.(app, ctx)
  const hasSession = (caller: Caller) => parseSessionCookie(caller) !== undefined
  const renderer = createAlertRenderer(config.http.webDir)
  installAlertImages(app, ctx, renderer)
  installFeeds(app, ctx)
  await installPages(app, config, hasSession, createRecordPage(ctx, trackRecords), createAlertPages(ctx, renderer))
  app.server.on('upgrade', live.handleUpgrade)
  await app
    .listen({ port: config.http.port, host: config.http.host })
    .catch((error) => explainListenFailure(error, config.http))
  // Start to compute the track record now, because its page shows no figures until it is computed.
  trackRecords.peek(ctx, config.demo ? 'demo' : 'feed')
  // Fill the cache, so that the first caller need not wait. Errors are ignored: the first caller
  // reads again and reports them.
  readLogStats(ctx).catch(() => {})
  const warmReads = {
    alerts: () => alertFigures(ctx, 'all'),
    'alerts by priority': () => countAlerts(ctx.db, {}),
    signals: () => feedDetails(ctx),
    channels: () => findChannelFigures(ctx),
    customers: () => businessCustomers(ctx),
  }
  closers.push(startWarmReads(warmReads, { logger: ctx.logger, scheduler: systemScheduler }))
  return async () => {
    live.refuseNew()
    await drain.drain({ ...config.http.drain, endNotice: extensions.endNotice }, live.close)
  }
}
