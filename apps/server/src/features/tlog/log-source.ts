import type { Context } from '../../context.ts'
import { getPublicRpcUrl } from '../settings/public-rpc-url.ts'
import { getProofDomain } from './proof-domain.ts'
import { listKeyEntries, listPublishedKeys } from './service.ts'

/**
 * Returns the part of a bundle or receipt file that identifies its log: domain, first signer and
 * all key lists.
 */
export async function readLogSource(ctx: Context) {
  const { chainId, verifyingContract: contract } = getProofDomain(ctx)
  const [signingKeys, keys] = await Promise.all([listPublishedKeys(ctx), listKeyEntries(ctx)])
  return {
    anchor: { chainId, contract, rpcUrl: getPublicRpcUrl(ctx, chainId) },
    firstSigner: signingKeys[0]?.address ?? '',
    keys,
  }
}
