import { hashSignal } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { readSignal } from '../alert/use-signal.ts'
import { getIssuePrice } from './issue-price.ts'

const pricedMessage = {
  ...{ id: 's-1', asset: 'BTC/USDT', anomalyType: 'Price move', confidence: 43.5, regime: 'Calm' },
  ...{ summary: 'Price fell', priority: 'high', observedAt: '2026-03-02T14:30:20.500Z' },
  ...{ price: '61204.11', quote: 'USDT', venue: 'binance' },
}
const prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1, venue: 'binance', market: 'ETHUSDT' },
  ...{ candleSeconds: 60, startsAt: '2026-03-02T14:31:00.000Z', horizonSeconds: 300 },
  resolveBy: '2026-03-02T14:51:00.000Z',
}
const model = { name: 'engine', version: '1', settingsHash: `0x${'22'.repeat(32)}` }

const getPrice = (message: object, signedMessage: object = message) => {
  const state = readSignal(JSON.stringify(message), hashSignal(JSON.stringify(signedMessage)))
  return state.kind === 'proved' ? getIssuePrice(state.signal) : state.kind
}

test('price at issue: is not read when the message differs from the signed message', () => {
  expect(getPrice({ ...pricedMessage, price: '61204.12' }, pricedMessage)).toBe('differs')
})

test('price at issue: is absent when the message has no price or an invalid one', () => {
  const { price: _, quote: _quote, venue: _venue, ...withoutPrice } = pricedMessage
  expect(getPrice(withoutPrice)).toBeNull()
  expect(getPrice({ ...pricedMessage, price: 61_204.11 })).toBe('none')
  expect(getPrice({ ...pricedMessage, price: '0' })).toBe('none')
  expect(getPrice({ ...pricedMessage, quote: undefined })).toBe('none')
})

test('price at issue: refers to the market of the prediction, or to the asset when there is no prediction', () => {
  const price = { price: '61204.11', quote: 'USDT', venue: 'binance' }
  expect(getPrice(pricedMessage)).toEqual({ ...price, market: 'BTC/USDT' })
  expect(getPrice({ ...pricedMessage, asset: 'Market', prediction, model })).toEqual({ ...price, market: 'ETHUSDT' })
})
