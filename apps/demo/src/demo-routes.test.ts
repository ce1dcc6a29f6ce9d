import { Refusal } from '@tocsin/server/refusal.ts'
import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { installDemoRoutes } from './demo-routes.ts'

const publicUrl = 'http://localhost:3000'
const app = createApp(publicUrl)

function createApp(url: string) {
  const server = fastify()
  server.get('/*', async () => 'page')
  server.setErrorHandler((error, _request, reply) => reply.code(error instanceof Refusal ? error.status : 500).send())
  installDemoRoutes(server, {
    publicUrl: url,
    chainUrl: 'http://127.0.0.1:1',
    faucet: { dispense: async (to) => ({ transactionHash: to }) },
    listOutbox: async () => [],
  })
  return server
}

afterAll(() => app.close())

const requestPage = (url: string, host: string, accept = 'text/html,*/*') =>
  app.inject({ method: 'GET', url, headers: { host, accept } })

test.each([
  ['127.0.0.1:3000', '/auth?next=/dashboard'],
  ['[::1]:3000', '/'],
  ['127.0.0.1:3000', '//elsewhere.example/'],
])('a page opened at %s%s is redirected to PUBLIC_URL, where people can log in', async (host, url) => {
  const { statusCode, headers } = await requestPage(url, host)
  expect([statusCode, headers.location]).toEqual([302, `${publicUrl}${url}`])
})

test('a page is redirected to PUBLIC_URL when PUBLIC_URL has the default port', async () => {
  const headers = { host: '127.0.0.1', accept: 'text/html' }
  const response = await createApp('http://localhost').inject({ method: 'GET', url: '/auth', headers })
  expect([response.statusCode, response.headers.location]).toEqual([302, 'http://localhost/auth'])
})

test.each([
  ['localhost:3000', 'text/html'],
  ['127.0.0.1:3000', 'application/json'],
  ['elsewhere.example', 'text/html'],
])('a request to %s that accepts %s gets no redirect', async (host, accept) => {
  expect((await requestPage('/auth', host, accept)).statusCode).toBe(200)
})

const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

test.each<[number, unknown]>([
  [400, {}],
  [400, { walletAddress: 'mara.eth' }],
  [400, { walletAddress: wallet.slice(0, -1) }],
  [400, { walletAddress: wallet, amount: '1000000' }],
  [200, { walletAddress: wallet }],
])('the faucet responds with status %i to the request body %j', async (status, payload) => {
  const answer = await app.inject({ method: 'POST', url: '/dev/faucet', payload: payload as object })
  expect(answer.statusCode).toBe(status)
  if (status === 200) expect(answer.json()).toEqual({ transactionHash: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
})

test.each(['eth_sendUnsignedTransaction', 'eth_sendTransaction', 'anvil_reorg', 'eth_getBalance\n'])(
  'the chain proxy rejects %j, alone and in a batch',
  async (method) => {
    const call = { jsonrpc: '2.0', id: 1, method, params: [] }
    for (const payload of [call, [{ ...call, method: 'eth_chainId' }, call]]) {
      expect((await app.inject({ method: 'POST', url: '/dev/chain', payload })).statusCode).toBe(400)
    }
  },
)
