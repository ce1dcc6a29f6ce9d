import type { Address } from 'viem'
import { BaseError, ExecutionRevertedError, hashMessage, isHex, recoverMessageAddress } from 'viem'
import { verifyHash } from 'viem/actions'
import type { ChainClient } from '../../chain/chain-client.ts'
import { Refusal } from '../../refusal.ts'

/** A message and what is said to be its signature by this wallet. */
export interface SignedMessage {
  address: Address
  message: string
  signature: string
}

/**
 * Who says that the wallet has signed the message (EIP-191): its own key, for good; or, where the address is a contract, that contract on the
 * given chain as it is now (ERC-1271), deployed or not yet (ERC-6492). Null: nobody.
 * @param chain null where there is no node to ask
 * @throws Refusal `unavailable` where the contract can't be asked: that is no yes, and no no
 */
export async function findSigner(chain: ChainClient | null, proof: SignedMessage): Promise<'key' | 'contract' | null> {
  const { address, signature } = proof
  if (!isHex(signature) || signature.length % 2 !== 0) return null
  if (await isSignedByKey(proof)) return 'key'
  if (!chain) throw silent()
  // Not by its key: a contract may still know it.
  if (!signature.endsWith(ERC_6492_SUFFIX) && !(await hasCode(chain, address))) return null
  return (await isKnownToContract(chain, { ...proof, signature })) ? 'contract' : null
}

/** Whether the address's own key has signed (EIP-191). */
export async function isSignedByKey({ address, message, signature }: SignedMessage): Promise<boolean> {
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
    throw silent()
  }
}

/** viem takes a node that fails for a contract that says no: here the two are told apart. */
async function isKnownToContract(
  chain: ChainClient,
  { address, message, signature }: SignedMessage & { signature: `0x${string}` },
): Promise<boolean> {
  let hasFailed = false
  const call: ChainClient['call'] = async (request) => {
    try {
      return await chain.call(request)
    } catch (error) {
      const isAnswer = error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError)
      hasFailed ||= !isAnswer
      throw error
    }
  }
  const listening = { ...chain, call }
  const isKnown = await verifyHash(listening, { address, hash: hashMessage(message), signature }).catch(() => {
    throw silent()
  })
  if (!isKnown && hasFailed) throw silent()
  return isKnown
}

const silent = () =>
  new Refusal('unavailable', 'The chain does not answer, so the signature cannot be checked. Please try again.')
