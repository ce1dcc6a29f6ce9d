import type { Address } from 'viem'
import { BaseError, ExecutionRevertedError, hashMessage, isHex, recoverMessageAddress } from 'viem'
import { verifyHash } from 'viem/actions'
import type { ChainClient } from '../../chain/chain-client.ts'
import { Refusal } from '../../refusal.ts'

/** A message and its claimed signature by this wallet. */
export interface SignedMessage {
  address: Address
  message: string
  signature: string
}

/**
 * Returns what confirms the signature. The wallet’s own key confirms it permanently (EIP-191). A
 * contract at the address confirms it in its current state (ERC-1271), even if it is not deployed
 * yet (ERC-6492). Returns null if the signature is invalid, or contains a delegation that is not on
 * the chain yet (ERC-8010).
 * @param chain null if no RPC node is configured
 * @throws Refusal unavailable if the contract cannot be called, so the result is unknown
 */
export async function findSigner(chain: ChainClient | null, proof: SignedMessage): Promise<'key' | 'contract' | null> {
  const { address, signature } = proof
  if (!isHex(signature) || signature.length % 2 !== 0) return null
  // viem would check an ERC-8010 signature in a call that overrides the code of the address. The
  // client of `isAcceptedByContract` does not observe that call, so its failure would look like an
  // invalid signature.
  if (signature.endsWith(ERC_8010_SUFFIX)) return null
  if (await isSignedByKey(proof)) return 'key'
  if (!chain) throw createChainRefusal()
  // The key has not signed the message, but a contract may accept the signature.
  if (!signature.endsWith(ERC_6492_SUFFIX) && !(await hasCode(chain, address))) return null
  return (await isAcceptedByContract(chain, { ...proof, signature })) ? 'contract' : null
}

/** Returns true if the address's own key signed the message (EIP-191). */
export async function isSignedByKey({ address, message, signature }: SignedMessage): Promise<boolean> {
  if (!isHex(signature)) return false
  try {
    return (await recoverMessageAddress({ message, signature })) === address
  } catch {
    return false
  }
}

const ERC_6492_SUFFIX = '6492'.repeat(16)
const ERC_8010_SUFFIX = '8010'.repeat(16)

async function hasCode(chain: ChainClient, address: Address): Promise<boolean> {
  try {
    return (await chain.getCode({ address })) !== undefined
  } catch {
    throw createChainRefusal()
  }
}

/**
 * Returns whether the contract accepts the signature. Throws if a call fails, which viem would
 * report as an invalid signature.
 */
async function isAcceptedByContract(
  chain: ChainClient,
  { address, message, signature }: SignedMessage & { signature: `0x${string}` },
): Promise<boolean> {
  let hasFailed = false
  const call: ChainClient['call'] = async (request) => {
    try {
      return await chain.call(request)
    } catch (error) {
      const isRevert = error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError)
      hasFailed ||= !isRevert
      throw error
    }
  }
  const observedClient = { ...chain, call }
  const isKnown = await verifyHash(observedClient, { address, hash: hashMessage(message), signature }).catch(() => {
    throw createChainRefusal()
  })
  if (!isKnown && hasFailed) throw createChainRefusal()
  return isKnown
}

const createChainRefusal = () =>
  new Refusal('unavailable', 'The chain does not respond, so the signature cannot be checked. Please try again.')
