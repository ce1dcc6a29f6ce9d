import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { ApiError } from '../../api/api.ts'
import { reportTransaction } from './report-transaction.ts'

function dependencies(responses: (Error | Order)[], signal = new AbortController().signal) {
  const waits: number[] = []
  const posted: string[] = []
  return {
    waits,
    posted,
    post: async (id: string, hash: string) => {
      posted.push(`${id} ${hash}`)
      const response = responses.length > 1 ? responses.shift() : responses[0]
      if (!response || response instanceof Error) throw response
      return response
    },
    wait: async (ms: number) => void waits.push(ms),
    signal,
  }
}

describe('reportTransaction', () => {
  it.each([400, 403, 404, 409, 422])('does not retry when the server returns %i', async (status) => {
    const fake = dependencies([new ApiError(status, '{}', '')])
    await expect(reportTransaction('order', '0xfeed', fake)).rejects.toBeInstanceOf(ApiError)
    expect(fake.waits).toEqual([])
  })

  it('sends no request when aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    const fake = dependencies([sampleOrder], controller.signal)
    expect(await reportTransaction('order', '0xfeed', fake)).toBeNull()
    expect(fake.posted).toEqual([])
  })

  it('retries with backoff when errors are temporary', async () => {
    const busy = new ApiError(429, '{}', '')
    const fake = dependencies([
      new TypeError('Failed to fetch'),
      busy,
      busy,
      busy,
      new ApiError(503, '{}', ''),
      sampleOrder,
    ])
    expect(await reportTransaction('order', '0xfeed', fake)).toEqual(sampleOrder)
    expect(fake.waits).toEqual([1000, 2000, 4000, 8000, 8000])
    expect(new Set(fake.posted)).toEqual(new Set(['order 0xfeed']))
  })
})
