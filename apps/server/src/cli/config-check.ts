import { alertAnchorAbi, itoTokenAbi } from '@tocsin/contracts/abi'
import { addressOfKey, hexToBytes } from '@tocsin/proof'
import pg from 'pg'
import { createChainClient } from '../chain/chain-client.ts'
import type { Config } from '../config.ts'
import { describeForeignContract, isSignedFor } from '../features/tlog/own-contract.ts'
import { verifySmtp } from '../mail/transport.ts'
import { type Command, exitCodes } from './command.ts'
import { withInstallation } from './installation.ts'

export const configCheck: Command = {
  name: 'config check',
  summary:
    'Says what the settings make of this installation, reports every problem at once, and asks database, chains and mail server.',
  usage: [''],
  options: {},
  files: 0,
  run(_input, around) {
    return withInstallation(around, async ({ settings, config }) => {
      for (const warning of settings.warnings) around.out(`warning  ${warning}`)
      for (const line of describe(config)) around.out(line)
      const outcomes = await Promise.all(checksOf(config).map(carryOut))
      for (const { ok, line } of outcomes) around.out(`${ok ? 'ok      ' : 'PROBLEM '} ${line}`)
      const problems = outcomes.filter(({ ok }) => !ok).length
      around.out(problems === 0 ? 'Everything answers.' : `${problems} of ${outcomes.length} checks failed.`)
      return problems === 0 ? exitCodes.done : exitCodes.failed
    })
  },
}

function describe(config: Config): string[] {
  const { google, linkedin } = config.providers
  const firstAdmin = config.firstAdmin ? config.firstAdmin.email : 'by a link that is printed while there is none'
  return [
    config.demo
      ? 'This is a demo: a private database, a local chain, play tokens.'
      : 'This is a production installation: real chains, real money.',
    `  site         ${config.http.publicUrl}, listening on ${config.http.host}:${config.http.port}`,
    `  payments     chain ${config.payment.chainId}, token ${config.payment.token}, to ${config.payment.treasury}`,
    `  anchors      chain ${config.anchor.chainId}, contract ${config.anchor.contract}`,
    `  signer       ${addressOfKey(hexToBytes(config.signerKey))}`,
    `  mail         ${config.mail.smtpUrl ? `by ${new URL(config.mail.smtpUrl).host}` : `into ${config.mail.outboxDir}`}, from ${config.mail.from}`,
    `  sign-in      password, wallet${google ? ', Google' : ''}${linkedin ? ', LinkedIn' : ''}`,
    `  first admin  ${config.demo ? 'made by the demo' : firstAdmin}`,
  ]
}

interface ConfigCheck {
  what: string
  /** What was found, in words. Throws with what is wrong. */
  ask(): Promise<string>
}

async function carryOut({ what, ask }: ConfigCheck): Promise<{ ok: boolean; line: string }> {
  try {
    return { ok: true, line: `${what}: ${await ask()}` }
  } catch (error) {
    return { ok: false, line: `${what}: ${sentenceOf(error)}` }
  }
}

/** The short message of a chain client leaves out the node's URL, which may carry a key. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('shortMessage' in error) return String(error.shortMessage)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function checksOf(config: Config): ConfigCheck[] {
  const { payment, anchor, mail } = config
  const nodes = payment.rpcUrls.map((rpcUrl, index) => ({
    what: `payment node ${index + 1} (${new URL(rpcUrl).host})`,
    ask: () => askNode(rpcUrl, payment.chainId),
  }))
  const { smtpUrl } = mail
  return [
    { what: 'database', ask: () => askDatabase(config.databaseUrl) },
    ...nodes,
    { what: 'token contract', ask: () => askToken(config) },
    { what: `anchor node (${new URL(anchor.rpcUrl).host})`, ask: () => askNode(anchor.rpcUrl, anchor.chainId) },
    { what: 'anchor contract', ask: () => askAnchorContract(config) },
    ...(smtpUrl ? [{ what: 'mail server', ask: () => verifySmtp(smtpUrl).then(() => 'takes mails') }] : []),
  ]
}

const OLDEST_POSTGRES = 150_000

async function askDatabase(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; number: number; migrated: boolean; writable: boolean }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         to_regclass('public.accounts') is not null as migrated, not pg_is_in_recovery() as writable`,
    )
    const [row] = rows
    if (!row) throw new Error('it answers nothing')
    if (row.number < OLDEST_POSTGRES) throw new Error(`PostgreSQL ${row.version} is too old, 15 or newer is needed`)
    if (!row.writable) throw new Error('it is a replica that takes no writes')
    return `PostgreSQL ${row.version}, ${row.migrated ? 'with our tables' : 'empty so far'}`
  } finally {
    await client.end().catch(() => {})
  }
}

async function askNode(rpcUrl: string, expected: number): Promise<string> {
  const client = createChainClient([rpcUrl])
  const chainId = await client.getChainId()
  if (chainId !== expected) throw new Error(`it serves chain ${chainId}, but chain ${expected} is configured`)
  return `chain ${chainId}, block ${await client.getBlockNumber()}`
}

async function askToken({ payment }: Config): Promise<string> {
  const contract = { address: payment.token, abi: itoTokenAbi } as const
  const client = createChainClient(payment.rpcUrls)
  const decimals = await client.readContract({ ...contract, functionName: 'decimals' })
  if (decimals !== 18) throw new Error(`${payment.token} has ${decimals} decimals, 18 are expected`)
  return `${await client.readContract({ ...contract, functionName: 'symbol' })} at ${payment.token}`
}

async function askAnchorContract({ anchor, databaseUrl }: Pick<Config, 'anchor' | 'databaseUrl'>): Promise<string> {
  const client = createChainClient([anchor.rpcUrl])
  const contract = { address: anchor.contract, abi: alertAnchorAbi } as const
  const size = await client.readContract({ ...contract, functionName: 'latestSize' })
  const owner = await client.readContract({ ...contract, functionName: 'owner' })
  const anchorer = addressOfKey(hexToBytes(anchor.key))
  if (owner !== anchorer) throw new Error(`it takes anchors from ${owner} alone, but ANCHOR_KEY is of ${anchorer}`)
  if ((await client.getBalance({ address: anchorer })) === 0n)
    throw new Error(`${anchorer} has no coins to pay fees with`)
  await assertSignedForContract({ anchor, databaseUrl })
  if (size === 0n) return 'no anchor yet'
  const entries = await countEntries(databaseUrl)
  if (entries !== null && entries < size) {
    throw new Error(
      `its newest anchor covers ${size} entries, but the log in the database has ${entries}: no server starts on that. Restore a newer backup, complete ` +
        'the log from a mirror (log adopt), or begin a successor log (log succeed)',
    )
  }
  return `newest anchor covers ${size} entries`
}

/** @throws Error if the newest entry was signed for another contract */
async function assertSignedForContract({ anchor, databaseUrl }: Pick<Config, 'anchor' | 'databaseUrl'>): Promise<void> {
  const newest = await askLog(databaseUrl, async (client) => {
    const text = 'select bytes, signature from log_entries order by index desc limit 1'
    const { rows } = await client.query<{ bytes: Buffer; signature: string }>(text)
    return rows[0] ?? null
  })
  const domain = { chainId: anchor.chainId, verifyingContract: anchor.contract }
  if (newest && !isSignedFor(domain, newest)) throw new Error(describeForeignContract(domain))
}

/** How long the log is; null where the database does not answer, which another check tells of. */
async function countEntries(databaseUrl: string): Promise<bigint | null> {
  return askLog(databaseUrl, async (client) => {
    const { rows: tables } = await client.query(`select 1 where to_regclass('public.log_head') is not null`)
    if (tables.length === 0) return 0n
    const { rows } = await client.query<{ size: string }>('select size::text as size from log_head')
    return BigInt(rows[0]?.size ?? 0)
  })
}

/** Null if the database does not answer or has no log. */
async function askLog<T>(connectionString: string, ask: (client: pg.Client) => Promise<T>): Promise<T | null> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await ask(client)
  } catch {
    return null
  } finally {
    await client.end().catch(() => {})
  }
}
