import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Context } from '@tocsin/server/context.ts'

const DAY = '1 day'
/**
 * Id of a chain without a configured node, so that the server cannot find out that the payments do
 * not exist.
 */
const UNCONFIGURED_CHAIN_ID = 1

/**
 * Inserts subscribers, each with a session, a proved wallet and an active subscription. Writes a
 * line "cookie wallet" per subscriber for the load client.
 */
export async function addSubscribers({ db }: Context, count: number, file: string): Promise<void> {
  const accounts = Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    wallet: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    secret: randomUUID(),
  }))
  await writeFile(file, accounts.map(({ secret, wallet }) => `tocsin=${secret} ${wallet}\n`).join(''))
  const rows = accounts.map(({ id, wallet, secret }) => ({
    id,
    wallet,
    hash: createHash('sha256').update(secret).digest('hex'),
  }))
  // Safe to interpolate: the JSON contains only ids, hex digits and hashes.
  const recordsetSql = `jsonb_to_recordset($json$${JSON.stringify(rows)}$json$::jsonb) as person(id uuid, wallet text, hash text)`
  await db.execute(`insert into accounts (id, name, created_at) select id, 'Subscriber', now() from ${recordsetSql}`)
  await db.execute(`
    insert into sessions (id_hash, account_id, remembered, user_agent, created_at, authenticated_at, last_seen_at, expires_at)
    select hash, id, true, 'bench', now(), now(), now(), now() + interval '${DAY}' from ${recordsetSql}`)
  await db.execute(`insert into wallets (address, account_id, linked_at) select wallet, id, now() from ${recordsetSql}`)
  await db.execute(`
    insert into wallet_proofs (session_id_hash, address, proved_at) select hash, wallet, now() from ${recordsetSql}`)
  await db.execute(`
    with paid as (
      insert into payments (chain_id, tx_hash, log_index, block_number, block_hash, block_at, token, payer, amount_wei, account_id, plan_id, created_at)
      select ${UNCONFIGURED_CHAIN_ID}, '0x' || hash, 0, 1, '0x', now(), '0x', wallet, 1, id, '24h', now() from ${recordsetSql}
      returning id, account_id)
    insert into subscriptions (account_id, payment_id, plan_id, starts_at, ends_at, created_at)
    select account_id, id, '24h', now(), now() + interval '${DAY}', now() from paid`)
}
