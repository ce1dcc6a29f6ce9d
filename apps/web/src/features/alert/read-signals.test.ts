import { maxSignals } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { readSignalMessage } from './read-signals.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/**
 * Stubs a server with the given messages by id. Returns the list of requested URLs. The response
 * for several ids omits the messages for whose id `isLeftOut` returns true.
 */
function stubServer(messages: Record<string, string>, isLeftOut = (_id: string) => false) {
  const urls: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    urls.push(url)
    const [path = '', query] = url.split('?')
    const ids = new URLSearchParams(query).get('ids')?.split(',')
    if (ids) {
      const foundIds = ids.filter((id) => id in messages && !isLeftOut(id))
      return Response.json({ messages: foundIds.map((id) => ({ id, message: messages[id] })) })
    }
    const message = messages[path.split('/').at(-2) ?? '']
    return message === undefined ? new Response('{}', { status: 404 }) : Response.json({ message })
  })
  return urls
}

test('readSignalMessage: rejects all reads of a failed request, and sends a new request for a later read', async () => {
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 503 }))
  const reads = await Promise.allSettled([readSignalMessage('a'), readSignalMessage('b')])
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  stubServer({ a: 'A' })
  expect(await readSignalMessage('a')).toEqual({ message: 'A' })
})

test('readSignalMessage: rejects only the read of an unknown alert when several alerts are read in one request', async () => {
  stubServer({ a: 'A' })
  const reads = await Promise.allSettled([readSignalMessage('a'), readSignalMessage('b')])
  expect(reads.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('readSignalMessage: combines simultaneous reads in requests for up to a hundred alerts each', async () => {
  const ids = Array.from({ length: maxSignals + 1 }, (_, index) => `id-${index}`)
  const urls = stubServer(Object.fromEntries(ids.map((id) => [id, `message of ${id}`])))
  const responses = await Promise.all(ids.map(readSignalMessage))
  expect(responses.map(({ message }) => message)).toEqual(ids.map((id) => `message of ${id}`))
  expect(urls).toHaveLength(2)
})

test('readSignalMessage: requests a message separately when the response for several ids omits that message', async () => {
  const urls = stubServer({ a: 'A', long: 'L' }, (id) => id === 'long')
  const responses = await Promise.all([readSignalMessage('a'), readSignalMessage('long')])
  expect(responses).toEqual([{ message: 'A' }, { message: 'L' }])
  expect(urls).toEqual(['/api/alerts/signals?ids=a%2Clong', '/api/alerts/long/signal'])
})
