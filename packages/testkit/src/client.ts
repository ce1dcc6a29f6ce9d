import { type EndpointName, endpoints, errorBody, type RequestBody, type ResponseOf } from '@tocsin/protocol'
import type { TestWallet } from './chain.ts'

interface CallInput<N extends EndpointName> {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: RequestBody<N>
}

/** An answer that was not 2xx. */
export class AnsweredRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, string | number>

  constructor(status: number, text: string) {
    const { code, message, details = {} } = errorBody.parse(JSON.parse(text))
    super(message)
    this.name = 'AnsweredRefusal'
    this.status = status
    this.code = code
    this.details = details
  }
}

export interface TestClient {
  /** One call of the HTTP API. Throws AnsweredRefusal. */
  call<N extends EndpointName>(name: N, input?: CallInput<N>): Promise<ResponseOf<N>>
  /** Proves the wallet for this client's session, as a browser would: challenge, signature, proof. */
  proveWallet(wallet: TestWallet): Promise<void>
  /** The Cookie header of this client, for a socket. */
  cookie(): string
}

/** A browser without a page: it keeps its cookies and names its origin. */
export function createTestClient(url: string): TestClient {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const call: TestClient['call'] = async (name, input = {}) => {
    const { method, path, response, responseType } = endpoints[name]
    const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''))
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const answer = await fetch(`${url}${filled}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie: cookie() },
      ...(method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) }),
    })
    for (const line of answer.headers.getSetCookie()) keep(cookies, line)
    const text = await answer.text()
    if (!answer.ok) throw new AnsweredRefusal(answer.status, text)
    return response.parse(responseType ? text : JSON.parse(text)) as ResponseOf<typeof name>
  }
  return {
    call,
    cookie,
    async proveWallet(wallet) {
      const walletAddress = wallet.account.address
      const { message } = await call('createChallenge', { body: { walletAddress } })
      await call('proveWallet', { body: { message, signature: await wallet.signMessage({ message }) } })
    },
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/)
  const name = pair.slice(0, pair.indexOf('='))
  const isGone = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
  if (isGone) cookies.delete(name)
  else cookies.set(name, pair.slice(name.length + 1))
}
