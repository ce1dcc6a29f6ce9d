import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import type { ConfigParts, Settings } from '@tocsin/server/read-config.ts'
import type { ShutdownRegistry } from '@tocsin/server/shutdown-registry.ts'
import { isDataDirLocked, lockDataDir } from './data-lock.ts'
import { computeDemoContracts, deployDemoContracts } from './demo-contracts.ts'
import { type DemoSecrets, deriveAddress, loadDemoSecrets } from './demo-secrets.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'
import { findRunningPostgres, type Postgres, startPostgres } from './postgres.ts'

/** The database and the chain of the demo, and the server configuration that follows from them. */
export interface DemoBackends {
  secrets: DemoSecrets
  parts: Omit<ConfigParts, 'demoMarket' | 'feed' | 'marketData' | 'adminPassword'>
  chain: LocalChain
  /** Null if DATABASE_URL is set. */
  database: Postgres | null
}

/**
 * Starts the private database and the local chain with its contracts. Callers must hold the data
 * folder's lock.
 */
export async function startDemoBackends(
  settings: Settings,
  print: (line: string) => void,
  shutdown: ShutdownRegistry,
): Promise<DemoBackends> {
  const { dataDir, set } = settings
  const secrets = loadDemoSecrets(dataDir, new Date())
  print('Starting the database and the local chain')
  const [database, chain] = await Promise.all([
    set.DATABASE_URL
      ? null
      : shutdown.addStarting(startPostgres({ dir: join(dataDir, 'postgres'), onProgress: print }), ({ stop }) =>
          stop(),
        ),
    shutdown.addStarting(
      startLocalChain({
        dir: join(dataDir, 'chain'),
        port: settings.localChainPort,
        genesisAt: secrets.genesisAt,
        onProgress: print,
      }),
      ({ stop }) => stop(),
    ),
  ])
  shutdown.signal.throwIfAborted()
  await deployDemoContracts(chain.directUrl, deriveAddress(secrets.anchorKey))
  const databaseUrl = set.DATABASE_URL ?? database?.url
  if (!databaseUrl) throw new Error('The demo has no database')
  return { secrets, parts: createParts(settings, secrets, databaseUrl, chain.url), chain, database }
}

/**
 * Returns the demo's configuration for an operator command. If no demo is running on the data
 * folder, starts the database and the chain for the duration of the command and registers their
 * stop functions in `shutdown`.
 */
export async function borrowDemo(
  settings: Settings,
  print: (line: string) => void,
  shutdown: ShutdownRegistry,
): Promise<ConfigParts> {
  const { dataDir, set, localChainPort } = settings
  const emptyConfigParts = {
    demoMarket: null,
    feed: { endpoint: null, apiKey: null },
    marketData: null,
    adminPassword: null,
  }
  if (isDataDirLocked(dataDir)) {
    const databaseUrl = set.DATABASE_URL ?? findRunningPostgres(join(dataDir, 'postgres'))
    const secrets = loadDemoSecrets(dataDir, new Date())
    return { ...createParts(settings, secrets, databaseUrl, `http://127.0.0.1:${localChainPort}`), ...emptyConfigParts }
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir)
  shutdown.add(async () => lock.release())
  return { ...(await startDemoBackends(settings, print, shutdown)).parts, ...emptyConfigParts }
}

function createParts(
  { set }: Settings,
  secrets: DemoSecrets,
  databaseUrl: string,
  chainUrl: string,
): DemoBackends['parts'] {
  const { token, alertAnchor } = computeDemoContracts()
  return {
    databaseUrl,
    payment: { chainId: localChainId, rpcUrls: [chainUrl], token, treasury: deriveAddress(secrets.treasuryKey) },
    anchor: { chainId: localChainId, rpcUrl: chainUrl, contract: alertAnchor, key: secrets.anchorKey },
    signerKey: secrets.signerKey,
    signerKeyNext: secrets.signerKeyNext,
    appSecret: set.APP_SECRET ?? secrets.appSecret,
  }
}
