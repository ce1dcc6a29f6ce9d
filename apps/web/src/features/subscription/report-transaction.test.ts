import type { Order } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { ApiError } from '../../api/api.ts'
import { reportTransaction } from './report-transaction.ts'

function createDependencies(responses: (Error | Order)[], signal = new AbortController().signal) {
  const waits: number[] = []
  const posted: string[] = []
  return {
    waits,
    posted,
    sendReport: async (id: string, hash: string) => {
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
    const fakeDependencies = createDependencies([new ApiError(status, '{}', '')])
    await expect(reportTransaction('order', '0xfeed', fakeDependencies)).rejects.toBeInstanceOf(ApiError)
    expect(fakeDependencies.waits).toEqual([])
  })

  it('sends no request when aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    const fakeDependencies = createDependencies([sampleOrder], controller.signal)
    expect(await reportTransaction('order', '0xfeed', fakeDependencies)).toBeNull()
    expect(fakeDependencies.posted).toEqual([])
  })

  it('retries with backoff when errors are temporary', async () => {
    const rateLimitError = new ApiError(429, '{}', '')
    const fakeDependencies = createDependencies([
      new TypeError('Failed to fetch'),
      rateLimitError,
      rateLimitError,
      rateLimitError,
      new ApiError(503, '{}', ''),
      sampleOrder,
    ])
    expect(await reportTransaction('order', '0xfeed', fakeDependencies)).toEqual(sampleOrder)
    expect(fakeDependencies.waits).toEqual([1000, 2000, 4000, 8000, 8000])
    expect(new Set(fakeDependencies.posted)).toEqual(new Set(['order 0xfeed']))
  })
})
