// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import { FlowContext, type PurchaseFlowState } from './flow-context.ts'
import type { PurchasePhase } from './purchase.ts'
import { writeSentPayment } from './sent-payments.ts'
import { useIsConfirmationSlow, useSentAtMs } from './use-slow-confirmation.ts'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  localStorage.clear()
})

/** Shows an order that was created an hour ago. */
function openOrder(phase: PurchasePhase) {
  const order = { ...sampleOrder, createdAt: new Date(Date.now() - 60 * MINUTE_MS).toISOString() }
  const { result, rerender } = renderHook(useIsConfirmationSlow, {
    wrapper: ({ children }) => {
      const sentAtMs = useSentAtMs(order, phase)
      // Cast: the hook reads only these fields.
      return <FlowContext value={{ order, phase, sentAtMs } as PurchaseFlowState}>{children}</FlowContext>
    },
  })
  return {
    isSlow: () => result.current,
    show(next: PurchasePhase) {
      phase = next
      rerender()
    },
    wait: (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms)),
  }
}

test('useIsConfirmationSlow: measures the wait from when the page first sees a payment of another device', async () => {
  const { isSlow, show, wait } = openOrder('confirm')
  await wait(20 * MINUTE_MS)
  show('sent')
  await wait(9 * MINUTE_MS)
  expect(isSlow()).toBe(false)
  await wait(2 * MINUTE_MS)
  expect(isSlow()).toBe(true)
})

test('useIsConfirmationSlow: measures the wait from when this browser sent the payment, even after a reload', async () => {
  const sentAtMs = Date.now() - 9 * MINUTE_MS
  writeSentPayment('u-1', { orderId: sampleOrder.id, hash: '0xab', sentAtMs, isReported: true })
  const { isSlow, wait } = openOrder('sent')
  await wait(1000)
  expect(isSlow()).toBe(false)
  await wait(2 * MINUTE_MS)
  expect(isSlow()).toBe(true)
})
