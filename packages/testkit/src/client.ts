import { type EndpointName, endpoints, errorBody, type RequestBody, type ResponseOf } from '@tocsin/protocol'
import type { TestWallet } from './chain.ts'

interface CallInput<N extends EndpointName> {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: RequestBody<N>
}

/** The error thrown for every response whose status is not 2xx. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, string | number>

  constructor(status: number, text: string) {
    const { code, message, details = {} } = errorBody.parse(JSON.parse(text))
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }
}

export interface TestClient {
  /** Calls an endpoint of the HTTP API. Throws ApiError if the response is an error. */
  call<N extends EndpointName>(name: N, input?: CallInput<N>): Promise<ResponseOf<N>>
  /**
   * Proves the wallet for this client's session: requests a challenge, signs it and sends the
   * signature.
   */
  proveWallet(wallet: TestWallet): Promise<void>
  /** The Cookie header of this client, for opening a WebSocket. */
  cookie(): string
}

/**
 * Creates an HTTP client that stores cookies and sends an Origin header, like a browser.
 * @param network client address sent in X-Forwarded-For; rate limits count it separately
 */
export function createTestClient(url: string, network?: string): TestClient {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const call: TestClient['call'] = async (name, input = {}) => {
    const { method, path, response, responseType } = endpoints[name]
    const filledPath = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''))
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const httpResponse = await fetch(`${url}${filledPath}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers: {
        ...{ 'content-type': 'application/json', origin: url, cookie: cookie() },
        ...(network === undefined ? {} : { 'x-forwarded-for': network }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) }),
    })
    for (const line of httpResponse.headers.getSetCookie()) storeCookie(cookies, line)
    const text = await httpResponse.text()
    if (!httpResponse.ok) throw new ApiError(httpResponse.status, text)
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

function storeCookie(cookies: Map<string, string>, setCookieLine: string): void {
  const [pair = '', ...attributes] = setCookieLine.split(/;\s*/)
  const name = pair.slice(0, pair.indexOf('='))
  const isDeleted = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
  if (isDeleted) cookies.delete(name)
  else cookies.set(name, pair.slice(name.length + 1))
}
