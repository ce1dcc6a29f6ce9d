import { Readable } from 'node:stream'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { createFileCache } from './file-cache.ts'

/** Creates a server that counts how often it reads each file. All files have ten bytes. */
async function createSite(maxBytes: number, contentLength = 10) {
  const cache = createFileCache(maxBytes)
  const app = fastify()
  const reads: string[] = []
  app.get('/:file', { onSend: cache.store }, (request, reply) => {
    const kept = cache.find(request)
    if (kept) return reply.headers(kept.headers).send(kept.body)
    reads.push(request.url)
    return reply.headers({ 'content-length': contentLength, etag: '"e"' }).send(Readable.from([Buffer.alloc(10, 'x')]))
  })
  const requestFile = async (url: string, headers: Record<string, string> = {}) => {
    const { body, headers: responseHeaders } = await app.inject({ url, headers })
    return { body, etag: responseHeaders.etag }
  }
  return { ask: requestFile, reads }
}

test('file cache: reads a file once per encoding, and each time for If-None-Match, a q-value, a wildcard or a query string', async () => {
  const { ask, reads } = await createSite(1_000)
  for (const acceptedEncoding of ['', 'gzip', 'gzip, br', 'br'])
    for (let time = 0; time < 2; time += 1)
      expect(await ask('/a', { 'accept-encoding': acceptedEncoding })).toEqual({ body: 'x'.repeat(10), etag: '"e"' })
  expect(reads).toHaveLength(3)
  for (const headers of [{ 'if-none-match': '"e"' }, { 'accept-encoding': 'br;q=0' }, { 'accept-encoding': '*' }])
    await ask('/a', headers)
  await ask('/a?1')
  expect(reads).toHaveLength(7)
})

test('file cache: drops the oldest files when it is full', async () => {
  const { ask, reads } = await createSite(25)
  for (const url of ['/a', '/b', '/c', '/c', '/b', '/a']) await ask(url)
  expect(reads).toEqual(['/a', '/b', '/c', '/a'])
})

test('file cache: does not cache a file that is larger than the cache or shorter than its Content-Length', async () => {
  const smallSite = await createSite(5)
  for (const url of ['/a', '/a']) await smallSite.ask(url)
  expect(smallSite.reads).toHaveLength(2)
  const cutOff = await createSite(1_000, 11)
  for (const url of ['/a', '/a']) await cutOff.ask(url).catch(() => {})
  expect(cutOff.reads).toHaveLength(2)
})
