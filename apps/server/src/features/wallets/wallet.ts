import { getChain } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'

/**
 * `chainId` of a wallet proved by its own key, which is valid on every chain. Contract wallets have
 * the id of their chain.
 */
export const EVERY_CHAIN = 0
/** `chainId` of a wallet linked by an earlier version, which did not record the chain. */
const UNKNOWN_CHAIN = -1

/** The account that a wallet is linked to. */
export interface Claim {
  accountId: string
  chainId: number
}

/** The chain on which the address was proved, and the configured chains. */
export interface ProofChains {
  chainId: number
  configuredChainIds: readonly number[]
}

/**
 * Finds the linked wallet that a proof matches. A contract matches only a wallet on its own chain,
 * and a key only a wallet linked by key, because someone else may control the same address on
 * another chain. A wallet with an unknown chain also matches a key, and matches a contract only if
 * the contract's chain is the only configured one.
 */
export function findMatchingWallet<T extends Claim>(
  linkedWallets: readonly T[],
  { chainId, configuredChainIds }: ProofChains,
): T | null {
  const exactMatch = linkedWallets.find((claim) => claim.chainId === chainId)
  if (exactMatch) return exactMatch
  const isUnambiguous = chainId === EVERY_CHAIN || configuredChainIds.every((configured) => configured === chainId)
  return (isUnambiguous && linkedWallets.find((claim) => claim.chainId === UNKNOWN_CHAIN)) || null
}

/**
 * Asserts that the wallet can be linked to the account. A key controls its address on every chain,
 * even if code was set there (EIP-7702), so key and contract links of one address must not belong
 * to different accounts. Contracts at the same address on two chains are independent.
 * @param accountId account to link to, or null for a new account
 * @throws Refusal wallet_taken
 */
export function assertLinkable(linkedWallets: readonly Claim[], chainId: number, accountId: string | null): void {
  const otherClaims = linkedWallets.filter((claim) => claim.accountId !== accountId)
  if (otherClaims.some((claim) => claim.chainId === chainId))
    throw createTakenRefusal('This wallet belongs to another account.')
  if (otherClaims.some((claim) => claim.chainId === UNKNOWN_CHAIN)) {
    throw createTakenRefusal(
      'This wallet was linked before the server recorded chains. Sign in another way and link it again, or contact support.',
    )
  }
  if (chainId !== EVERY_CHAIN && otherClaims.some((claim) => claim.chainId === EVERY_CHAIN)) {
    throw createTakenRefusal('This address is linked to another account by its own key. Sign with that key.')
  }
  const contract = otherClaims.find((claim) => claim.chainId > EVERY_CHAIN)
  if (chainId === EVERY_CHAIN && contract) {
    const { name } = getChain(contract.chainId)
    throw createTakenRefusal(`This address is linked as a contract wallet on ${name}. Sign in with that contract.`)
  }
}

const createTakenRefusal = (message: string) => new Refusal('wallet_taken', message)
