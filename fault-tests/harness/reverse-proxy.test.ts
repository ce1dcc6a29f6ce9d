import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@tocsin/testkit/serve'
import { expect, onTestFinished, test } from 'vitest'
import { call } from './http-client.ts'
import { findNginx, readSite, startReverseProxy } from './reverse-proxy.ts'

const nginxTest = test.skipIf(findNginx() === null)
const FORM = { name: 'Ada' }

/**
 * Starts nginx with ops/nginx.conf in front of two instances, with a shorter timeout.
 * @param respond returns the status with which instance 0 or 1 responds, or null for no response
 */
async function startSite(respond: (instance: number, url: string) => number | null) {
  const requests: string[] = []
  const urls = await Promise.all(
    [0, 1].map((instance) =>
      serve(({ method, url = '' }, response, body) => {
        requests.push(`${method} ${url} ${body}`)
        const status = respond(instance, url)
        if (status !== null) response.writeHead(status).end()
      }),
    ),
  )
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-nginx-'))
  // Make the folder accessible, because the workers of nginx may run as another user.
  chmodSync(dir, 0o711)
  const site = readSite().replace('proxy_read_timeout 10s;', 'proxy_read_timeout 1s;')
  const ports = urls.map((url) => Number(new URL(url).port))
  const { port, close } = await startReverseProxy(dir, ports, site)
  onTestFinished(async () => {
    await close()
    rmSync(dir, { recursive: true, force: true })
  })
  // The start has requested the front page.
  requests.length = 0
  const send = async (method: string, path: string, body?: object) =>
    (await call({ port, method, path, ...(body ? { body } : {}) })).status
  return { requests, send }
}

nginxTest('nginx: serves pages and files while all instances respond to API calls with 503', async () => {
  const { send } = await startSite((_instance, url) => (url.startsWith('/api/') ? 503 : 200))
  for (let round = 0; round < 3; round++) {
    expect(await send('GET', '/api/config')).toBeGreaterThanOrEqual(502)
    for (const path of ['/', '/track-record', '/assets/BTC', '/assets/app-1.js', '/sw.js']) {
      expect(await send('GET', path), path).toBe(200)
    }
  }
})

nginxTest(
  'nginx: gets a file of the new build from the next instance when an old instance does not have it',
  async () => {
    const { send } = await startSite((instance, url) => (instance === 1 && url === '/assets/app-2.js' ? 200 : 404))
    for (let round = 0; round < 4; round++) expect(await send('GET', '/assets/app-2.js')).toBe(200)
    expect(await send('GET', '/assets/app-3.js')).toBe(404)
  },
)

nginxTest.each([
  ['GET', '/api/account', 200, 2],
  ['GET', '/a/7', 200, 2],
  ['GET', '/', 200, 2],
  ['GET', '/api/auth/verify-email?token=abc', 504, 1],
  ['GET', '/api/auth/google/callback?code=abc', 504, 1],
  ['POST', '/api/alerts', 504, 1],
  ['PUT', '/api/account/password', 504, 1],
  ['DELETE', '/api/keys/7', 504, 1],
])(
  'nginx: answers %s %s with %i after %i attempts when the first instance hangs',
  async (method, path, status, count) => {
    let isHanging = false
    const { requests, send } = await startSite(() => {
      if (!isHanging) return 200
      isHanging = false
      return null
    })
    isHanging = true
    const body = method === 'POST' || method === 'PUT' ? FORM : undefined
    expect(await send(method, path, body)).toBe(status)
    expect(requests).toEqual(Array(count).fill(`${method} ${path} ${body ? JSON.stringify(body) : ''}`))
  },
)
