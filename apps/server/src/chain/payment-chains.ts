import { getChain } from '@tocsin/protocol'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { findSetting } from '../db/setting.ts'
import { type ChainClient, createChainClient } from './chain-client.ts'

/** The settings row with what an admin chose. */
export const CHAIN_SETTING = 'chain_id'

export const storedChain = z.object({ chainId: z.number().int(), description: z.string() })

/** The chain that new payments are made on: what an admin chose, else the configured one. Asked of the table each time, so that a change counts at once. */
export async function findPaymentChain(
  ctx: Pick<Context, 'config' | 'db'>,
  tx: Queryable = ctx.db,
): Promise<{ id: number; name: string; isReadable: boolean }> {
  const saved = await findSetting(tx, CHAIN_SETTING)
  const id = saved === null ? ctx.config.payment.chainId : storedChain.parse(saved.value).chainId
  return { id, name: getChain(id).name, isReadable: isConfigured(ctx.config, id) }
}

/** Whether there is a node to verify payments of this chain with. */
export function isConfigured({ payment, otherPaymentChains }: Config, chainId: number): boolean {
  return [payment, ...otherPaymentChains].some((chain) => chain.chainId === chainId)
}

/**
 * The context of payments on each configured chain: what is paid on one chain is verified there, whichever is chosen for new payments. The chosen
 * one comes first; where it has no node, reading it refuses as `unavailable`.
 */
export async function listPaymentContexts(ctx: Context): Promise<[Context, ...Context[]]> {
  const { id } = await findPaymentChain(ctx)
  const configured = configuredContexts(ctx)
  const chosen = configured.find(({ config }) => config.payment.chainId === id) ?? withPayment(ctx, { chainId: id })
  return [chosen, ...configured.filter((context) => context !== chosen)]
}

/** One for each configured chain, the environment's main one first. */
export function configuredContexts(ctx: Context): Context[] {
  const { otherPaymentChains } = ctx.config
  return [ctx, ...otherPaymentChains.map((chain) => withPayment({ ...ctx, paymentChain: clientOf(chain) }, chain))]
}

/** Reads of one of the configured chains; null where there is no node for it. */
export function findChainClient(ctx: Context, chainId: number): ChainClient | null {
  return configuredContexts(ctx).find(({ config }) => config.payment.chainId === chainId)?.paymentChain ?? null
}

function withPayment(ctx: Context, change: Partial<Config['payment']>): Context {
  return { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, ...change } } }
}

const clients = new WeakMap<Config['otherPaymentChains'][number], ChainClient>()

/** The node of a chain beside the main one, made once. */
export function clientOf(chain: Config['otherPaymentChains'][number]): ChainClient {
  const known = clients.get(chain) ?? createChainClient(chain.rpcUrls)
  clients.set(chain, known)
  return known
}
