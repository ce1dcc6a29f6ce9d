import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { findChainClient, findPaymentChain, isConfigured, listConfiguredChains } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { findSigner } from './signature.ts'
import { parseSiwe, validateSiweFields } from './siwe.ts'
import { EVERY_CHAIN, type ProofChains } from './wallet.ts'
import { CHALLENGE_LIFETIME_MS, type ChallengePurpose, formatChallenge } from './wallet-challenge.ts'

/** A signed challenge message, submitted to prove ownership of a wallet. */
export interface WalletProof {
  message: string
  signature: string
}

/** A challenge message created by the server. It is stored until it is answered or expires. */
export interface WrittenChallenge {
  nonce: string
  /** Checksummed. */
  address: string
  message: string
  expiresAt: Date
}

/**
 * Creates a challenge message.
 * @param wantedChainId one of the configured chains, for a contract wallet that was proved on that
 *   chain; if omitted, the message names the current payment chain
 * @throws Refusal malformed if the chain is not configured
 */
export async function createChallengeMessage(
  ctx: Context,
  walletAddress: string,
  purpose: ChallengePurpose,
  wantedChainId?: number,
): Promise<WrittenChallenge> {
  if (wantedChainId !== undefined && !isConfigured(ctx.config, wantedChainId)) {
    throw new Refusal('malformed', 'chainId must be one of the chains that are configured for payments')
  }
  const issuedAt = ctx.clock.now()
  const expiresAt = new Date(issuedAt.getTime() + CHALLENGE_LIFETIME_MS)
  const address = getAddress(walletAddress)
  const nonce = randomBytes(16).toString('hex')
  const { publicUrl: origin } = ctx.config.http
  const chainId = wantedChainId ?? (await findPaymentChain(ctx)).id
  return {
    nonce,
    address,
    message: formatChallenge({ origin, address, chainId, nonce, purpose, issuedAt, expiresAt }),
    expiresAt,
  }
}

/** A wallet whose ownership was proved. */
export interface ProvedWallet {
  /** Checksummed. */
  address: Address
  /**
   * The chain of the contract that accepted the signature, or `EVERY_CHAIN` if the wallet’s own key
   * signed.
   */
  chainId: number
  /**
   * The signature that the contract accepted, which is rechecked regularly. Null if the wallet’s
   * own key signed: such a proof stays valid.
   */
  evidence: WalletProof | null
}

/**
 * Verifies a signed challenge. The message must equal the stored one byte for byte, must not have
 * expired, and must be signed by its wallet.
 * @throws Refusal challenge_invalid, challenge_expired, signature_invalid or unavailable
 */
export async function verifyChallengeResponse(
  ctx: Context,
  challenge: WrittenChallenge | undefined,
  { message, signature }: WalletProof,
): Promise<ProvedWallet> {
  const now = ctx.clock.now()
  if (challenge?.message !== message) throw createInvalidRefusal()
  if (challenge.expiresAt <= now) {
    throw new Refusal('challenge_expired', 'The message was signed too late. Request a new one.')
  }
  const { publicUrl } = ctx.config.http
  const siweMessage = parseSiwe(message)
  // Messages created before the public URL was changed are rejected. The chain is taken from the
  // message, because an admin may have selected another payment chain since then.
  const verdict = siweMessage
    ? validateSiweFields(
        siweMessage,
        {
          domain: new URL(publicUrl).host,
          uri: publicUrl,
          chainId: siweMessage.chainId,
          nonce: challenge.nonce,
        },
        now,
      )
    : 'invalid'
  if (!siweMessage || verdict !== 'valid') throw createInvalidRefusal()
  const address = getAddress(challenge.address)
  const signer = await findSigner(findChainClient(ctx, siweMessage.chainId), { address, message, signature })
  if (signer === null) {
    throw new Refusal('signature_invalid', 'The signature does not match this wallet and message.')
  }
  return signer === 'contract'
    ? { address, chainId: siweMessage.chainId, evidence: { message, signature } }
    : { address, chainId: EVERY_CHAIN, evidence: null }
}

export function createProofChains(ctx: Context, chainId: number): ProofChains {
  return { chainId, configuredChainIds: listConfiguredChains(ctx.config).map((chain) => chain.chainId) }
}

const createInvalidRefusal = () =>
  new Refusal('challenge_invalid', 'This is not the message to sign, or it was already used. Request a new one.')
