import { z } from 'zod'
import { address, hash32 } from './primitives.ts'

const block = z.union([z.enum(['latest', 'pending']), z.string().regex(/^0x[0-9a-f]{1,16}$/)])
/** Calldata of balanceOf(address) and allowance(address,address). */
const tokenRead = z.string().regex(/^0x(70a08231[0-9a-f]{64}|dd62ed3e[0-9a-f]{128})$/i)
/** Calldata of transfer(address,uint256) and approve(address,uint256). */
const tokenPayment = z.string().regex(/^0x(a9059cbb|095ea7b3)[0-9a-f]{128}$/i)
const noParams = z.tuple([])

function defineRead<M extends string, P extends z.ZodType>(method: M, params: P) {
  return z.strictObject({ chainId: z.number().int().positive(), method: z.literal(method), params })
}

/**
 * JSON-RPC calls that a page can make to a payment chain through the server, for wallets that can
 * only sign. Limited to the calls that a purchase needs, and to the token contract.
 */
export const chainRead = z.discriminatedUnion('method', [
  defineRead('eth_blockNumber', noParams),
  defineRead('eth_gasPrice', noParams),
  defineRead('eth_maxPriorityFeePerGas', noParams),
  defineRead('eth_getBlockByNumber', z.tuple([block, z.literal(false)])),
  defineRead('eth_getBalance', z.tuple([address, block])),
  defineRead('eth_getCode', z.tuple([address, block])),
  defineRead('eth_call', z.tuple([z.strictObject({ to: address, data: tokenRead }), block])),
  defineRead('eth_estimateGas', z.tuple([z.strictObject({ from: address, to: address, data: tokenPayment })])),
  defineRead('eth_getTransactionByHash', z.tuple([hash32])),
  defineRead('eth_getTransactionReceipt', z.tuple([hash32])),
])
export type ChainRead = z.infer<typeof chainRead>

/** The `result` of the node's JSON-RPC response, unchanged. */
export const chainReadResponse = z.object({ result: z.unknown() })
