import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { WebSocket } from 'ws'

/** A request, which may be one that browsers do not send. */
export interface RawRequest {
  method?: string
  /** Sent without normalisation or encoding. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Headers and body as one string. */
  whole: string
}

/** @param finish sends the body. Tests that delay the end of a request replace it */
export function send(
  url: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
  finish: (outgoing: ClientRequest) => void = (outgoing) => outgoing.end(body),
): Promise<RawAnswer> {
  const { host, hostname, port } = new URL(url)
  // Replace `localhost` by its address: each request has its own connection, and looking up the
  // name takes as long as the rest of the request.
  const address = hostname === 'localhost' ? '127.0.0.1' : hostname
  // Set the Content-Length, because Node sends none for the body of a DELETE request.
  const lengthHeader = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname: address, port, method, path, headers: { host, ...lengthHeader, ...headers }, agent: false },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const whole = `${incoming.rawHeaders.join('\n')}\n\n${text}`
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text, whole })
        })
        incoming.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    finish(outgoing)
  })
}

/** Creates a write request with the headers that the site's own pages send. */
export function createWriteRequest(url: string, path: string, body: unknown, cookie = ''): RawRequest {
  const headers = { origin: url, 'content-type': 'application/json', cookie }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

export interface RawSocket {
  /** All received messages as text. */
  frames: string[]
  /** Returns null while the socket is open. */
  closeCode(): number | null
  send(message: object): void
  close(): void
}

/**
 * Opens a socket.
 * @throws Error if the upgrade is refused. The message is the status of the response
 */
export async function openSocket(url: string, headers: Record<string, string>): Promise<RawSocket> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers })
  const frames: string[] = []
  let closeCode: number | null = null
  ws.on('message', (frame) => frames.push(String(frame)))
  ws.on('close', (code) => {
    closeCode = code
  })
  await new Promise<void>((resolve, reject) => {
    ws.on('open', () => resolve())
    ws.on('unexpected-response', (_request, { statusCode }) => reject(new Error(String(statusCode))))
    ws.on('error', reject)
  })
  return {
    frames,
    closeCode: () => closeCode,
    send: (message) => ws.send(JSON.stringify(message)),
    close: () => ws.terminate(),
  }
}
