import { custom, type Transport } from 'viem'
import { withDeadline } from '../db/health.ts'
import { createNodeTransport } from './rpc-node.ts'

/**
 * Sends every read to all nodes and returns the response that more than half of them give. Two
 * nodes must both agree. With three nodes, one that is wrong, lags or hangs has no effect on the
 * result. The read fails if no response has a majority. Some quantities differ even between honest
 * nodes, such as the newest block number. For these it returns the highest value that more than
 * half of the nodes have reached. After a majority has responded with similar values, it waits only
 * a moment for the other nodes. Otherwise it waits for all, because two early responses could be
 * those of a lagging node and of an honest one.
 */
export function createQuorumTransport(rpcUrls: readonly string[], timeoutMs: number): Transport {
  const nodes = rpcUrls.map((url) => createNodeTransport(url, timeoutMs)({ retryCount: 0 }))
  const majorityCount = Math.floor(nodes.length / 2) + 1
  const request = async (call: Call): Promise<unknown> => {
    const responses = nodes.map((node): Promise<unknown> => node.request(call))
    return isVarying(call)
      ? findAgreedQuantity(responses, majorityCount, call.method)
      : findAgreedResponse(responses, majorityCount, call.method)
  }
  return custom({ request }, { retryCount: 0 })
}

interface Call {
  method: string
  params?: unknown
}

/**
 * Methods whose result is a quantity that depends on the node: the number of its newest block, or
 * an estimate.
 */
const VARYING_METHODS = new Set(['eth_blockNumber', 'eth_estimateGas', 'eth_gasPrice', 'eth_maxPriorityFeePerGas'])

function isVarying({ method, params }: Call): boolean {
  const isPendingNonce = method === 'eth_getTransactionCount' && Array.isArray(params) && params[1] === 'pending'
  return isPendingNonce || VARYING_METHODS.has(method)
}

/** How long a quantity waits for the other nodes after a majority has responded similarly. */
const LATE_NODE_MS = 300

/** Maximum difference between the heights of nodes that do not lag. */
const SIMILAR_BLOCKS = 5n

/** True if the difference between two responses cannot matter. `low` must not exceed `high`. */
function isSimilar(method: string, low: bigint, high: bigint): boolean {
  switch (method) {
    case 'eth_getTransactionCount':
      return low === high
    case 'eth_blockNumber':
      return high - low <= SIMILAR_BLOCKS
    default:
      // Gas and its prices: 25 %.
      return (high - low) * 4n <= low
  }
}

/**
 * Returns the highest quantity that `majorityCount` of the responses reach or exceed. Of three
 * responses, this is the median.
 */
async function findAgreedQuantity(
  responses: Promise<unknown>[],
  majorityCount: number,
  method: string,
): Promise<string> {
  const quantities: bigint[] = []
  const hasSimilarMajority = () =>
    quantities
      .sort((a, b) => (a < b ? 1 : -1))
      .some((high, index) => {
        const low = quantities[index + majorityCount - 1]
        return low !== undefined && isSimilar(method, low, high)
      })
  const majority = new Promise<void>((resolve) => {
    const collect = (response: unknown) => {
      const text = String(response)
      if (!/^0x[0-9a-f]+$/i.test(text)) return
      quantities.push(BigInt(text))
      if (hasSimilarMajority()) resolve()
    }
    for (const response of responses) response.then(collect, () => {})
  })
  const allResults = Promise.allSettled(responses)
  await Promise.race([allResults, majority.then(() => withDeadline(allResults, LATE_NODE_MS, []))])
  const agreedQuantity = quantities.sort((a, b) => (a < b ? 1 : -1))[majorityCount - 1]
  if (agreedQuantity === undefined) throw findFirstFailure(await allResults)
  return `0x${agreedQuantity.toString(16)}`
}

/** Resolves with the first majority, without waiting for hanging nodes. */
function findAgreedResponse(responses: Promise<unknown>[], majorityCount: number, method: string): Promise<unknown> {
  const votes = new Map<string, number>()
  return new Promise((resolve, reject) => {
    const count = (response: unknown) => {
      const key = JSON.stringify(toComparable(response))
      const voteCount = (votes.get(key) ?? 0) + 1
      votes.set(key, voteCount)
      if (voteCount === majorityCount) resolve(response)
    }
    Promise.allSettled(responses.map((response) => response.then(count))).then((results) => {
      const hasMajority = results.filter(({ status }) => status === 'fulfilled').length >= majorityCount
      reject(hasMajority ? new Error(`Nodes of the chain respond to ${method} differently`) : findFirstFailure(results))
    }, reject)
  })
}

function findFirstFailure(results: readonly PromiseSettledResult<unknown>[]): unknown {
  const failure = results.find((result) => result.status === 'rejected')
  return failure ? failure.reason : new Error('Too few nodes of the chain respond')
}

/**
 * Fields that are compared between nodes: all fields that callers read. Other fields are ignored,
 * because nodes add their own to blocks, transactions, receipts and logs.
 */
const COMPARED_FIELDS = [
  'number',
  'hash',
  'timestamp',
  'transactions',
  'baseFeePerGas',
  'nonce',
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

function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable)
  if (typeof value === 'string') return value.toLowerCase()
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map<string, unknown>(Object.entries(value))
  return COMPARED_FIELDS.map((name) => toComparable(fields.get(name)))
}
