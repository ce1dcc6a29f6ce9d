import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedNowMs } from './http-message.ts'
import type { Wanted } from './http-sender-test-child.ts'
import { sealSecrets } from './secrets.ts'

const config = { appSecret: 'a'.repeat(32), appSecretPrevious: null, allowPrivate: true }
let server: Server
let child: ChildProcess
const heard: { path: string; body: string }[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const path = request.url ?? ''
    heard.push({ path, body })
    if (path !== '/hang') response.writeHead(path === '/refuse' ? 403 : 200).end('heard')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  child = fork(join(import.meta.dirname, 'http-sender-test-child.ts'), { execArgv: ['--import', 'tsx'] })
})
afterAll(() => {
  child.kill()
  server.closeAllConnections()
  server.close()
})

async function send(path: string, change: Partial<Wanted> & { id?: string; withinMs?: number } = {}) {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const secrets = { url: `http://127.0.0.1:${port}${path}`, token: null }
  const destination = { id: change.id ?? 'a', sealed: sealSecrets(config, 'a', secrets) }
  const own = { config, destination, at: new Date(), kind: 'slack' as const, message: { text: `To ${path}` } }
  const { withinMs = 120_000, ...rest } = change
  const wanted: Wanted = {
    message: { ...own, startByMs: sharedNowMs() + withinMs, endsAtMs: Number.MAX_SAFE_INTEGER },
    ...rest,
  }
  child.send(wanted)
  const [report] = await once(child, 'message')
  return report
}

test('sendHttp: a message is sent from a thread, and its answer comes back', async () => {
  expect(await send('/services/a')).toMatchObject({ answer: { status: 200, response: 'heard' } })
  expect(heard.at(-1)).toMatchObject({ path: '/services/a', body: expect.stringContaining('To /services/a') })
  expect(await send('/refuse')).toMatchObject({ answer: { status: 403 } })
})

test('sendHttp: a secret that cannot be read is an error of its own, and nothing is sent', async () => {
  const before = heard.length
  expect(await send('/services/b', { id: 'another' })).toEqual({ error: 'UnreadableKey' })
  expect(heard).toHaveLength(before)
})

test('sendHttp: a request that is under way ends when the server stops', async () => {
  expect(await send('/hang', { stopAfterMs: 100 })).toMatchObject({
    answer: { status: null, response: 'The server was stopped' },
  })
})

test('pauseSending: the thread begins no request before the pause is over', async () => {
  const askedAtMs = performance.now()
  expect(await send('/services/c', { pauseMs: 300 })).toMatchObject({ answer: { status: 200 } })
  expect(performance.now() - askedAtMs).toBeGreaterThan(300)
})

test('sendHttp: a message whose turn comes too late after the check of the plan is not sent', async () => {
  const before = heard.length
  expect(await send('/services/d', { pauseMs: 300, withinMs: 100 })).toEqual({ error: 'StartedTooLate' })
  expect(heard).toHaveLength(before)
  expect(await send('/services/d')).toMatchObject({ answer: { status: 200 } })
})

test('sendHttp: the thread does not keep the process running', async () => {
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
