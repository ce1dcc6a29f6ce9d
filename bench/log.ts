import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@tocsin/demo/postgres.ts'
import { systemClock } from '@tocsin/server/clock.ts'
import { migrateDatabase } from '@tocsin/server/db/database.ts'
import { createTestContext, testConfig } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import { fillLog } from './log/fill.ts'
import { measureLog } from './log/measure.ts'

/**
 * Measures how fast the log appends entries and proves them, by log size. Uses a private PostgreSQL
 * configured like the demo (32 MB of buffers, every commit synced). SQL statements fill the log up
 * to each size. The measured operations use the server code.
 * Usage: node --import tsx bench/log.ts [largest size = 10000000]
 */
const MAX_LOG_SIZE = Number(process.argv[2] ?? 10_000_000)
const MIN_LOG_SIZE = 1_000

function listSizes(): number[] {
  const list: number[] = []
  for (let size = MIN_LOG_SIZE; size <= MAX_LOG_SIZE; size *= 10) list.push(size)
  return list
}

const dir = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
const postgres = await startPostgres({ dir, onProgress: console.log })
try {
  await migrateDatabase(postgres.url)
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl: postgres.url }), systemClock)
  console.log(describeMachine())
  console.log('     entries   log alone   as alerts   one by one   inclusion proof   consistency proof')
  for (const size of listSizes()) {
    await fillLog(ctx, size)
    const { entriesPerSecond, alertsPerSecond, singleAppendMs, inclusion, consistency } = await measureLog(ctx)
    const columns = [
      size.toLocaleString('en-US').padStart(12),
      `${Math.round(entriesPerSecond)}/s`.padStart(11),
      `${Math.round(alertsPerSecond)}/s`.padStart(11),
      `${singleAppendMs.toFixed(1)} ms`.padStart(12),
      `${inclusion.medianMs.toFixed(2)} (p99 ${inclusion.p99Ms.toFixed(2)}) ms`.padStart(24),
      `${consistency.medianMs.toFixed(2)} (p99 ${consistency.p99Ms.toFixed(2)}) ms`.padStart(24),
    ]
    console.log(columns.join(' '))
  }
  await close()
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
