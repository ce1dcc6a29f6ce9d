import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { borrowDemo } from '@tocsin/demo/demo-backends.ts'
import { seedMass } from '@tocsin/demo/mass-seed/mass-seed.ts'
import { openContext } from '@tocsin/server/cli/installation.ts'
import { settings } from '@tocsin/server/db/schema/server.ts'
import { getLogSize } from '@tocsin/server/features/tlog/service.ts'
import { completeConfig, readSettings } from '@tocsin/server/read-config.ts'
import { readVersion } from '@tocsin/server/read-version.ts'
import { createShutdownRegistry } from '@tocsin/server/shutdown-registry.ts'
import { createTestClient, http } from 'viem'

/**
 * Fills the demo with as much data as a large operator has, for measurements: npm run seed --
 * --alerts 1e6 --users 1e5 --payments 3e5 --destinations 1e4. The database (in DATA_DIR, or named
 * by DATABASE_URL) must be empty. Never runs on a production installation.
 */
const names = ['alerts', 'users', 'payments', 'destinations'] as const
const defaults = { alerts: '1e5', users: '1e4', payments: '3e4', destinations: '1e3' }

const printLine = (line: string) => void process.stdout.write(`${line}\n`)
const printFailure = (line: string) => {
  process.stderr.write(`${line}\n`)
  process.exitCode = 1
}

function readSizes(): Record<(typeof names)[number], number> | null {
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: 'string', default: defaults[name] } as const])),
    })
    const sizes = Object.fromEntries(names.map((name) => [name, Number(values[name])]))
    const { alerts = 0, users = 0, payments = 0, destinations = 0 } = sizes
    const allSizes = { alerts, users, payments, destinations }
    return Object.values(allSizes).every((size) => Number.isInteger(size) && size > 0 && size <= 1e7) ? allSizes : null
  } catch {
    return null
  }
}

if (existsSync('.env')) process.loadEnvFile('.env')
const sizes = readSizes()
const serverSettings = readSettings(process.env)
if (!sizes) printFailure('Usage: npm run seed -- [--alerts 1e5] [--users 1e4] [--payments 3e4] [--destinations 1e3]')
else if (!serverSettings.demo)
  printFailure('This is a production installation. Only a demo can be filled with made-up data.')
else await seed(sizes)

async function seed(counts: NonNullable<typeof sizes>): Promise<void> {
  const shutdown = createShutdownRegistry((error) => printFailure(String(error)))
  try {
    const config = completeConfig(
      serverSettings,
      await borrowDemo(serverSettings, printLine, shutdown),
      readVersion(),
      '',
    )
    const ctx = await openContext({ settings: serverSettings, config, shutdown })
    if ((await getLogSize(ctx)) > 0)
      return printFailure(
        'The database is not empty, perhaps after an interrupted run: it has a log. Choose another DATA_DIR.',
      )
    const startedMs = performance.now()
    await seedMass(ctx, counts, printLine)
    // The seeded payments refer to the first block, which is final after 64 further blocks.
    await createTestClient({ mode: 'anvil', transport: http(config.payment.rpcUrls[0]) }).mine({ blocks: 100 })
    // Disable the demo's own history, because it covers the same time.
    await ctx.db.insert(settings).values({ name: 'demo.seeded', value: true, updatedAt: ctx.clock.now() })
    printLine(`Seeded in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
  } finally {
    await shutdown.stopAll()
  }
}
