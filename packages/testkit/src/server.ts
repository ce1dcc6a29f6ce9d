import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '@tocsin/protocol'
import type { Context } from '@tocsin/server/context.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createServer, type Extensions } from '@tocsin/server/server.ts'
import type { TestChain } from './chain.ts'
import { createTestClient, type TestClient } from './client.ts'
import { type ConfigOverrides, testConfig } from './config.ts'
import type { TestDatabase } from './database.ts'
import { testPasswordCost } from './password-cost.ts'
import { addSubscription } from './subscriber.ts'

export interface TestUser {
  /** Has a session of the account. */
  client: TestClient
  accountId: string
  login: { email: string; password: string }
}

interface NewUser {
  name?: string
  email?: string
  role?: Role
  /** Length of the user's subscription in ms. Null, the default, means no subscription. */
  planMs?: number | null
  /** Network of the client. */
  network?: string
}

export interface TestServer {
  url: string
  ctx: Context
  /** Emails are written to this folder, one `.eml` file each. */
  outboxDir: string
  firstAdmin: { email: string; password: string }
  /** Creates a client without a session. */
  createClient(network?: string): TestClient
  /** Creates a verified account and signs it in. */
  addUser(user?: NewUser): Promise<TestUser>
  /** Creates a client with a session of the first admin. */
  signInAdmin(): Promise<TestClient>
  close(): Promise<void>
}

const firstAdmin = { email: 'admin@example.com', password: 'a bell that rings at night' }

/** Starts the whole server on a free port with a fresh database and the given chain. */
export async function startTestServer(
  parts: { database: TestDatabase; chain: TestChain },
  overrides: ConfigOverrides = {},
  extensions: Extensions = {},
): Promise<TestServer> {
  const outboxDir = await mkdtemp(join(tmpdir(), 'tocsin-outbox-'))
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const { payment, anchor } = parts.chain.settings
  const isNewLog = overrides.databaseUrl === undefined && overrides.anchor === undefined
  const contract = isNewLog ? await parts.chain.nextAnchorContract() : anchor.contract
  const databaseUrl = overrides.databaseUrl ?? (await parts.database.createDatabase())
  const base = testConfig({ payment, anchor: { ...anchor, contract }, ...overrides, databaseUrl })
  const config = {
    ...base,
    http: { ...base.http, port, host: 'localhost', publicUrl: url },
    mail: { ...base.mail, outboxDir },
    firstAdmin,
  }
  const server = await createServer(config, { passwordCost: testPasswordCost, ...extensions })
  const createClient = (network?: string) => createTestClient(url, network)
  return {
    url,
    ctx: server.ctx,
    outboxDir,
    firstAdmin,
    createClient,
    async addUser({
      name = 'Trader',
      email = `${randomUUID()}@example.com`,
      role = 'user',
      planMs = null,
      network,
    } = {}) {
      const login = { email, password: 'a very long password of a trader' }
      const accountId = await createAccount(server.ctx, { ...login, name, role, verified: true })
      if (planMs !== null) await addSubscription(server.ctx, accountId, planMs)
      const client = createClient(network)
      await client.call('login', { body: login })
      return { client, accountId, login }
    },
    async signInAdmin() {
      const client = createClient()
      await client.call('login', { body: firstAdmin })
      return client
    },
    async close() {
      await server.close()
      await rm(outboxDir, { recursive: true, force: true })
    },
  }
}
