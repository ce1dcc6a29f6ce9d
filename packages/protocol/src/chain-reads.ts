import { z } from 'zod'
import { address, hash32 } from './primitives.ts'

const block = z.union([z.enum(['latest', 'pending']), z.string().regex(/^0x[0-9a-f]{1,16}$/)])
/** balanceOf(address) and allowance(address,address) */
const question = z.string().regex(/^0x(70a08231[0-9a-f]{64}|dd62ed3e[0-9a-f]{128})$/i)
/** transfer(address,uint256) and approve(address,uint256) */
const payment = z.string().regex(/^0x(a9059cbb|095ea7b3)[0-9a-f]{128}$/i)
const nothing = z.tuple([])

function read<M extends string, P extends z.ZodType>(method: M, params: P) {
  return z.strictObject({ chainId: z.number().int().positive(), method: z.literal(method), params })
}

/**
 * What a page asks of a payment chain when its wallet only signs, as JSON-RPC names it: no more than a purchase needs, and of contracts the token
 * alone.
 */
export const chainRead = z.discriminatedUnion('method', [
  read('eth_blockNumber', nothing),
  read('eth_gasPrice', nothing),
  read('eth_maxPriorityFeePerGas', nothing),
  read('eth_getBlockByNumber', z.tuple([block, z.literal(false)])),
  read('eth_getBalance', z.tuple([address, block])),
  read('eth_getCode', z.tuple([address, block])),
  read('eth_call', z.tuple([z.strictObject({ to: address, data: question }), block])),
  read('eth_estimateGas', z.tuple([z.strictObject({ from: address, to: address, data: payment })])),
  read('eth_getTransactionByHash', z.tuple([hash32])),
  read('eth_getTransactionReceipt', z.tuple([hash32])),
])
export type ChainRead = z.infer<typeof chainRead>

/** As the node says it. */
export const chainReadAnswer = z.object({ result: z.unknown() })
