import { expect, it } from 'vitest'
import { plans } from './plans.ts'

const ITO = 10n ** 18n
const commonFeatures = [
  'Live alerts over WebSocket',
  'All priorities',
  'Signature, Merkle path and anchor',
  'Alert history while active',
]

it('there are three plans: 6 hours for 10 ITO, 24 hours for 30 ITO, 3 days with priority support for 75 ITO', () => {
  expect(plans.map(({ id, hours, price, priceWei, features }) => ({ id, hours, price, priceWei, features }))).toEqual([
    { id: '6h', hours: 6, price: 10, priceWei: 10n * ITO, features: commonFeatures },
    {
      id: '24h',
      hours: 24,
      price: 30,
      priceWei: 30n * ITO,
      features: [...commonFeatures, 'Every session, round the clock'],
    },
    {
      id: '3d',
      hours: 72,
      price: 75,
      priceWei: 75n * ITO,
      features: [...commonFeatures, 'Every session, round the clock', 'Priority support'],
    },
  ])
})
