import type { Rpc } from '@tocsin/proof'
import { BaseError, type EIP1193RequestFn } from 'viem'
import type { Context } from '../../context.ts'

/** Adapts the anchor chain's JSON-RPC to the interface of packages/proof. */
export function anchorChainRpc(ctx: Context): Rpc {
  // The cast is needed because method and parameters come from the caller, and viem's types only
  // allow the methods that it knows.
  const request = ctx.anchorChain.request as EIP1193RequestFn
  return async (method, params) => {
    try {
      return await request({ method, params })
    } catch (error) {
      const reason = error instanceof BaseError ? error.shortMessage : String(error)
      ctx.logger.warn({ reason, method }, 'reading the anchor chain for a verification failed')
      throw error
    }
  }
}
