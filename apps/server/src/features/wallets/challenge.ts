import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { configuredContexts, findChainClient, findPaymentChain, isConfigured } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { findSigner } from './signature.ts'
import { judgeSiwe, parseSiwe } from './siwe.ts'
import { EVERY_CHAIN, type ProvedOn } from './wallet.ts'
import { CHALLENGE_LIFETIME_MS, type ChallengePurpose, formatChallenge } from './wallet-challenge.ts'

/** What somebody brings who says that a wallet is theirs. */
export interface WalletProof {
  message: string
  signature: string
}

/** A message that we have written, to be stored until its one answer. */
export interface WrittenChallenge {
  nonce: string
  /** Checksummed. */
  address: string
  message: string
  expiresAt: Date
}

/**
 * @param wantedChainId one of the configured chains, for a contract wallet that was proved there; without it the message
 *   names the chain that payments are made on now
 * @throws Refusal malformed for a chain that is not configured
 */
export async function writeChallenge(
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

/** A wallet that somebody has proved to hold. */
export interface ProvedWallet {
  /** Checksummed. */
  address: Address
  /** The chain of the contract that has accepted the signature, or `EVERY_CHAIN` for the wallet's own key. */
  chainId: number
  /** What its contract has accepted, and is asked again; null where the wallet's own key has signed, which stays true. */
  evidence: WalletProof | null
}

/** The wallet that has signed the challenge. Refused unless the answer is to the byte what we wrote, in time, and signed by that wallet. */
export async function verifyAnswer(
  ctx: Context,
  challenge: WrittenChallenge | undefined,
  { message, signature }: WalletProof,
): Promise<ProvedWallet> {
  const now = ctx.clock.now()
  if (challenge?.message !== message) throw notTheOne()
  if (challenge.expiresAt <= now) throw tooLate()
  const { publicUrl } = ctx.config.http
  const parsed = parseSiwe(message)
  // Ours, but written before the site's address was changed. The chain counts as it was written: an admin may have chosen another one since.
  const verdict = parsed
    ? judgeSiwe(
        parsed,
        {
          domain: new URL(publicUrl).host,
          uri: publicUrl,
          chainId: parsed.chainId,
          nonce: challenge.nonce,
        },
        now,
      )
    : 'invalid'
  if (!parsed || verdict === 'invalid') throw notTheOne()
  if (verdict === 'expired') throw tooLate()
  const address = getAddress(challenge.address)
  const signer = await findSigner(findChainClient(ctx, parsed.chainId), { address, message, signature })
  if (signer === null) {
    throw new Refusal('signature_invalid', 'The signature is not one of this wallet for this message.')
  }
  return signer === 'contract'
    ? { address, chainId: parsed.chainId, evidence: { message, signature } }
    : { address, chainId: EVERY_CHAIN, evidence: null }
}

export function provedOn(ctx: Context, chainId: number): ProvedOn {
  return { chainId, configuredChainIds: configuredContexts(ctx).map(({ config }) => config.payment.chainId) }
}

const notTheOne = () =>
  new Refusal('challenge_invalid', 'This message is not the one to sign, or was used before. Ask for a new one.')
const tooLate = () => new Refusal('challenge_expired', 'The message was signed too late. Ask for a new one.')
