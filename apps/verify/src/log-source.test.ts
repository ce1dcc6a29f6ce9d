import { afterEach, expect, test } from 'vitest'
import { type Handle, startSite, type TestSite } from '../test/support/command-test-bed.ts'
import { createLogSource } from './log-source.ts'
import { CannotCheck } from './outcome.ts'

let site: TestSite | null = null
afterEach(async () => {
  await site?.close()
})

async function readFrom(handle: Handle, apiKey: string | null = null) {
  site = await startSite(handle)
  return createLogSource(new URL(site.url), { timeoutMs: 60_000 }, apiKey)
}

const respondWithError =
  (status: number, code: string, message: string): Handle =>
  (_request, response) => {
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    response.writeHead(status, headers).end(JSON.stringify({ success: false, code, message, requestId: 'r' }))
  }

const inclusion = { leafHash: `0x${'ab'.repeat(32)}`, merklePath: [], bytes: '{}' }

test('readInclusion: returns null when the server responds with status 403 and the code not_public_yet', async () => {
  const source = await readFrom(respondWithError(403, 'not_public_yet', 'Public in 2 hours'))
  expect(await source.readInclusion(0, 1)).toBeNull()
})

test.each([
  [400, 'malformed', 'index must be less than size', /returned 400 .*: “index must be less than size”/],
  [401, 'not_signed_in', 'Sign in first', /returned 401 .*needs a sign-in: “Sign in first”/],
  [403, 'forbidden', 'Blocked here', /returned 403 .*refuses access: “Blocked here”/],
  [404, 'not_found', 'No such page', /returned 404 .*does not exist there: “No such page”/],
  [404, 'not_public_yet', 'Public in 2 hours', /returned 404/],
  [410, 'gone', 'Moved away', /returned 410 .*no longer exists there: “Moved away”/],
  [429, 'too_many_requests', 'Wait a little', /returned 429 .*too many requests, try again later: “Wait a little”/],
  [500, 'internal', 'Broken', /returned 500 .*: “Broken”/],
])('readInclusion: explains status %s with the code %s in an error', async (status, code, message, reason) => {
  const source = await readFrom(respondWithError(status, code, message))
  const inclusionRead = source.readInclusion(0, 1)
  await expect(inclusionRead).rejects.toThrow(CannotCheck)
  await expect(inclusionRead).rejects.toThrow(reason)
})

test('readInclusion: an error page of a proxy causes an error that contains the status and omits the page', async () => {
  const source = await readFrom((_request, response) => {
    response.writeHead(403, { 'content-type': 'text/html' }).end('<html>\u001b[31mno</html>')
  })
  await expect(source.readInclusion(0, 1)).rejects.toThrow(
    /returned 403 for “\/api\/log\/inclusion”, the server refuses access$/,
  )
})

test('readInclusion: tries again after 429', async () => {
  let requestCount = 0
  const source = await readFrom((request, response, body) => {
    requestCount += 1
    if (requestCount < 3) return respondWithError(429, 'too_many_requests', 'Wait a little')(request, response, body)
    response.end(JSON.stringify(inclusion))
  })
  expect(await source.readInclusion(0, 1)).toEqual(inclusion)
  expect(requestCount).toBe(3)
})

test('createLogSource: sends an API key with requests for the content of entries only', async () => {
  const sentRequests: [path: string, authorization: string | undefined][] = []
  const source = await readFrom((request, response) => {
    sentRequests.push([request.url?.split('?')[0] ?? '', request.headers.authorization])
    response.end(JSON.stringify({ ...inclusion, entries: [], record: null, items: [], messages: [], next: null }))
  }, 'the-key')
  await source.readEntries(0, 10)
  await source.readInclusion(0, 1)
  await source.readCheckpoint()
  await source.readKeyEntries()
  await source.readTrackRecord('feed')
  await source.readRecordAlerts('feed', '')
  await source.readMessages(0)
  expect(sentRequests).toEqual([
    ['/api/log/entries', 'Bearer the-key'],
    ['/api/log/inclusion', 'Bearer the-key'],
    ['/api/log/checkpoint', undefined],
    ['/api/log/keys', undefined],
    ['/api/track-record', undefined],
    ['/api/track-record/alerts', undefined],
    ['/api/log/messages', undefined],
  ])
})

test('readCheckpoint: an error has the message of the server', async () => {
  const source = await readFrom(respondWithError(503, 'unavailable', 'The database does not respond'))
  await expect(source.readCheckpoint()).rejects.toThrow(/returned 503 .*: “The database does not respond”/)
})
