import type { ProofDomain } from '@tocsin/proof'
import type { LogKeys } from '@tocsin/protocol'
import type { Context } from './context.ts'

/** Facts of the log and settings that bundles and receipt files contain. */
export interface LogFacts {
  proofDomain(ctx: Context): ProofDomain
  /** Oldest first. */
  publishedKeys(ctx: Context): Promise<{ address: string }[]>
  listKeyEntries(ctx: Context): Promise<LogKeys['entries']>
  /** URL of a public node; null if there is none. */
  publicRpcUrl(ctx: Context, chainId: number): string | null
}

/**
 * The part of a bundle or receipt file that identifies its log: domain, first signer and all key
 * lists.
 */
export async function readLogSource(ctx: Context, log: LogFacts) {
  const { chainId, verifyingContract: contract } = log.proofDomain(ctx)
  const [published, keys] = await Promise.all([log.publishedKeys(ctx), log.listKeyEntries(ctx)])
  return {
    anchor: { chainId, contract, rpcUrl: log.publicRpcUrl(ctx, chainId) },
    firstSigner: published[0]?.address ?? '',
    keys,
  }
}
