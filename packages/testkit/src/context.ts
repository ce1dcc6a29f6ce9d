import { createChainClient } from '@tocsin/server/chain/chain-client.ts'
import type { Clock } from '@tocsin/server/clock.ts'
import type { Config } from '@tocsin/server/config.ts'
import type { Context, Mail } from '@tocsin/server/context.ts'
import type { ConnectionLimits } from '@tocsin/server/db/connection.ts'
import { openDatabase } from '@tocsin/server/db/database.ts'
import { openNotificationBus } from '@tocsin/server/db/notification-bus.ts'
import { createPasswordHasher } from '@tocsin/server/features/accounts/password.ts'
import { IssuedDeliveries } from '@tocsin/server/issued-deliveries.ts'
import { createSecurityQueue } from '@tocsin/server/security-queue.ts'
import { createSigners } from '@tocsin/server/signer.ts'
import { pino } from 'pino'
import { fakeClock } from './clock.ts'
import { testPasswordCost } from './password-cost.ts'

/** Time limit that only ends tests that hang. */
const HANG_LIMIT_MS = 120_000
/**
 * Timeouts of tests, longer than the few seconds of a server. Tests hold locks until others wait
 * for them, or send a hundred transactions concurrently. Both take longer on a busy machine.
 */
const longLimits: ConnectionLimits = {
  connectMs: HANG_LIMIT_MS,
  statementMs: HANG_LIMIT_MS,
  lockMs: HANG_LIMIT_MS,
  idleInTransactionMs: HANG_LIMIT_MS,
  silenceMs: HANG_LIMIT_MS + 1_000,
}

export interface TestContext {
  ctx: Context
  /** Queued emails, in order. */
  mails: Mail[]
  /** Stores the queued security events immediately. */
  storeSecurityEvents(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a server context with a real database and real chains. Only clock, email and the cost of
 * password hashes are replaced.
 */
export async function createTestContext(
  config: Config,
  clock: Clock = fakeClock(),
  passwordCost = testPasswordCost,
): Promise<TestContext> {
  const logger = pino({ level: config.logLevel })
  const onConnectionError = (error: Error) => logger.error({ err: error }, 'Idle database connection failed')
  const openedDatabase = openDatabase(config.databaseUrl, onConnectionError, { limits: longLimits })
  const notifications = await openNotificationBus(config.databaseUrl, logger)
  const mails: Mail[] = []
  const securityQueue = createSecurityQueue(openedDatabase.db, logger)
  const ctx: Context = {
    config,
    db: openedDatabase.db,
    clock,
    logger,
    notifications,
    issued: new IssuedDeliveries(),
    signers: createSigners(config),
    passwords: createPasswordHasher(passwordCost),
    paymentChain: createChainClient(config.payment.rpcUrls, HANG_LIMIT_MS),
    anchorChain: createChainClient([config.anchor.rpcUrl], HANG_LIMIT_MS),
    sendMail: async (_tx, mail) => {
      mails.push(mail)
    },
    deliverMail: async (_id, mail) => {
      mails.push(mail)
    },
    queueSecurityEvent: securityQueue.add,
    failpoint: () => {},
    isBreached: async () => false,
    findLocation: () => null,
  }
  return {
    ctx,
    mails,
    storeSecurityEvents: securityQueue.flush,
    async close() {
      await securityQueue.close()
      await notifications.close()
      await openedDatabase.close()
    },
  }
}
