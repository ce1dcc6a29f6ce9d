import { Refusal } from '@tocsin/server/refusal.ts'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installDemoRoutes } from './demo-routes.ts'

const publicUrl = 'http://localhost:3000'
const app = fastify()

beforeAll(async () => {
  app.get('/*', async () => 'page')
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof Refusal ? error.status : 500).send())
  installDemoRoutes(app, {
    publicUrl,
    chainUrl: 'http://127.0.0.1:1',
    faucet: { dispense: async (to) => ({ transactionHash: to }) },
    listOutbox: async () => [],
  })
  await app.ready()
})
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
