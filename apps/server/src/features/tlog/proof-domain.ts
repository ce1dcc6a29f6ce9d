import type { ProofDomain } from '@tocsin/proof'
import type { Context } from '../../context.ts'

/** Returns the EIP-712 domain of the entries' signatures. */
export function getProofDomain({ config }: Pick<Context, 'config'>): ProofDomain {
  return { chainId: config.anchor.chainId, verifyingContract: config.anchor.contract }
}
