import pino from 'pino'
import { createChainClient } from '../chain/chain-client.ts'
import { openDatabaseClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { bulkLimits } from '../db/connection.ts'
import { migrateDatabase, openDatabase } from '../db/database.ts'
import { openNotificationBus } from '../db/notification-bus.ts'
import { openBreachedPasswords } from '../features/accounts/breached-passwords.ts'
import { createPasswordHasher } from '../features/accounts/password.ts'
import { formatError } from '../format-error.ts'
import { IssuedDeliveries } from '../issued-deliveries.ts'
import { createLogger } from '../logger.ts'
import { createMailer } from '../mail/mailer.ts'
import { createDelivery } from '../mail/transport.ts'
import { completeConfig, getProductionParts, readSettings, type Settings } from '../read-config.ts'
import { createShutdownRegistry, type ShutdownRegistry } from '../shutdown-registry.ts'
import { createSigners } from '../signer.ts'
import type { CliEnvironment } from './command.ts'

export interface Installation {
  settings: Settings
  config: Config
  shutdown: ShutdownRegistry
}

/**
 * Runs a command on the configured installation. In the demo, starts database and chain if they are
 * not running, and stops them again afterwards.
 */
export async function withInstallation<T>(
  cli: CliEnvironment,
  use: (installation: Installation) => Promise<T>,
): Promise<T> {
  const shutdown = createShutdownRegistry((error) => cli.err(formatError(error)))
  const interrupt = () => void shutdown.stopAll().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    const settings = readSettings(cli.env, { hasDemo: cli.demo !== null })
    const configParts =
      settings.demo && cli.demo ? await cli.demo.borrowDemo(settings, cli.err, shutdown) : getProductionParts(settings)
    const config = completeConfig(settings, configParts, cli.version, '')
    return await use({ settings, config, shutdown })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
    await shutdown.stopAll()
  }
}

/**
 * Creates the features' context on the migrated database. Emails are only queued; the server
 * delivers them.
 */
export async function openContext({ config, shutdown }: Installation): Promise<Context> {
  await migrateDatabase(config.databaseUrl)
  const logger = createLogger({ ...config, demo: false, logLevel: 'error' }, pino.destination(2))
  const onConnectionError = (error: Error) => logger.error({ err: error }, 'a database connection broke')
  const database = openDatabase(config.databaseUrl, onConnectionError, { limits: bulkLimits })
  shutdown.add(database.close)
  const { clock } = await openDatabaseClock(database.db)
  const notifications = await openNotificationBus(config.databaseUrl, logger)
  shutdown.add(notifications.close)
  const deliverMail = createDelivery(config, clock)
  const mailer = createMailer(database.pool, deliverMail, logger)
  await mailer.prepare()
  shutdown.add(mailer.stop)
  return {
    config,
    db: database.db,
    clock,
    logger,
    notifications,
    issued: new IssuedDeliveries(),
    signers: createSigners(config),
    passwords: createPasswordHasher(),
    paymentChain: createChainClient(config.payment.rpcUrls),
    anchorChain: createChainClient([config.anchor.rpcUrl]),
    sendMail: mailer.sendMail,
    deliverMail,
    // Commands handle no requests, so there are no security events to queue.
    queueSecurityEvent: () => {},
    failpoint: () => {},
    isBreached: await openBreachedPasswords(config.breachedPasswords),
    findLocation: () => null,
  }
}

/** Like `withInstallation`, with the features' context. */
export function withContext<T>(
  cli: CliEnvironment,
  use: (ctx: Context, installation: Installation) => Promise<T>,
): Promise<T> {
  return withInstallation(cli, async (installation) => use(await openContext(installation), installation))
}
