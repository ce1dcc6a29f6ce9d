import { alertAnchorAbi, itoTokenAbi } from '@tocsin/contracts/abi'
import { addressOfKey, hexToBytes } from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { createChainClient } from '../chain/chain-client.ts'
import { listConfiguredChains } from '../chain/payment-chains.ts'
import type { Config } from '../config.ts'
import { bulkLimits } from '../db/connection.ts'
import { openDatabase } from '../db/database.ts'
import { type ApprovedValues, findApproved } from '../features/settings/approved-values.ts'
import { describeForeignContract, isSignedFor } from '../features/tlog/own-contract.ts'
import { formatError } from '../format-error.ts'
import { verifySmtp } from '../mail/transport.ts'
import { type Command, exitCodes } from './command.ts'
import { withInstallation } from './installation.ts'

export const configCheck: Command = {
  name: 'config check',
  summary:
    'Shows the effective configuration, reports all problems, and checks the database, chain nodes and mail server.',
  usage: [''],
  options: {},
  files: 0,
  run(_input, cli) {
    return withInstallation(cli, async ({ settings, config }) => {
      for (const warning of settings.warnings) cli.out(`warning  ${warning}`)
      for (const line of describe(config)) cli.out(line)
      const outcomes = await Promise.all(listChecks(config).map(runCheck))
      for (const { ok, line } of outcomes) cli.out(`${ok ? 'ok      ' : 'PROBLEM '} ${line}`)
      const problems = outcomes.filter(({ ok }) => !ok).length
      cli.out(problems === 0 ? 'All checks passed.' : `${problems} of ${outcomes.length} checks failed.`)
      return problems === 0 ? exitCodes.done : exitCodes.failed
    })
  },
}

function describe(config: Config): string[] {
  const { google, linkedin } = config.providers
  const firstAdmin = config.firstAdmin ? config.firstAdmin.email : 'created with a link that the server prints'
  return [
    config.demo
      ? 'Demo installation: private database, local chain, test tokens.'
      : 'Production installation: real chains, real money.',
    `  site         ${config.http.publicUrl}, listening on ${config.http.host}:${config.http.port}`,
    `  payments     chain ${config.payment.chainId}, token ${config.payment.token}, to ${config.payment.treasury}`,
    `  anchors      chain ${config.anchor.chainId}, contract ${config.anchor.contract}`,
    `  signer       ${addressOfKey(hexToBytes(config.signerKey))}`,
    `  mail         ${config.mail.smtpUrl ? `via ${new URL(config.mail.smtpUrl).host}` : `to folder ${config.mail.outboxDir}`}, from ${config.mail.from}`,
    `  sign-in      password, wallet${google ? ', Google' : ''}${linkedin ? ', LinkedIn' : ''}`,
    `  first admin  ${config.demo ? 'created by the demo' : firstAdmin}`,
  ]
}

interface ConfigCheck {
  subject: string
  /** Advice for the operator if the check fails. */
  remedy: string
  /**
   * @returns a description of the result
   * @throws Error that describes the problem
   */
  check(): Promise<string>
}

async function runCheck({ subject, check }: ConfigCheck): Promise<{ ok: boolean; line: string }> {
  try {
    return { ok: true, line: `${subject}: ${await check()}` }
  } catch (error) {
    return { ok: false, line: `${subject}: ${formatError(error)}` }
  }
}

export function listChecks(config: Config): ConfigCheck[] {
  const { payment, anchor, mail, replicaUrl } = config
  const paymentChains = [
    ...checkPaymentChain(payment, '', { nodes: 'PAYMENT_RPC_URL', token: 'TOKEN_ADDRESS and CHAIN_ID' }),
    ...config.otherPaymentChains.flatMap((chain) =>
      checkPaymentChain(chain, ` of chain ${chain.chainId}`, { nodes: 'PAYMENT_CHAINS', token: 'PAYMENT_CHAINS' }),
    ),
  ]
  const { smtpUrl } = mail
  return [
    {
      subject: 'database',
      check: () => checkDatabase(config.databaseUrl),
      remedy: 'Check that PostgreSQL runs and accepts the user and password of DATABASE_URL from this machine.',
    },
    ...(replicaUrl === null
      ? []
      : [
          {
            subject: 'replica of the database',
            check: () => checkDatabase(replicaUrl, { isReplica: true }),
            remedy: 'Check DATABASE_REPLICA_URL and the replication. Until then all reads use the database.',
          },
        ]),
    ...paymentChains,
    ...(config.twoAdmins.isOn
      ? [
          {
            subject: 'approved treasury',
            check: () => checkTreasuries(config),
            remedy:
              'Set TREASURY_ADDRESS or PAYMENT_CHAINS to the approved address, or propose the configured one in the admin area.',
          },
        ]
      : []),
    {
      subject: `anchor node (${new URL(anchor.rpcUrl).host})`,
      check: () => checkChainNode(anchor.rpcUrl, anchor.chainId),
      remedy: 'Check ANCHOR_RPC_URL, its key and its quota. Alerts are still sent, and are anchored later.',
    },
    {
      subject: 'anchor contract',
      check: () => checkAnchorContract(config),
      remedy: 'Compare ANCHOR_CONTRACT and ANCHOR_KEY, and send coins to the address of the key.',
    },
    ...(smtpUrl
      ? [
          {
            subject: 'mail server',
            check: () => verifySmtp(smtpUrl).then(() => 'accepts mail'),
            remedy: 'Check host, port, user and password of SMTP_URL, and that a firewall lets this machine connect.',
          },
        ]
      : []),
  ]
}

type PaymentChain = Config['otherPaymentChains'][number]

/** @param settings names of the settings for the nodes and the token */
function checkPaymentChain(
  chain: PaymentChain,
  ofChain: string,
  settings: { nodes: string; token: string },
): ConfigCheck[] {
  return [
    ...chain.rpcUrls.map((rpcUrl, index) => ({
      subject: `payment node ${index + 1}${ofChain} (${new URL(rpcUrl).host})`,
      check: () => checkChainNode(rpcUrl, chain.chainId),
      remedy: `Check the URL, its key and its quota, or replace the node in ${settings.nodes}.`,
    })),
    {
      subject: `token contract${ofChain}`,
      check: () => checkToken(chain),
      remedy: `Compare ${settings.token} with the documentation of the token.`,
    },
  ]
}

const OLDEST_POSTGRES = 150_000

async function checkDatabase(connectionString: string, { isReplica = false } = {}): Promise<string> {
  const {
    rows: [row],
  } = await queryDatabase(connectionString, (client) =>
    client.query<{ version: string; number: number; migrated: boolean; writable: boolean }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         to_regclass('public.accounts') is not null as migrated, not pg_is_in_recovery() as writable`,
    ),
  )
  if (!row) throw new Error('the query returned no rows')
  if (row.number < OLDEST_POSTGRES) throw new Error(`PostgreSQL ${row.version} is too old, 15 or newer is required`)
  if (row.writable === isReplica) throw new Error(`it is ${isReplica ? 'not a' : 'a'} read-only replica`)
  return `PostgreSQL ${row.version}, ${row.migrated ? 'migrated' : 'not migrated yet'}`
}

async function checkChainNode(rpcUrl: string, expectedChainId: number): Promise<string> {
  const client = createChainClient([rpcUrl])
  const chainId = await client.getChainId()
  if (chainId !== expectedChainId)
    throw new Error(`it serves chain ${chainId}, but chain ${expectedChainId} is configured`)
  return `chain ${chainId}, block ${await client.getBlockNumber()}`
}

async function checkToken({ token, rpcUrls }: PaymentChain): Promise<string> {
  const contract = { address: token, abi: itoTokenAbi } as const
  const client = createChainClient(rpcUrls)
  const decimals = await client.readContract({ ...contract, functionName: 'decimals' })
  if (decimals !== 18) throw new Error(`${token} has ${decimals} decimals, expected 18`)
  return `${await client.readContract({ ...contract, functionName: 'symbol' })} at ${token}`
}

/** With the two-admin rule, payments go to the approved treasuries, not to the configured ones. */
async function checkTreasuries(config: Config): Promise<string> {
  // Another check reports an unreachable database.
  const approvedValues = await readApproved(config.databaseUrl).catch(() => 'unreadable' as const)
  if (approvedValues === 'unreadable') return 'not checked, because the database cannot be read'
  if (approvedValues === null) return 'the first start approves the configured one'
  for (const { chainId, treasury } of listConfiguredChains(config)) {
    const approvedTreasury = approvedValues.treasuries[String(chainId)]
    if (approvedTreasury === undefined) throw new Error(`two admins have not approved a treasury for chain ${chainId}`)
    if (approvedTreasury !== treasury) {
      throw new Error(
        `payments on chain ${chainId} go to ${approvedTreasury}, which two admins have approved, not to ${treasury}`,
      )
    }
  }
  return 'the configured one'
}

async function readApproved(databaseUrl: string): Promise<ApprovedValues | null> {
  const { db, close } = openDatabase(databaseUrl, () => {}, { limits: bulkLimits, max: 1 })
  try {
    // The table does not exist before the first migration.
    const { rows } = await db.execute(sql`select 1 where to_regclass('public.settings') is not null`)
    return rows.length === 0 ? null : await findApproved(db)
  } finally {
    await close()
  }
}

async function checkAnchorContract({ anchor, databaseUrl }: Pick<Config, 'anchor' | 'databaseUrl'>): Promise<string> {
  const client = createChainClient([anchor.rpcUrl])
  const contract = { address: anchor.contract, abi: alertAnchorAbi } as const
  const size = await client.readContract({ ...contract, functionName: 'latestSize' })
  const owner = await client.readContract({ ...contract, functionName: 'owner' })
  const anchorer = addressOfKey(hexToBytes(anchor.key))
  if (owner !== anchorer) throw new Error(`it belongs to ${owner}, but ANCHOR_KEY is the key of ${anchorer}`)
  if ((await client.getBalance({ address: anchorer })) === 0n)
    throw new Error(`${anchorer} has no coins to pay fees with`)
  await assertSignedForContract({ anchor, databaseUrl })
  if (size === 0n) return 'no anchor yet'
  const entries = await countEntries(databaseUrl)
  if (entries !== null && entries < size) {
    throw new Error(
      `its newest anchor covers ${size} entries, but the log in the database has ${entries}: the server will not start. ` +
        'Restore a newer backup, complete the log from a mirror (log adopt), or start a successor log (log succeed)',
    )
  }
  return `newest anchor covers ${size} entries`
}

/** @throws Error if the newest entry was signed for another contract */
async function assertSignedForContract({ anchor, databaseUrl }: Pick<Config, 'anchor' | 'databaseUrl'>): Promise<void> {
  const newestEntry = await queryLog(databaseUrl, async (client) => {
    const text = 'select bytes, signature from log_entries order by index desc limit 1'
    const { rows } = await client.query<{ bytes: Buffer; signature: string }>(text)
    return rows[0] ?? null
  })
  const domain = { chainId: anchor.chainId, verifyingContract: anchor.contract }
  if (newestEntry && !isSignedFor(domain, newestEntry)) throw new Error(describeForeignContract(domain))
}

/**
 * Counts the log entries. Returns null if the database is unreachable, because another check
 * reports that.
 */
async function countEntries(databaseUrl: string): Promise<bigint | null> {
  return queryLog(databaseUrl, async (client) => {
    const { rows: tables } = await client.query(`select 1 where to_regclass('public.log_head') is not null`)
    if (tables.length === 0) return 0n
    const { rows } = await client.query<{ size: string }>('select size::text as size from log_head')
    return BigInt(rows[0]?.size ?? 0)
  })
}

/** Runs a query on the log. Returns null if the database is unreachable or has no log. */
const queryLog = <T>(connectionString: string, query: (client: pg.Client) => Promise<T>): Promise<T | null> =>
  queryDatabase(connectionString, query).catch(() => null)

/** Runs queries on a separate connection, which needs no pool and is closed afterwards. */
export async function queryDatabase<T>(connectionString: string, query: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await query(client)
  } finally {
    await client.end().catch(() => {})
  }
}
