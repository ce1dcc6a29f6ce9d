import type { HDAccount } from 'viem/accounts'
import { call, type HttpRequest, type HttpResponse, PUBLIC_URL } from './http-client.ts'
import type { Journal } from './journal.ts'

/**
 * Simulates a user with a browser: keeps cookies, sends an Origin header, and can repeat POST
 * requests until they succeed.
 */
export interface Browser {
  send(path: string, more?: Pick<HttpRequest, 'method' | 'body' | 'headers'>): Promise<HttpResponse>
  /**
   * Repeats a request, with the same Idempotency-Key if one is given, until it succeeds.
   * @throws Error if the request is refused, or after the harness has stopped
   */
  postWithRetry(path: string, body: object, key?: string): Promise<unknown>
  signInWithWallet(wallet: HDAccount): Promise<void>
  cookie(): string
}

const RETRY_MS = 500

/**
 * Creates a browser that records each POST request in the journal. Users see a failed POST, because
 * the reverse proxy retries only GET requests on another instance.
 */
export function createBrowser(
  { port, stopped, journal }: { port: number; stopped: AbortSignal; journal: Pick<Journal, 'posts'> },
  from: string,
): Browser {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send: Browser['send'] = async (path, options = {}) => {
    const headers = { origin: PUBLIC_URL, ...(cookies.size > 0 ? { cookie: cookie() } : {}), ...options.headers }
    const atMs = Date.now()
    const answer = await call({ port, path, localAddress: from, ...options, headers })
    if (options.method === 'POST') journal.posts.push({ atMs, tookMs: answer.tookMs, status: answer.status, path })
    for (const line of answer.cookies) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return answer
  }
  const postWithRetry: Browser['postWithRetry'] = async (path, body, key) => {
    for (;;) {
      const headers = key === undefined ? {} : { 'idempotency-key': key }
      const { status, body: text } = await send(path, { method: 'POST', body, headers })
      if (status >= 200 && status < 300) return JSON.parse(text)
      // 409: the first request with this key is still running. 429: the rate limit is reached.
      const isTemporary = status === 0 || status >= 500 || status === 409 || status === 429
      if (!isTemporary) throw new Error(`${path} returned ${status}: ${text.slice(0, 200)}`)
      if (stopped.aborted) throw new Error(`${path} had no response until the end`)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  return {
    send,
    postWithRetry,
    cookie,
    async signInWithWallet(wallet) {
      const challenge = await postWithRetry('/api/auth/wallet/challenge', { walletAddress: wallet.address })
      const { message } = readText(challenge, 'message')
      const signature = await wallet.signMessage({ message })
      await postWithRetry('/api/auth/wallet', { message, signature })
    },
  }
}

/** @throws Error if the field is not a string */
export function readText<Name extends string>(value: unknown, name: Name): Record<Name, string> {
  const text: unknown = Object(value)[name]
  if (typeof text !== 'string') throw new Error(`The response has no ${name}`)
  return { [name]: text } as Record<Name, string>
}
