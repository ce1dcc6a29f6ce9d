import { getChain } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'

/** Of a wallet that its own key has proved: it signs on every chain. Any other number is the chain of a contract that has said yes. */
export const EVERY_CHAIN = 0
/** Of a wallet that an earlier version linked, which did not note where. */
const UNKNOWN_CHAIN = -1

/** Who a proof of an address speaks for. */
export interface Claim {
  accountId: string
  chainId: number
}

/** Where an address was proved, and which chains a contract could be on. */
export interface ProvedOn {
  chainId: number
  configuredChainIds: readonly number[]
}

/**
 * The linked wallet that a proof opens, among those with its address. A contract opens what was linked on its own chain, a key what a key has linked:
 * the same address on another chain may be controlled by somebody else. A wallet of unknown origin is opened by a key, and by a contract only where
 * just one chain is configured, so that it can't have been another.
 */
export function findOpened<T extends Claim>(linked: readonly T[], { chainId, configuredChainIds }: ProvedOn): T | null {
  const exact = linked.find((claim) => claim.chainId === chainId)
  if (exact) return exact
  const isCertain = chainId === EVERY_CHAIN || configuredChainIds.every((configured) => configured === chainId)
  return (isCertain && linked.find((claim) => claim.chainId === UNKNOWN_CHAIN)) || null
}

/**
 * An address that has a key is that key's on every chain, also where code was put on it (EIP-7702): it is never linked both ways for two accounts.
 * Contracts at the same address on two chains have nothing to do with each other.
 * @param accountId whose link it would be, null for a new account
 * @throws Refusal wallet_taken
 */
export function assertFree(linked: readonly Claim[], chainId: number, accountId: string | null): void {
  const others = linked.filter((claim) => claim.accountId !== accountId)
  if (others.some((claim) => claim.chainId === chainId)) throw taken('This wallet belongs to another account.')
  if (others.some((claim) => claim.chainId === UNKNOWN_CHAIN)) {
    throw taken(
      'This wallet was linked before the server noted on which chain. Sign in another way and link it again, or write to support.',
    )
  }
  if (chainId !== EVERY_CHAIN && others.some((claim) => claim.chainId === EVERY_CHAIN)) {
    throw taken('This address is linked to another account by its own key. Sign with that key.')
  }
  const contract = others.find((claim) => claim.chainId > EVERY_CHAIN)
  if (chainId === EVERY_CHAIN && contract) {
    const { name } = getChain(contract.chainId)
    throw taken(`This address is linked as a contract wallet on ${name}. Sign in with that contract.`)
  }
}

const taken = (message: string) => new Refusal('wallet_taken', message)
