import type { RefusalCode, Subscription } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api.ts'
import { ClaimError, claimPayment } from './claim.ts'

const payment = { hash: '0xfeed', planId: '6h' as const, walletAddress: '0xabc' }
const subscription: Subscription = {
  id: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0de',
  userId: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0df',
  planType: '6h',
  tokenAmount: '10000000000000000000',
  startTime: '2026-11-21T14:00:00.000Z',
  endTime: '2026-11-21T20:00:00.000Z',
  transactionHash: '0xfeed',
  isActive: true,
}

function refusal(status: number, code: RefusalCode, details?: Record<string, number>) {
  const body = { success: false, code, message: `said ${code}`, requestId: 'r', ...(details ? { details } : {}) }
  return new ApiError(status, JSON.stringify(body), '')
}

function tools(answers: (Error | Subscription)[], signal = new AbortController().signal) {
  const progress: string[] = []
  let nowMs = 0
  return {
    progress,
    waited: () => nowMs,
    post: async () => {
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (!answer || answer instanceof Error) throw answer
      return answer
    },
    wait: async (ms: number) => {
      nowMs += ms
    },
    nowMs: () => nowMs,
    signal,
    onConfirming: (confirmations: number, required: number) => progress.push(`${confirmations}/${required}`),
  }
}

describe('claimPayment', () => {
  it.each<[number, RefusalCode, boolean]>([
    [422, 'payment_reverted', true],
    [409, 'payment_used', true],
    [409, 'subscription_active', true],
    [422, 'payment_wrong_sender', false],
    [403, 'wallet_not_proved', false],
    [401, 'not_signed_in', false],
  ])('%i %s ends it; final: %s', async (status, code, isFinal) => {
    const error = await claimPayment(payment, tools([refusal(status, code)])).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ClaimError)
    expect(error).toMatchObject({ message: `said ${code}`, isFinal })
  })

  it('gives up after ten minutes without calling the payment lost', async () => {
    const patient = tools([refusal(422, 'payment_unknown')])
    await expect(claimPayment(payment, patient)).rejects.toMatchObject({
      isFinal: false,
      message: 'Not confirmed after 10 minutes. It may still confirm; we keep watching 0xfeed.',
    })
    expect(patient.waited()).toBeGreaterThan(600_000)
  })

  it('answers nothing once aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    expect(await claimPayment(payment, tools([subscription], controller.signal))).toBeNull()
  })

  it('asks each second through everything that passes', async () => {
    const patient = tools([
      refusal(422, 'payment_unknown'),
      new TypeError('Failed to fetch'),
      refusal(429, 'too_many_requests'),
      refusal(503, 'unavailable'),
      refusal(409, 'payment_confirming', { confirmations: 1, required: 2 }),
      subscription,
    ])
    expect(await claimPayment(payment, patient)).toEqual(subscription)
    expect(patient.progress).toEqual(['1/2'])
    expect(patient.waited()).toBe(5000)
  })
})
