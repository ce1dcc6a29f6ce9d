import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { openDatabase } from './database.ts'
import { fenced, openLeadership } from './leader.ts'

/** A leader in a process of its own, for a test to freeze: `leader-test-child.ts <database URL> <lease times>`. */
const [url = '', times = '{}'] = process.argv.slice(2)
const { db } = openDatabase(url, () => {})

openLeadership(url, pino({ level: 'silent' }), JSON.parse(times)).lead('payments', async (term) => {
  const own = fenced(db, term)
  try {
    // On purpose without a look at the signal: the fence alone must stop a late write.
    for (;;) await own.transaction((tx) => tx.execute(sql`insert into written (by) values ('child')`))
  } finally {
    process.stdout.write('stopped\n')
  }
})
