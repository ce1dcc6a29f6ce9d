import type { Rpc } from '@tocsin/proof'
import { proofChecksTexts } from '../../texts/proof-checks.ts'

const texts = proofChecksTexts.chainRpc

const timeoutMs = 8_000
/** All that a check asks of a node; whoever gets hold of the worker can't make it ask for more. */
const readMethods = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getLogs',
  'eth_call',
])

export interface ChainRpc {
  rpc: Rpc
  /** Why the node could not be asked, in a sentence; null as long as it answers. */
  problem(): string | null
  requests(): number
}

type Fetch = typeof fetch

/**
 * JSON-RPC to one node of one chain, over `fetch`. The same question is sent once. The node is asked for its chain first, since an answer of another
 * chain would be taken for "no such transaction".
 */
export function createChainRpc(url: string, chainId: number, fetcher: Fetch = fetch): ChainRpc {
  const answers = new Map<string, Promise<unknown>>()
  let problem: string | null = null
  let requests = 0

  function send(method: string, params: unknown[]): Promise<unknown> {
    const key = JSON.stringify([method, params])
    const known = answers.get(key)
    if (known) return known
    requests++
    const answer = request(fetcher, url, { jsonrpc: '2.0', id: requests, method, params })
    answers.set(key, answer)
    return answer
  }

  const rpc: Rpc = async (method, params) => {
    try {
      if (!readMethods.has(method)) throw new Error(`A check has no use for ${method}.`)
      const theirs = await send('eth_chainId', [])
      if (typeof theirs !== 'string' || Number(theirs) !== chainId) {
        throw new Error(`This node is of chain ${describeChain(theirs)}, the log is anchored on chain ${chainId}.`)
      }
      return await send(method, params)
    } catch (error) {
      problem ??= error instanceof Error ? error.message : texts.nodeCouldNotBeAsked
      throw error
    }
  }
  return { rpc, problem: () => problem, requests: () => requests }
}

function describeChain(theirs: unknown): string {
  const id = Number(theirs)
  return typeof theirs === 'string' && Number.isSafeInteger(id) ? String(id) : texts.noId
}

async function request(fetcher: Fetch, url: string, body: object): Promise<unknown> {
  const options = { method: 'POST', credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' } as const
  const answer = await fetcher(url, {
    ...options,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(async (error: unknown) => {
    throw new Error(isTimeout(error) ? tooSlow : await explainSilence(fetcher, url))
  })
  const text = await answer.text().catch((error: unknown) => {
    throw new Error(isTimeout(error) ? tooSlow : 'The node broke off its answer.')
  })
  const said = readAnswer(text)
  if (said && 'result' in said) return said.result
  if (said) throw new Error(`The node refuses: ${said.message}`)
  if (!answer.ok)
    throw new Error(`The node answers ${answer.status}${answer.status === 429 ? ', too many requests' : ''}.`)
  throw new Error('This address answers, but not as a node of a chain (JSON-RPC) does.')
}

const tooSlow = texts.nodeDidNotAnswerWithin({ seconds: timeoutMs / 1000 })

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** To a page, a node that is away and one that bars browsers look the same; a request whose answer nobody reads tells them apart. */
async function explainSilence(fetcher: Fetch, url: string): Promise<string> {
  try {
    await fetcher(url, { method: 'GET', mode: 'no-cors', credentials: 'omit', signal: AbortSignal.timeout(timeoutMs) })
    return texts.thisNodeDoesNotLet
  } catch {
    return texts.nothingAnswers
  }
}

function readAnswer(text: string): { result: unknown } | { message: string } | null {
  const body = parseObject(text)
  if (!body) return null
  if ('result' in body) return { result: body.result }
  const error: unknown = 'error' in body ? body.error : undefined
  if (typeof error !== 'object' || error === null) return null
  const message = 'message' in error && typeof error.message === 'string' ? error.message : texts.noReasonGiven
  return { message: message.slice(0, 200) }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
