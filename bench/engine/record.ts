import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { computeDemoContracts, deployDemoContracts } from '@tocsin/demo/demo-contracts.ts'
import { startLocalChain } from '@tocsin/demo/local-chain.ts'
import { startPostgres } from '@tocsin/demo/postgres.ts'
import { seedDemo } from '@tocsin/demo/seed.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createServer } from '@tocsin/server/server.ts'
import { testAnchorer, testAnchorKey, testConfig } from '@tocsin/testkit'
import { describeMachine } from '../../scripts/describe-machine.ts'
import { createMessages, PERIOD_MS, SIGNALS_PER_PERIOD } from './record-messages.ts'

/**
 * Measures how long the command line takes to check a log and to recompute its track record: every
 * signature, anchor, message, verdict and base rate, compared with the figures of the site. The
 * messages are synthetic. Log, chain, server and command are those of the product.
 * Usage: node --import tsx bench/engine/record.ts [outcomes = 100000] [repetitions = 3] [folder]
 * If a folder is given, it keeps the log for further runs with the same number of outcomes.
 */
const OUTCOMES = Number(process.argv[2] ?? 100_000)
const REPETITIONS = Number(process.argv[3] ?? 3)
const keptDir = process.argv[4]

const periods = Math.ceil(OUTCOMES / SIGNALS_PER_PERIOD)
const dir = keptDir ?? (await mkdtemp(join(tmpdir(), 'tocsin-record-')))
await mkdir(dir, { recursive: true })
const genesisAt = chooseGenesis(join(dir, 'genesis'))
const chain = await startLocalChain({ dir: join(dir, 'chain'), port: 0, genesisAt })
const postgres = await startPostgres({ dir: join(dir, 'database') })
try {
  await deployDemoContracts(chain.directUrl, testAnchorer)
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const base = testConfig({
    databaseUrl: postgres.url,
    demo: true,
    publicDelayHours: 0,
    anchor: { rpcUrl: chain.url, contract: computeDemoContracts().alertAnchor, key: testAnchorKey },
    payment: { rpcUrls: [chain.url], token: computeDemoContracts().token },
  })
  const filledAt = performance.now()
  const server = await createServer(
    { ...base, http: { ...base.http, port, host: 'localhost', publicUrl: url } },
    {
      logBeginsAt: genesisAt,
      prepare: (ctx) =>
        seedDemo(ctx, {
          chain,
          history: createMessages(genesisAt.getTime() + 600_000, periods),
          users: [],
          signal: new AbortController().signal,
          print: (line) => console.error(line),
        }),
    },
  )
  console.error(`filled in ${formatSecondsSince(filledAt)} s`)
  try {
    const config: { firstSigner: string } = await (await fetch(`${url}/api/config`)).json()
    console.log(describeMachine())
    await measureWork('site, first reader', () => waitForRecord(url))
    const args = [
      ...[
        '--import',
        'tsx',
        'apps/verify/src/main.ts',
        '--from-url',
        url,
        '--track-record',
        '--origin',
        'demo',
        '--json',
      ],
      ...['--rpc', chain.url, '--chain-id', '31337', '--contract', computeDemoContracts().alertAnchor],
      ...['--first-signer', config.firstSigner],
    ]
    for (let i = 0; i < REPETITIONS; i++) await measureWork('command line', () => runCommand(args))
  } finally {
    await server.close()
  }
} finally {
  await postgres.stop()
  await chain.stop()
  if (keptDir === undefined) await rm(dir, { recursive: true, force: true })
}

/**
 * Returns the day on which the log begins, early enough for all periods. Stores it in the file,
 * because further runs with the same folder must use the same day.
 */
function chooseGenesis(file: string): Date {
  if (existsSync(file)) return new Date(readFileSync(file, 'utf8'))
  const genesis = new Date(Math.floor((Date.now() - (periods + 2) * PERIOD_MS) / 86_400_000) * 86_400_000)
  writeFileSync(file, genesis.toISOString())
  return genesis
}

/** Requests the track record until the server no longer responds with 429. */
async function waitForRecord(url: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { status } = await fetch(`${url}/api/track-record?origin=demo`)
    if (status !== 429) return `status ${status} at attempt ${attempt}`
    await delay(100)
  }
}

async function measureWork(name: string, work: () => Promise<string>): Promise<void> {
  const [startedAt, cpuBefore] = [performance.now(), readCpuTime()]
  const note = await work()
  const seconds = formatSecondsSince(startedAt)
  const cpu = readCpuTime() - cpuBefore
  console.log(
    `${name}: ${seconds} s, ${cpu.toFixed(1)} s of CPU time, load average ${loadavg()[0]?.toFixed(1)}, ${note}`,
  )
}

/**
 * Returns the CPU time in seconds of this process, which also runs the server, and of its children
 * that have ended. The kernel counts it in ticks, 100 a second.
 */
function readCpuTime(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(' ').slice(13, 17)
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

function runCommand(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      if (code !== 0) return reject(new Error(`The command ended with ${code}: ${output}`))
      const { verdict, recordCounted, recordTrue, strictRate, lift } = JSON.parse(output)
      resolve(JSON.stringify({ verdict, recordCounted, recordTrue, strictRate, lift }))
    })
  })
}

function formatSecondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1)
}
