import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installDemoRoutes } from './demo-routes.ts'

const publicUrl = 'http://localhost:3000'
const app = fastify()

beforeAll(async () => {
  app.get('/*', async () => 'page')
  installDemoRoutes(app, { publicUrl, chainUrl: 'http://127.0.0.1:1', listOutbox: async () => [] })
  await app.ready()
})
afterAll(() => app.close())

const open = (url: string, host: string, accept = 'text/html,*/*') =>
  app.inject({ method: 'GET', url, headers: { host, accept } })

test.each([
  ['127.0.0.1:3000', '/auth?next=/dashboard'],
  ['[::1]:3000', '/'],
  ['127.0.0.1:3000', '//elsewhere.example/'],
])('a page opened at %s%s is redirected to PUBLIC_URL, where people can log in', async (host, url) => {
  const { statusCode, headers } = await open(url, host)
  expect([statusCode, headers.location]).toEqual([302, `${publicUrl}${url}`])
})

test.each([
  ['localhost:3000', 'text/html'],
  ['127.0.0.1:3000', 'application/json'],
  ['elsewhere.example', 'text/html'],
])('a request to %s for %s is answered as it is', async (host, accept) => {
  expect((await open('/auth', host, accept)).statusCode).toBe(200)
})
