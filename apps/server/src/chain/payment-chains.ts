import { getChain } from '@tocsin/protocol'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { findSetting } from '../db/setting.ts'
import { type ChainClient, createChainClient } from './chain-client.ts'

/** Name of the setting with the chain that an admin selected. */
export const CHAIN_SETTING = 'chain_id'

export const storedChain = z.object({ chainId: z.number().int(), description: z.string() })

/**
 * Returns the chain for new payments: the one that an admin selected, otherwise the configured one.
 * Read from the database on every call, so that a change applies immediately.
 */
export async function findPaymentChain(
  ctx: Pick<Context, 'config' | 'db'>,
  tx: Queryable = ctx.db,
): Promise<{ id: number; name: string; isReadable: boolean }> {
  const savedSetting = await findSetting(tx, CHAIN_SETTING)
  const id = savedSetting === null ? ctx.config.payment.chainId : storedChain.parse(savedSetting.value).chainId
  return { id, name: getChain(id).name, isReadable: isConfigured(ctx.config, id) }
}

/** Returns the settings of the chains on which payments are verified, the main chain first. */
export function listConfiguredChains({ payment, otherPaymentChains }: Config) {
  return [payment, ...otherPaymentChains]
}

/** True if a node is configured to verify payments of this chain. */
export function isConfigured(config: Config, chainId: number): boolean {
  return listConfiguredChains(config).some((chain) => chain.chainId === chainId)
}

/**
 * Returns the contexts of all configured chains, the selected chain first. A payment is verified on
 * the chain on which it was made, even if another one is selected. If no node is configured for the
 * selected chain, its context has the client of the main chain, and `callPaymentChain` throws
 * `unavailable`.
 */
export async function listChainContextsSelectedFirst(ctx: Context): Promise<[Context, ...Context[]]> {
  return listContextsSelectedFirst(ctx, (await findPaymentChain(ctx)).id)
}

/** Like `listChainContextsSelectedFirst`, for callers that know the id of the selected chain. */
export function listContextsSelectedFirst(ctx: Context, id: number): [Context, ...Context[]] {
  const chosenContext = findContext(ctx, id) ?? withPayment(ctx, { chainId: id })
  return [chosenContext, ...listChainContexts(ctx).filter(({ config }) => config.payment.chainId !== id)]
}

/** Returns one context for each configured chain, the main chain first. */
export function listChainContexts(ctx: Context): Context[] {
  const { otherPaymentChains } = ctx.config
  return [
    ctx,
    ...otherPaymentChains.map((chain) => withPayment({ ...ctx, paymentChain: getChainClient(chain) }, chain)),
  ]
}

/** Returns the context of a configured chain, or null if there is no node for it. */
export function findContext(ctx: Context, chainId: number): Context | null {
  return listChainContexts(ctx).find(({ config }) => config.payment.chainId === chainId) ?? null
}

/** Returns the client of a configured chain, or null if there is no node for it. */
export function findChainClient(ctx: Context, chainId: number): ChainClient | null {
  return findContext(ctx, chainId)?.paymentChain ?? null
}

/** Returns a copy of the context with changed payment settings. */
export function withPayment(ctx: Context, change: Partial<Config['payment']>): Context {
  return { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, ...change } } }
}

const clients = new WeakMap<Config['otherPaymentChains'][number], ChainClient>()

/** Returns the client of an additional chain. Creates it at the first call. */
export function getChainClient(chain: Config['otherPaymentChains'][number]): ChainClient {
  const chainClient = clients.get(chain) ?? createChainClient(chain.rpcUrls)
  clients.set(chain, chainClient)
  return chainClient
}
