import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runCommand } from '../../src/command.ts'

export interface CommandResult {
  code: number
  out: string
  err: string
}

/** Runs the command in this process. `isWatched` is true if stderr is a terminal. */
export async function runVerify(args: string[], input = '', isWatched = false): Promise<CommandResult> {
  const result: CommandResult = { code: -1, out: '', err: '' }
  result.code = await runCommand(args, {
    readInput: async () => input,
    out: (text) => {
      result.out += text
    },
    err: (text) => {
      result.err += text
    },
    hasColor: false,
    isWatched,
  })
  return result
}

export interface JsonOutcome {
  verdict: string
  exitCode: number
  steps: { id: string; status: string; reason: string }[]
  failure: { step: string | null; index: number | null; reason: string } | null
  trusted: { name: string; value: string | number; source: string }[]
  [fact: string]: unknown
}

export async function runVerifyJson(args: string[], input = ''): Promise<CommandResult & { outcome: JsonOutcome }> {
  const result = await runVerify([...args, '--json'], input)
  return { ...result, outcome: JSON.parse(result.out) }
}

export type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>

export interface TestSite {
  url: string
  requests: string[]
  close(): Promise<void>
}

/** Starts an HTTP server with a custom handler. */
export async function startSite(handle: Handle): Promise<TestSite> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(request.url ?? '')
    let body = ''
    for await (const chunk of request) body += String(chunk)
    await handle(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an AddressInfo, not a path.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Starts a proxy that lets the test modify JSON responses. */
export function startProxy(
  target: string,
  change: (question: { path: string; method: string; params: unknown[] }, answer: unknown) => unknown,
): Promise<TestSite> {
  return startSite(async (request, response, body) => {
    const path = request.url ?? ''
    const { method = '', params = [] } = body === '' ? {} : JSON.parse(body)
    const answer = await fetch(new URL(path, target), {
      ...(body === '' ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    const changedAnswer = change({ path, method, params }, isJson ? JSON.parse(text) : text)
    response.writeHead(answer.status, { 'content-type': isJson ? 'application/json' : 'text/plain' })
    response.end(isJson ? JSON.stringify(changedAnswer) : changedAnswer)
  })
}
