import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { verifyWalletSignature } from './signature.ts'
import { judgeSiwe, parseSiwe } from './siwe.ts'
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

export function writeChallenge(ctx: Context, walletAddress: string, purpose: ChallengePurpose): WrittenChallenge {
  const issuedAt = ctx.clock.now()
  const expiresAt = new Date(issuedAt.getTime() + CHALLENGE_LIFETIME_MS)
  const address = getAddress(walletAddress)
  const nonce = randomBytes(16).toString('hex')
  const { publicUrl: origin } = ctx.config.http
  const { chainId } = ctx.config.payment
  return {
    nonce,
    address,
    message: formatChallenge({ origin, address, chainId, nonce, purpose, issuedAt, expiresAt }),
    expiresAt,
  }
}

/** The wallet that has signed the challenge. Refused unless the answer is to the byte what we wrote, in time, and signed by that wallet. */
export async function verifyAnswer(
  ctx: Context,
  challenge: WrittenChallenge | undefined,
  { message, signature }: WalletProof,
): Promise<Address> {
  const now = ctx.clock.now()
  if (challenge?.message !== message) throw notTheOne()
  if (challenge.expiresAt <= now) throw tooLate()
  const { publicUrl } = ctx.config.http
  const expected = {
    domain: new URL(publicUrl).host,
    uri: publicUrl,
    chainId: ctx.config.payment.chainId,
    nonce: challenge.nonce,
  }
  const parsed = parseSiwe(message)
  // Ours, but written before the site's address or chain was changed.
  const verdict = parsed ? judgeSiwe(parsed, expected, now) : 'invalid'
  if (verdict === 'invalid') throw notTheOne()
  if (verdict === 'expired') throw tooLate()
  const address = getAddress(challenge.address)
  if (!(await verifyWalletSignature(ctx.paymentChain, { address, message, signature }))) {
    throw new Refusal('signature_invalid', 'The signature is not one of this wallet for this message.')
  }
  return address
}

const notTheOne = () =>
  new Refusal('challenge_invalid', 'This message is not the one to sign, or was used before. Ask for a new one.')
const tooLate = () => new Refusal('challenge_expired', 'The message was signed too late. Ask for a new one.')
