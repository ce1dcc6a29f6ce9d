import { request as send } from 'node:http'

/** The public address of the product. The requests themselves go to a port of this machine. */
export const PUBLIC_URL = 'https://alerts.example.com'
const PUBLIC_HOST = new URL(PUBLIC_URL).host

export interface HttpResponse {
  /** 0 if there was no response. */
  status: number
  body: string
  cookies: string[]
  tookMs: number
}

export interface HttpRequest {
  port: number
  path: string
  method?: string
  body?: object
  headers?: Record<string, string>
  /** Loopback address of the caller. The server limits requests per address. */
  localAddress?: string
  timeoutMs?: number
}

const TIMEOUT_MS = 30_000
const MAX_ADDRESSES = 60_000

/** Returns one of 60,000 loopback addresses. */
export function getLoopbackAddress(number: number): string {
  const addressIndex = number % MAX_ADDRESSES
  return `127.0.${1 + Math.floor(addressIndex / 250)}.${1 + (addressIndex % 250)}`
}

/** Sends one request over a separate connection. Never rejects. */
export function call({
  port,
  path,
  method = 'GET',
  body,
  headers,
  localAddress = '127.0.0.1',
  timeoutMs,
}: HttpRequest): Promise<HttpResponse> {
  const startedAtMs = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve) => {
    const resolveAnswer = (answer: Omit<HttpResponse, 'tookMs'>) =>
      resolve({ ...answer, tookMs: performance.now() - startedAtMs })
    const failedAnswer = { status: 0, body: '', cookies: [] }
    const request = send({
      host: '127.0.0.1',
      port,
      path,
      method,
      localAddress: localAddress,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS),
      headers: {
        host: PUBLIC_HOST,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    })
    request.on('error', () => resolveAnswer(failedAnswer))
    request.on('response', (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        answer += chunk
      })
      response.on('error', () => resolveAnswer(failedAnswer))
      response.on('end', () =>
        resolveAnswer({
          status: response.statusCode ?? 0,
          body: answer,
          cookies: response.headers['set-cookie'] ?? [],
        }),
      )
    })
    request.end(text)
  })
}
