import { MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { watchInput } from '../browser/user-input.ts'
import { ApiError, call, callOrNull, onUnauthorized } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

const stubFetchResponse = (status: number, body: string, statusText = '') => {
  const fetchMock = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, { status, statusText }))
  vi.stubGlobal('fetch', fetchMock)
  return fetchMock
}

describe('a response with an error status', () => {
  test.each([
    ['its status and body', 404, '{"message":"There is none"}', 'Not Found', '404: {"message":"There is none"}'],
    ['its status and status text when the body is empty', 503, '', 'Service Unavailable', '503: Service Unavailable'],
  ])('is thrown as an ApiError whose message is %s', async (_what, status, body, statusText, message) => {
    const fetchMock = stubFetchResponse(status, body, statusText)
    await expect(call('chainConfig')).rejects.toThrow(new ApiError(status, body, statusText))
    await expect(call('chainConfig')).rejects.toHaveProperty('message', message)
    expect(fetchMock, 'no call is repeated').toHaveBeenCalledTimes(2)
  })

  test('becomes null in callOrNull when the status is 401, and is thrown in every other case', async () => {
    stubFetchResponse(401, '{}')
    expect(await callOrNull('chainConfig')).toBeNull()
    await expect(call('chainConfig')).rejects.toHaveProperty('status', 401)
    stubFetchResponse(403, '{}')
    await expect(callOrNull('chainConfig')).rejects.toHaveProperty('status', 403)
  })
})

describe('a read with response 401', () => {
  test('is repeated after the writes in flight have ended, because a write can renew the session', async () => {
    let resolveRenewal = () => {}
    const renewal = new Promise<void>((resolve) => {
      resolveRenewal = resolve
    })
    let isRenewed = false
    const fetchMock = vi.fn(async (_url: string, { method }: RequestInit) => {
      if (method !== 'POST') return new Response('{}', { status: isRenewed ? 200 : 401 })
      await renewal
      isRenewed = true
      return new Response('{}')
    })
    vi.stubGlobal('fetch', fetchMock)
    const listener = vi.fn()
    const stopListening = onUnauthorized(listener)
    const writeCall = call('logout')
    const readCall = call('chainConfig')
    await expect.poll(() => fetchMock.mock.calls.map(([url]) => url)).toContain('/api/config/chain')
    resolveRenewal()
    await expect(Promise.all([writeCall, readCall])).resolves.toEqual([{}, {}])
    expect(fetchMock).toHaveBeenCalledTimes(3)
    expect(listener).not.toHaveBeenCalled()
    stopListening()
  })

  test('is repeated one time, and notifies listeners one time when the second response is 401 too', async () => {
    const fetchMock = stubFetchResponse(401, '{}')
    const listener = vi.fn()
    const stopListening = onUnauthorized(listener)
    await expect(call('chainConfig')).rejects.toHaveProperty('status', 401)
    expect(fetchMock).toHaveBeenCalledTimes(2)
    expect(listener).toHaveBeenCalledTimes(1)
    await expect(call('logout')).rejects.toHaveProperty('status', 401)
    expect(fetchMock, 'a write is not repeated').toHaveBeenCalledTimes(3)
    stopListening()
  })
})

test('call: throws when the response is not JSON, even with status 200', async () => {
  stubFetchResponse(200, '<!doctype html><title>Log in to this network</title>')
  await expect(call('chainConfig')).rejects.toThrow(SyntaxError)
})

test.each([
  ['is the message of this site’s error', { success: false, code: 'unavailable', requestId: 'r1' }, 'Try again later'],
  ['is null without a code', { success: false, requestId: 'r1' }, null],
  ['is null if a proxy sent the response', { success: true, code: 'unavailable', requestId: 'r1' }, null],
])('ApiError: userMessage %s', async (_what, body, expectedMessage) => {
  stubFetchResponse(503, JSON.stringify({ ...body, message: 'Try again later' }))
  await expect(call('chainConfig')).rejects.toHaveProperty('userMessage', expectedMessage)
})

test('call: accepts the names of admin endpoints', async () => {
  const fetchMock = stubFetchResponse(200, '[]')
  await call('listAlerts')
  expect(fetchMock.mock.calls[0]?.[0]).toBe('/api/alerts')
})

test('call: sends a JSON content type and credentials, and a JSON body with every write', async () => {
  const fetchMock = stubFetchResponse(200, '{"success":true,"message":"Signed out"}')
  await call('logout')
  expect(fetchMock).toHaveBeenCalledWith('/api/auth/logout', {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
})

test('call: marks its requests as polls after two minutes without user input', async () => {
  vi.useFakeTimers()
  const page = new EventTarget()
  const stopWatching = watchInput(page)
  const fetchMock = stubFetchResponse(200, '[]')
  const isMarkedAsPoll = async () => {
    await call('listAlerts')
    return 'tocsin-poll' in (fetchMock.mock.lastCall?.[1].headers ?? {})
  }
  vi.advanceTimersByTime(2 * MINUTE_MS - 1)
  expect(await isMarkedAsPoll()).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isMarkedAsPoll()).toBe(true)
  page.dispatchEvent(new Event('keydown'))
  expect(await isMarkedAsPoll()).toBe(false)
  stopWatching()
  vi.useRealTimers()
})

test('call: uses the preloaded response one time, and only for the URL of that response', async () => {
  const fetchMock = stubFetchResponse(200, '{"chain":"second"}')
  globalThis.firstResponse = {
    url: '/api/config/chain',
    response: Promise.resolve(new Response('{"message":"first"}', { status: 503 })),
  }
  await expect(call('publicConfig')).resolves.toEqual({ chain: 'second' })
  expect(fetchMock).toHaveBeenCalledTimes(1)
  await expect(call('chainConfig')).rejects.toHaveProperty('status', 503)
  globalThis.firstResponse = undefined
  await expect(call('chainConfig')).resolves.toEqual({ chain: 'second' })
  expect(fetchMock).toHaveBeenCalledTimes(2)
})
