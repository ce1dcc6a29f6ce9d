import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { findChainClient, findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { findSigner, type SignedMessage } from './signature.ts'
import { judgeSiwe, parseSiwe, type SiweMessage } from './siwe.ts'

const STATEMENT = 'Listen to Tocsin alerts with this wallet. This costs nothing.'
const MAX_SKEW_MS = 60_000
/** How long a message may be valid that a program has written. */
const MAX_LIFETIME_MS = 10 * 60_000

/** What a program on the live socket is to sign, but for its own address. */
export interface StreamChallenge {
  domain: string
  uri: string
  chainId: number
  statement: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

export interface StreamAnswer {
  walletAddress: string
  message: string
  signature: string
}

export async function createStreamChallenge(ctx: Context): Promise<StreamChallenge> {
  const { publicUrl } = ctx.config.http
  const { id: chainId } = await findPaymentChain(ctx)
  const issuedAt = ctx.clock.now()
  return {
    domain: new URL(publicUrl).host,
    uri: publicUrl,
    chainId,
    statement: STATEMENT,
    nonce: randomBytes(16).toString('hex'),
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + MAX_SKEW_MS),
  }
}

/** What a contract has accepted, and is asked again. */
export interface ContractEvidence extends SignedMessage {
  chainId: number
}

/**
 * The wallet that has signed the challenge; `evidence` is null where its own key has, which stays true. The caller has used the challenge up before: it has one answer, right or wrong.
 * @throws Refusal challenge_invalid or challenge_expired with what is wrong, signature_invalid, unavailable when the chain does not answer
 */
export async function verifyStreamAnswer(
  ctx: Context,
  challenge: StreamChallenge,
  { walletAddress, message, signature }: StreamAnswer,
): Promise<{ walletAddress: Address; evidence: ContractEvidence | null }> {
  const address = getAddress(walletAddress)
  const parsed = parseSiwe(message)
  if (!parsed) throw invalid('The message is not one of Sign-In with Ethereum (EIP-4361)')
  const now = ctx.clock.now()
  const verdict = judgeSiwe(parsed, challenge, now)
  if (verdict === 'invalid') throw invalid('The message is for another domain, URI, chain or nonce, or for later')
  const fault = findFault(parsed, address, challenge, now)
  if (fault) throw invalid(fault)
  if (verdict === 'expired') throw new Refusal('challenge_expired', 'The message has expired')
  const { chainId } = challenge
  const signer = await findSigner(findChainClient(ctx, chainId), { address, message, signature })
  if (signer === null) {
    throw new Refusal('signature_invalid', 'The signature is not one of this wallet for this message')
  }
  return { walletAddress: address, evidence: signer === 'contract' ? { chainId, address, message, signature } : null }
}

/** False once the contract says no. One that can't be asked has not said so. */
export async function isStillAccepted(ctx: Context, { chainId, ...signed }: ContractEvidence): Promise<boolean> {
  try {
    return (await findSigner(findChainClient(ctx, chainId), signed)) !== null
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

/** What else must hold of a message that somebody else has written. */
function findFault(message: SiweMessage, address: Address, challenge: StreamChallenge, now: Date): string | null {
  const { scheme, statement, issuedAt, expirationTime } = message
  if (message.address !== address) return 'The message names another wallet'
  if (scheme !== null && `${scheme}:` !== new URL(challenge.uri).protocol) return 'The message is for another scheme'
  if (statement !== challenge.statement) return 'The statement is another one'
  if (Math.abs(now.getTime() - issuedAt.getTime()) > MAX_SKEW_MS) return 'The message was not issued just now'
  if (!expirationTime) return 'The message has no expiration time'
  if (expirationTime.getTime() - issuedAt.getTime() > MAX_LIFETIME_MS) return 'The message is valid for too long'
  return null
}

const invalid = (message: string) => new Refusal('challenge_invalid', message)
