import { randomUUID } from 'node:crypto'
import type { Context } from '@tocsin/server/context.ts'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import { payments } from '@tocsin/server/db/schema/payments.ts'
import { subscriptions } from '@tocsin/server/db/schema/subscriptions.ts'
import { wallets } from '@tocsin/server/db/schema/wallets.ts'
import type { Address } from 'viem'

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
/**
 * Id of a chain without a configured node. The server cannot read this chain, so it does not detect
 * that the payment does not exist.
 */
const UNCONFIGURED_CHAIN_ID = 1

/**
 * Inserts an account with this wallet and an active subscription, as if it had paid.
 * @returns the account id
 */
export async function addSubscriber(ctx: Context, walletAddress: Address, durationMs: number): Promise<string> {
  const now = ctx.clock.now()
  const [account] = await ctx.db
    .insert(accounts)
    .values({
      email: `${walletAddress.toLowerCase()}@example.com`,
      name: 'Subscriber',
      createdAt: now,
      emailVerifiedAt: now,
    })
    .returning({ id: accounts.id })
  if (!account) throw new Error('The account was not inserted')
  await ctx.db.insert(wallets).values({ address: walletAddress, accountId: account.id, linkedAt: now })
  await addSubscription(ctx, account.id, durationMs)
  return account.id
}

/** Inserts a subscription that starts now, as if it had been paid. */
export async function addSubscription(ctx: Context, accountId: string, durationMs: number): Promise<void> {
  const now = ctx.clock.now()
  const block = { blockNumber: 1, blockHash: '0x', blockAt: now } as const
  const transfer = {
    chainId: UNCONFIGURED_CHAIN_ID,
    txHash: `0x${randomUUID()}`,
    logIndex: 0,
    token: ZERO_ADDRESS,
    payer: ZERO_ADDRESS,
  } as const
  const [payment] = await ctx.db
    .insert(payments)
    .values({ ...block, ...transfer, amountWei: 1n, accountId, planId: '6h', createdAt: now })
    .returning({ id: payments.id })
  if (!payment) throw new Error('The payment was not inserted')
  const endsAt = new Date(now.getTime() + durationMs)
  await ctx.db
    .insert(subscriptions)
    .values({ accountId, paymentId: payment.id, planId: '6h', startsAt: now, endsAt, createdAt: now })
  await ctx.notifications.notify(ctx.db, 'entitlement', accountId)
}
