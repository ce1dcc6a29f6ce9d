import type { Context } from '../../context.ts'
import { publicRpcUrl } from '../settings/public-rpc-url.ts'
import { listKeyEntries, proofDomain, publishedKeys } from './service.ts'

/**
 * Returns the part of a bundle or receipt file that identifies its log: domain, first signer and
 * all key lists.
 */
export async function readLogSource(ctx: Context) {
  const { chainId, verifyingContract: contract } = proofDomain(ctx)
  const [published, keys] = await Promise.all([publishedKeys(ctx), listKeyEntries(ctx)])
  return {
    anchor: { chainId, contract, rpcUrl: publicRpcUrl(ctx, chainId) },
    firstSigner: published[0]?.address ?? '',
    keys,
  }
}
