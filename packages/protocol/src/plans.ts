import type { PlanId } from './names.ts'

export interface Plan {
  id: PlanId
  name: string
  hours: number
  /** Price in whole ITO, for display. */
  price: number
  /** Price in base units. */
  priceWei: bigint
  description: string
  features: string[]
}

const ITO = 10n ** 18n

/** The three fixed plans, shortest first. */
export const plans: readonly Plan[] = [
  {
    id: '6h',
    name: '6 hours',
    hours: 6,
    price: 10,
    priceWei: 10n * ITO,
    description: 'One trading session.',
    features: [
      'Live alerts over WebSocket',
      'All priorities',
      'Signature, Merkle path and anchor',
      'Alert history while active',
    ],
  },
  {
    id: '24h',
    name: '24 hours',
    hours: 24,
    price: 30,
    priceWei: 30n * ITO,
    description: 'A full day on every market.',
    features: [
      'Live alerts over WebSocket',
      'All priorities',
      'Signature, Merkle path and anchor',
      'Alert history while active',
      'Every session, round the clock',
    ],
  },
  {
    id: '3d',
    name: '3 days',
    hours: 72,
    price: 75,
    priceWei: 75n * ITO,
    description: 'Three days, at the best price an hour.',
    features: [
      'Live alerts over WebSocket',
      'All priorities',
      'Signature, Merkle path and anchor',
      'Alert history while active',
      'Every session, round the clock',
      'Priority support',
    ],
  },
]

const planById = new Map(plans.map((plan) => [plan.id, plan]))

export function getPlan(id: PlanId): Plan {
  const plan = planById.get(id)
  if (!plan) throw new Error(`No plan ${id}`)
  return plan
}
