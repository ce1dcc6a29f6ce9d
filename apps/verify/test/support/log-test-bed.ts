import { getBundleVersion } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import {
  type ConfigOverrides,
  startTestChain,
  startTestDatabase,
  type TestChain,
  type TestClient,
  type TestDatabase,
} from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'

/** A running server with its own database, chain and log. */
export interface LogTestBed {
  database: TestDatabase
  chain: TestChain
  server: TestServer
  admin: TestClient
  /** Issues alerts and waits until all are anchored. Returns the last one. */
  issue(count: number): Promise<Alert>
  issueOne(): Promise<Alert>
  close(): Promise<void>
}

export async function startLogTestBed(
  overrides: (chain: TestChain) => ConfigOverrides = () => ({}),
): Promise<LogTestBed> {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const server = await startTestServer({ database, chain }, { publicDelayHours: 0, ...overrides(chain) })
  const admin = await server.signInAdmin()
  const issueOne = async () => {
    const body = { asset: 'BTC/USD', priority: 'high', summary: 'Naïve 🚨 “quoted”', confidence: 87.5 } as const
    return (await admin.call('createAlert', { body })).alert
  }
  return {
    database,
    chain,
    server,
    admin,
    issueOne,
    async issue(count) {
      for (let i = 1; i < count; i++) await issueOne()
      const { id } = await issueOne()
      await eventually(() => assertAnchored(admin))
      const last = (await admin.call('listAlerts', {})).find((alert) => alert.id === id)
      if (!last) throw new Error(`Alert ${id} is gone`)
      return last
    },
    async close() {
      await server.close()
      await Promise.all([database.stop(), chain.stop()])
    },
  }
}

async function assertAnchored(client: TestClient): Promise<void> {
  const { size, anchored } = await client.call('logHead')
  if (anchored?.size !== size) throw new Error(`Of ${size} entries ${anchored?.size} are anchored`)
}

/** Returns the proof bundle that the download button of an alert creates. */
export async function readBundle({ server, chain }: LogTestBed, alert: Alert) {
  const client = server.createClient()
  const [{ firstSigner, anchor }, { entries: keys }] = await Promise.all([
    client.call('publicConfig'),
    client.call('logKeys'),
  ])
  const { chainId, contract } = anchor
  return {
    format: 'tocsin-proof',
    version: getBundleVersion(alert),
    anchor: { chainId, contract, rpcUrl: chain.url },
    firstSigner,
    keys,
    alert,
  }
}
