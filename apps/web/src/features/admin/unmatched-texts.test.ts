import { expect, it } from 'vitest'
import { formatItoAmount } from './ito-amount.ts'
import { formatCreditLabel, formatResolution, formatUnmatchedReason } from './unmatched-texts.ts'

const toWei = (text: string) => {
  const [whole = '0', fraction = ''] = text.split('.')
  return `${whole}${fraction.padEnd(18, '0')}`.replace(/^(-?)0+(?=\d)/, '$1')
}

it.each([
  ['0', '0 ITO'],
  ['1', '0.000000000000000001 ITO'],
  [toWei('28'), '28 ITO'],
  [toWei('1284.5'), '1,284.5 ITO'],
  [toWei('-2.5'), '−2.5 ITO'],
  [toWei('-0.5'), '−0.5 ITO'],
  [toWei('1234567890123456789012345678901234567890'), '1,234,567,890,123,456,789,012,345,678,901,234,567,890 ITO'],
])('formatItoAmount: formats %s base units as %s', (wei, words) => {
  expect(formatItoAmount(wei)).toBe(words)
})

it.each([
  ['unknown_wallet', toWei('10'), 'No account has linked this wallet'],
  ['too_old', toWei('10'), 'Too old to be credited automatically'],
  ['late', toWei('10'), 'After the time limit of its purchase'],
  ['partial', toWei('4'), 'Partial payment of a purchase'],
  ['other_amount', toWei('28'), '2 ITO short of 24 hours'],
  ['other_amount', toWei('9.5'), '0.5 ITO short of 6 hours'],
  ['other_amount', toWei('0.1'), '9.9 ITO short of 6 hours'],
  ['other_amount', toWei('11'), '1 ITO more than the price of 6 hours'],
  ['other_amount', toWei('20'), '10 ITO short of 24 hours'],
  ['other_amount', toWei('500'), '425 ITO more than the price of 3 days'],
  ['other_amount', toWei('30'), 'Equals the price of 24 hours'],
] as const)('formatUnmatchedReason: for %s and amount %s, returns "%s"', (reason, tokenAmount, words) => {
  expect(formatUnmatchedReason({ reason, tokenAmount })).toBe(words)
})

it.each([
  [null, 'Open'],
  ['credit', 'Credited'],
  ['refund_noted', 'Refund noted'],
  ['ignore', 'Ignored'],
  ['matched', 'Matched automatically'],
] as const)('formatResolution: describes %s as "%s"', (resolution, words) => {
  expect(formatResolution({ resolution })).toBe(words)
})

it('formatCreditLabel: returns a label only when the payment has an owner and a suggested plan', () => {
  const payment = {
    id: '',
    chainId: 1,
    transactionHash: '',
    payer: '',
    tokenAmount: '1',
    at: '',
    reason: 'other_amount' as const,
    resolvedAt: null,
    resolution: null,
    resolvedBy: null,
    resolutionReason: null,
    credit: null,
  }
  const owner = { id: '', name: '', email: null }
  expect(formatCreditLabel({ ...payment, owner: null, suggestedPlan: '6h' })).toBeNull()
  expect(formatCreditLabel({ ...payment, owner, suggestedPlan: null })).toBeNull()
  expect(formatCreditLabel({ ...payment, owner, suggestedPlan: '6h' })).toBe('Credit 6 hours')
})
