import { randomBytes } from 'node:crypto'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type Address, getAddress } from 'viem'
import { findChainClient, findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { findSigner, type SignedMessage } from './signature.ts'
import { parseSiwe, type SiweMessage, validateSiweFields } from './siwe.ts'

const STATEMENT = 'Listen to Tocsin alerts with this wallet. This costs nothing.'
const MAX_SKEW_MS = 60_000
/** Maximum validity of a message that the client has written. */
const MAX_LIFETIME_MS = 10 * MINUTE_MS

/**
 * The fields of the message that an API client on the live socket has to sign. The client adds its
 * wallet address.
 */
export interface StreamChallenge {
  domain: string
  uri: string
  chainId: number
  statement: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

export interface StreamChallengeResponse {
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

/** A signature accepted by a contract wallet, which is rechecked. */
export interface ContractEvidence extends SignedMessage {
  chainId: number
}

/**
 * Verifies a signed challenge. If a contract wallet accepted the signature, returns `evidence` for
 * later rechecks, because the contract's state can change. A signature by the wallet's own key
 * stays valid, so `evidence` is null. Callers must first consume the challenge, so that it can be
 * used only once.
 * @throws Refusal challenge_invalid, challenge_expired, signature_invalid, or unavailable if the
 *   chain does not respond
 */
export async function verifyStreamResponse(
  ctx: Context,
  challenge: StreamChallenge,
  { walletAddress, message, signature }: StreamChallengeResponse,
): Promise<{ walletAddress: Address; evidence: ContractEvidence | null }> {
  const address = getAddress(walletAddress)
  const siweMessage = parseSiwe(message)
  if (!siweMessage) throw createInvalidRefusal('The message is not a valid Sign-In with Ethereum message (EIP-4361)')
  const now = ctx.clock.now()
  const verdict = validateSiweFields(siweMessage, challenge, now)
  if (verdict === 'invalid')
    throw createInvalidRefusal('The message has another domain, URI, chain or nonce, or is not valid yet')
  const problem = findProblem(siweMessage, address, challenge, now)
  if (problem) throw createInvalidRefusal(problem)
  if (verdict === 'expired') throw new Refusal('challenge_expired', 'The message has expired')
  const { chainId } = challenge
  const signer = await findSigner(findChainClient(ctx, chainId), { address, message, signature })
  if (signer === null) {
    throw new Refusal('signature_invalid', 'The signature does not match this wallet and message')
  }
  return { walletAddress: address, evidence: signer === 'contract' ? { chainId, address, message, signature } : null }
}

/**
 * Returns false if the contract rejects the signature. Returns true if the contract cannot be
 * called.
 */
export async function isStillAccepted(ctx: Context, { chainId, ...signed }: ContractEvidence): Promise<boolean> {
  try {
    return (await findSigner(findChainClient(ctx, chainId), signed)) !== null
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

/**
 * Checks the fields that `validateSiweFields` does not check, because the client writes the
 * message. Returns the reason why the message is invalid, or null.
 */
function findProblem(message: SiweMessage, address: Address, challenge: StreamChallenge, now: Date): string | null {
  const { scheme, statement, issuedAt, expirationTime } = message
  if (message.address !== address) return 'The message names another wallet'
  if (scheme !== null && `${scheme}:` !== new URL(challenge.uri).protocol) return 'The message is for another scheme'
  if (statement !== challenge.statement) return 'The statement differs from the challenge'
  if (Math.abs(now.getTime() - issuedAt.getTime()) > MAX_SKEW_MS) return 'The message was not issued just now'
  if (!expirationTime) return 'The message has no expiration time'
  if (expirationTime.getTime() - issuedAt.getTime() > MAX_LIFETIME_MS) return 'The message is valid for too long'
  return null
}

const createInvalidRefusal = (message: string) => new Refusal('challenge_invalid', message)
