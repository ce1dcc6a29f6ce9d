import { getPlan } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import {
  findObstacle,
  isUnderWay,
  noPurchase,
  type PurchaseEvent,
  parsePending,
  reducePurchase,
  type Standing,
} from './purchase.ts'

const ITO = 10n ** 18n
const ready: Standing = {
  isConnected: true,
  isCorrectNetwork: true,
  balanceWei: 1000n * ITO,
  priceWei: getPlan('3d').priceWei,
  hasSubscription: false,
}

describe('findObstacle', () => {
  it.each<[Partial<Standing>, string | null]>([
    [{ isConnected: false, isCorrectNetwork: false, balanceWei: 0n, hasSubscription: true }, 'Wallet not connected'],
    [{ isCorrectNetwork: false, balanceWei: 0n, hasSubscription: true }, 'Wrong Network'],
    [
      { balanceWei: 75n * ITO - 1n, hasSubscription: true },
      'Insufficient ITO tokens. You need 75 ITO but only have 74.99 ITO',
    ],
    [{ balanceWei: null }, 'Insufficient ITO tokens. You need 75 ITO but only have 0.00 ITO'],
    [{ hasSubscription: true }, 'You already have an active subscription'],
    [{ balanceWei: 75n * ITO }, null],
    [{}, null],
  ])('case %#: %s', (change, expected) => {
    expect(findObstacle({ ...ready, ...change })).toBe(expected)
  })
})

describe('reducePurchase', () => {
  const play = (...events: PurchaseEvent[]) => events.reduce(reducePurchase, noPurchase)

  it('keeps the hash through confirming, and clears an old message', () => {
    const purchase = play(
      { type: 'chosen', planId: '3d' },
      { type: 'rejected', message: 'You cancelled in your wallet. Nothing was sent.' },
      { type: 'asked' },
      { type: 'sent', hash: '0xfeed' },
      { type: 'confirming', confirmations: 1, required: 2 },
    )
    expect(purchase).toMatchObject({
      phase: 'confirming',
      planId: '3d',
      hash: '0xfeed',
      message: null,
      progress: { confirmations: 1, required: 2 },
    })
  })

  it('does not call a transaction without a block "in a block"', () => {
    const purchase = play({ type: 'sent', hash: '0xfeed' }, { type: 'confirming', confirmations: 0, required: 2 })
    expect(purchase.phase).toBe('sent')
  })

  it('forgets everything but the plan for the next purchase', () => {
    const purchase = play({ type: 'chosen', planId: '3d' }, { type: 'failed', message: 'no' }, { type: 'reset' })
    expect(purchase).toEqual({ ...noPurchase, planId: '3d' })
  })

  it('knows what is under way', () => {
    const phases = [
      'choose',
      'confirm',
      'proving',
      'wallet',
      'sent',
      'confirming',
      'active',
      'rejected',
      'failed',
    ] as const
    expect(phases.filter((phase) => isUnderWay({ ...noPurchase, phase }))).toEqual([
      'proving',
      'wallet',
      'sent',
      'confirming',
    ])
  })
})

describe('parsePending', () => {
  it.each([null, '', 'no json', '{}', '{"hash":"0x1","planId":"1y","walletAddress":"0x2"}'])('%j is none', (text) => {
    expect(parsePending(text)).toBeNull()
  })
  it('reads what was stored', () => {
    const payment = { hash: '0x1', planId: '6h', walletAddress: '0x2' }
    expect(parsePending(JSON.stringify(payment))).toEqual(payment)
  })
})
