import type { ProofDomain } from '@tocsin/proof'
import type { endpoints, LogKeys } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { type Handler, signedIn } from '../../http/route.ts'
import { getReceipt } from './service.ts'

/** What a receipt's file needs of the log and of the settings. */
export interface LogFacts {
  proofDomain(ctx: Context): ProofDomain
  /** Oldest first. */
  publishedKeys(ctx: Context): Promise<{ address: string }[]>
  listKeyEntries(ctx: Context): Promise<LogKeys['entries']>
  /** A node that anybody may ask; null where there is none. */
  publicRpcUrl(ctx: Context, chainId: number): string | null
}

export function createFindReceipt(log: LogFacts): Handler<typeof endpoints.findReceipt> {
  return async (ctx, input) => {
    const actor = signedIn(input)
    const domain = log.proofDomain(ctx)
    const { bytes, signature, chainId } = await getReceipt(ctx, domain, {
      subscriptionId: input.params.id,
      accountId: actor.isAdmin ? null : actor.accountId,
    })
    const [keys, entries] = await Promise.all([log.publishedKeys(ctx), log.listKeyEntries(ctx)])
    return {
      format: 'tocsin-receipt',
      version: 1,
      anchor: {
        chainId: domain.chainId,
        contract: domain.verifyingContract,
        rpcUrl: log.publicRpcUrl(ctx, domain.chainId),
      },
      firstSigner: keys[0]?.address ?? '',
      keys: entries,
      bytes,
      signature,
      paymentRpcUrl: log.publicRpcUrl(ctx, chainId),
    }
  }
}
