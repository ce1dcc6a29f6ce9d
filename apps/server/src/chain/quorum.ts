import { custom, type Transport } from 'viem'
import { rpcNode } from './rpc-node.ts'

/**
 * Reads of several nodes at once: an answer counts when more than half of them give it. Of two, both must; one that lies, lags or hangs among
 * three changes nothing. Where no answer has a majority the read fails, as it does when the nodes can't be reached.
 */
export function quorum(rpcUrls: readonly string[], timeoutMs: number): Transport {
  const nodes = rpcUrls.map((url) => rpcNode(url, timeoutMs)({ retryCount: 0 }))
  const needed = Math.floor(nodes.length / 2) + 1
  const request = async (call: { method: string; params?: unknown }): Promise<unknown> => {
    const answers = nodes.map((node): Promise<unknown> => node.request(call))
    return call.method === 'eth_blockNumber'
      ? agreedHeight(answers, needed)
      : agreedAnswer(answers, needed, call.method)
  }
  return custom({ request }, { retryCount: 0 })
}

/** The highest block that a majority has: nodes are never all at the same one. */
async function agreedHeight(answers: Promise<unknown>[], needed: number): Promise<string> {
  const settled = await Promise.allSettled(answers)
  const heights = settled.flatMap((answer) =>
    answer.status === 'fulfilled' && /^0x[0-9a-f]+$/i.test(String(answer.value)) ? [BigInt(String(answer.value))] : [],
  )
  const agreed = heights.sort((a, b) => (a < b ? 1 : -1))[needed - 1]
  if (agreed === undefined) throw firstFailure(settled)
  return `0x${agreed.toString(16)}`
}

/** Settled by the first majority: it does not wait for a node that hangs. */
function agreedAnswer(answers: Promise<unknown>[], needed: number, method: string): Promise<unknown> {
  const votes = new Map<string, number>()
  return new Promise((resolve, reject) => {
    const count = (answer: unknown) => {
      const said = JSON.stringify(comparable(answer))
      const given = (votes.get(said) ?? 0) + 1
      votes.set(said, given)
      if (given === needed) resolve(answer)
    }
    Promise.allSettled(answers.map((answer) => answer.then(count))).then((settled) => {
      const hasMajority = settled.filter(({ status }) => status === 'fulfilled').length >= needed
      reject(hasMajority ? new Error(`The nodes of the chain answer ${method} differently`) : firstFailure(settled))
    }, reject)
  })
}

function firstFailure(settled: readonly PromiseSettledResult<unknown>[]): unknown {
  const failure = settled.find((answer) => answer.status === 'rejected')
  return failure ? failure.reason : new Error('Too few nodes of the chain answer')
}

/** Of blocks, transactions, receipts and logs what all nodes give, and give alike; each adds fields of its own. */
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
