import type { Address } from 'viem'
import { isHex, recoverMessageAddress } from 'viem'
import type { ChainClient } from '../../chain/chain-client.ts'
import { Refusal } from '../../refusal.ts'

/**
 * Whether the wallet has signed the message (EIP-191): by its key, or, where the address is a contract, as that contract says on the given
 * chain now (ERC-1271), deployed or not yet (ERC-6492). A chain that does not answer is a refusal, never a yes.
 */
export async function verifyWalletSignature(
  chain: ChainClient,
  proof: { address: Address; message: string; signature: string },
): Promise<boolean> {
  const { address, message, signature } = proof
  if (!isHex(signature) || signature.length % 2 !== 0) return false
  if (await isSignedByKey(proof)) return true
  // Not by its key: a contract may still know it.
  if (!signature.endsWith(ERC_6492_SUFFIX) && !(await hasCode(chain, address))) return false
  return chain.verifyMessage({ address, message, signature })
}

/** Whether the address's own key has signed (EIP-191). */
export async function isSignedByKey(proof: { address: Address; message: string; signature: string }): Promise<boolean> {
  const { address, message, signature } = proof
  if (!isHex(signature)) return false
  try {
    return (await recoverMessageAddress({ message, signature })) === address
  } catch {
    return false
  }
}

const ERC_6492_SUFFIX = '6492'.repeat(16)

async function hasCode(chain: ChainClient, address: Address): Promise<boolean> {
  try {
    return (await chain.getCode({ address })) !== undefined
  } catch {
    throw new Refusal('unavailable', 'The chain does not answer, so the signature cannot be checked. Please try again.')
  }
}
