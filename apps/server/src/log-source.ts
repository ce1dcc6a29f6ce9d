import type { ProofDomain } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'
import type { Context } from './context.ts'

/** What bundles and receipt files need of the log and of the settings. */
export interface LogFacts {
  proofDomain(ctx: Context): ProofDomain
  /** Oldest first. */
  publishedKeys(ctx: Context): Promise<{ address: string }[]>
  listKeyEntries(ctx: Context): Promise<LogKeys['entries']>
  /** A node that anybody may ask; null where there is none. */
  publicRpcUrl(ctx: Context, chainId: number): string | null
}

/** The part of a bundle or receipt file that names the log it is of: domain, first signer and all key lists. */
export async function readLogSource(ctx: Context, log: LogFacts) {
  const { chainId, verifyingContract: contract } = log.proofDomain(ctx)
  const [published, keys] = await Promise.all([log.publishedKeys(ctx), log.listKeyEntries(ctx)])
  return {
    anchor: { chainId, contract, rpcUrl: log.publicRpcUrl(ctx, chainId) },
    firstSigner: published[0]?.address ?? '',
    keys,
  }
}
