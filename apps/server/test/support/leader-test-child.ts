import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { openDatabase } from '../../src/db/database.ts'
import { openLeadership, withFencing } from '../../src/db/leader.ts'
import { openNotificationBus } from '../../src/db/notification-bus.ts'

/**
 * Runs a leader in a child process that a test can freeze: `leader-test-child.ts <database URL>
 * <lease times>`.
 */
const [url = '', times = '{}'] = process.argv.slice(2)
const { db } = openDatabase(url, () => {})
const logger = pino({ level: 'silent' })
const notifications = await openNotificationBus(url, logger)

openLeadership(url, notifications, logger, JSON.parse(times)).lead('payments', async (term) => {
  const fencedDb = withFencing(db, term)
  try {
    // Ignores `term.signal` on purpose. The check of the lease in each transaction must prevent a
    // late write by itself.
    for (;;) await fencedDb.transaction((tx) => tx.execute(sql`insert into written (by) values ('child')`))
  } finally {
    process.stdout.write('stopped\n')
  }
})
