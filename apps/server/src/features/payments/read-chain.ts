import type { ChainRead, endpoints } from '@tocsin/protocol'
import { BaseError, isAddressEqual, isHex, RpcRequestError } from 'viem'
import { findContext } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Input } from '../../http/route.ts'
import { requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import type { ChainReads } from './chain-reads.ts'

/**
 * Proxies the chain reads that a purchase needs, for pages whose wallet can only sign. Does not
 * expose the node's URL.
 * @throws Refusal chain_unsupported, malformed if the contract is not the token, payment_reverted
 * if the gas of a transaction that would fail is estimated, unavailable, too_many_requests
 */
export async function readChain(ctx: Context, input: Input<typeof endpoints.readChain>, reads: ChainReads) {
  const { body } = input
  const chain = findContext(ctx, body.chainId)
  if (!chain) throw new Refusal('chain_unsupported', 'This chain can’t be read here.')
  const contract = getContract(body)
  if (contract !== null && !isToken(chain, contract)) {
    throw new Refusal('malformed', `Only the contract ${chain.config.payment.token} can be called here`)
  }
  const key = JSON.stringify([body.chainId, body.method, body.params]).toLowerCase()
  return { result: await reads.read(requireActor(input).accountId, key, 1, () => requestFromNode(chain, body)) }
}

/**
 * Returns the contract whose code is read or executed, which must be the token. Returns null for
 * all other reads, for example of balances, which are allowed for any address.
 */
function getContract({ method, params }: ChainRead): string | null {
  switch (method) {
    case 'eth_getCode':
      return params[0]
    case 'eth_call':
    case 'eth_estimateGas':
      return params[0].to
    default:
      return null
  }
}

function isToken({ config }: Context, contract: string): boolean {
  return isHex(contract) && isAddressEqual(contract, config.payment.token)
}

async function requestFromNode(chain: Context, { method, params }: ChainRead): Promise<unknown> {
  // The cast is safe: the schema guarantees that method and parameters match, which TypeScript
  // cannot see for a union.
  const request = chain.paymentChain.request as (call: { method: string; params: unknown }) => Promise<unknown>
  try {
    return await request({ method, params })
  } catch (error) {
    // No payment depends on this read, so the error is only logged for debugging.
    chain.logger.debug({ err: error, method }, 'a chain read for a page failed')
    if (method === 'eth_estimateGas' && isRevert(error))
      throw new Refusal('payment_reverted', 'The network would reject this transaction.')
    throw new Refusal('unavailable', 'The payment chain can’t be read right now.')
  }
}

/**
 * True if the node executed the transaction and it failed, or if the sender cannot pay for it. Any
 * other error, such as a rate limit, says nothing about the transaction.
 */
function isRevert(error: unknown): boolean {
  const nodeError = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null
  if (!(nodeError instanceof RpcRequestError)) return false
  // Code 3 is a revert with data. Without data, nodes use the general code -32000.
  return nodeError.code === 3 || (nodeError.code === -32000 && /revert|insufficient|exceeds/i.test(nodeError.details))
}
