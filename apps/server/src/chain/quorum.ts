import { custom, type Transport } from 'viem'
import { rpcNode } from './rpc-node.ts'

/**
 * Sends every read to all nodes and returns the response that more than half of them give. Two
 * nodes must both agree. With three nodes, one that is wrong, lags or hangs has no effect. The read
 * fails if no response has a majority. Of quantities that differ between honest nodes, it returns
 * the highest that a majority reaches.
 */
export function quorum(rpcUrls: readonly string[], timeoutMs: number): Transport {
  const nodes = rpcUrls.map((url) => rpcNode(url, timeoutMs)({ retryCount: 0 }))
  const needed = Math.floor(nodes.length / 2) + 1
  const request = async (call: Call): Promise<unknown> => {
    const answers = nodes.map((node): Promise<unknown> => node.request(call))
    return isVarying(call) ? agreedQuantity(answers, needed) : agreedAnswer(answers, needed, call.method)
  }
  return custom({ request }, { retryCount: 0 })
}

interface Call {
  method: string
  params?: unknown
}

/** Methods whose quantity depends on the node: its height and its estimates. */
const VARYING_METHODS = new Set(['eth_blockNumber', 'eth_estimateGas', 'eth_gasPrice', 'eth_maxPriorityFeePerGas'])

function isVarying({ method, params }: Call): boolean {
  const isPendingNonce = method === 'eth_getTransactionCount' && Array.isArray(params) && params[1] === 'pending'
  return isPendingNonce || VARYING_METHODS.has(method)
}

/** Returns the highest quantity that a majority reaches: of three answers, the median. */
async function agreedQuantity(answers: Promise<unknown>[], needed: number): Promise<string> {
  const results = await Promise.allSettled(answers)
  const quantities = results.flatMap((answer) =>
    answer.status === 'fulfilled' && /^0x[0-9a-f]+$/i.test(String(answer.value)) ? [BigInt(String(answer.value))] : [],
  )
  const agreed = quantities.sort((a, b) => (a < b ? 1 : -1))[needed - 1]
  if (agreed === undefined) throw firstFailure(results)
  return `0x${agreed.toString(16)}`
}

/** Resolves with the first majority, without waiting for hanging nodes. */
function agreedAnswer(answers: Promise<unknown>[], needed: number, method: string): Promise<unknown> {
  const votes = new Map<string, number>()
  return new Promise((resolve, reject) => {
    const count = (answer: unknown) => {
      const key = JSON.stringify(comparable(answer))
      const agreeing = (votes.get(key) ?? 0) + 1
      votes.set(key, agreeing)
      if (agreeing === needed) resolve(answer)
    }
    Promise.allSettled(answers.map((answer) => answer.then(count))).then((results) => {
      const hasMajority = results.filter(({ status }) => status === 'fulfilled').length >= needed
      reject(hasMajority ? new Error(`The nodes of the chain answer ${method} differently`) : firstFailure(results))
    }, reject)
  })
}

function firstFailure(results: readonly PromiseSettledResult<unknown>[]): unknown {
  const failure = results.find((answer) => answer.status === 'rejected')
  return failure ? failure.reason : new Error('Too few nodes of the chain answer')
}

/**
 * Fields that are compared between nodes. Other fields are ignored, because nodes add their own to
 * blocks, transactions, receipts and logs.
 */
const COMPARED = [
  'number',
  'hash',
  'timestamp',
  'status',
  'transactionHash',
  'blockHash',
  'blockNumber',
  'from',
  'to',
  'logs',
  'logIndex',
  'address',
  'topics',
  'data',
]

function comparable(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(comparable)
  if (typeof answer === 'string') return answer.toLowerCase()
  if (typeof answer !== 'object' || answer === null) return answer
  const fields = new Map<string, unknown>(Object.entries(answer))
  return COMPARED.map((name) => comparable(fields.get(name)))
}
