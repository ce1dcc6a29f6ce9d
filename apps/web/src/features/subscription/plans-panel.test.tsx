// @vitest-environment happy-dom
import { cleanup, render, screen, within } from '@testing-library/react'
import { plans } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { PlansPanel } from './plans-panel.tsx'

vi.mock('./purchase-provider.tsx', () => ({ usePurchase: () => ({ open: () => {} }) }))
vi.mock('./balance.tsx', () => ({ Balance: () => null }))
vi.mock('./use-running-subscription.ts', () => ({ useRunningSubscription: () => null }))
vi.mock('./use-select-plan.ts', () => ({ useSelectPlan: () => () => {} }))

afterEach(cleanup)

test.each(plans)('PlansPanel: the card of the plan $name lists its price and all of its features', (plan) => {
  render(<PlansPanel />)
  const card = screen.getByRole('heading', { name: plan.name }).closest('li')
  if (!card) throw new Error('The plan has no card')
  expect(within(card).getByText(String(plan.price))).toBeDefined()
  const features = within(card).getAllByRole('listitem')
  expect(features.map(({ textContent }) => textContent)).toEqual(plan.features)
})
